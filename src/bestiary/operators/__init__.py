"""What mixers are made of: tensors in, tensors out."""

from bestiary.operators.convolution import Plan, conv, explain, plan_for

__all__ = ["Plan", "conv", "explain", "plan_for"]
