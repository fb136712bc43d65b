"""Depthwise convolution of sequences with filters as long as they are.

``conv`` is the operator. Its pieces, in the order they are used: ``operator`` checks the input and
turns it into a ``geometry`` (which input positions and taps an output needs), ``plan`` chooses how
to compute it, and ``differentiable`` hands it to one of the three ways, each with a forward and an
exact gradient: ``shifts`` (a sum over taps), ``toeplitz`` (a matrix a channel) and ``spectral``
(transforms, whole or in chunks).
"""

from bestiary.operators.convolution.geometry import MODES, Mode
from bestiary.operators.convolution.operator import conv, explain
from bestiary.operators.convolution.plan import PATHS, Path, Plan, plan_for

__all__ = ["MODES", "PATHS", "Mode", "Path", "Plan", "conv", "explain", "plan_for"]
