"""What mixers are made of: tensors in, tensors out."""

from bestiary.operators.convolution import conv

__all__ = ["conv"]
