"""Gated convolutions, H3 among them, as stacks of BaseConv layers.

A trained mixer becomes its gated form (``mixer_forms``), that a program (``gated_channels`` or
``gated_blocks``), and the program a stack, which is then compared with the mixer (``conversion``).
"""

from __future__ import annotations

from torch import nn

from bestiary.compile.compiling import Compiled
from bestiary.compile.conversion import Layout, converted
from bestiary.errors import UserError
from bestiary.mixers.h3 import H3


def gated(module: nn.Module, length: int, layout: Layout = "channel") -> Compiled:
    """The stack of BaseConv layers that computes a trained mixer up to ``length`` positions.

    module: Hyena, H3, ShortConv, BaseConv, or any mixer with ``gated_form(length)``, see
    ``GatedForm``. The stack is float64, (batch, N, d) → the same for every N ≤ length.
    layout: ``channel`` keeps z beside what the gates read, ``time`` below it at the width of the
    input. In the channel layout a mixer of L kernels takes L + 1 layers, one more with short
    convolutions on its gates, one more for an output map. Where there are two ways to do it the one
    with fewer layers is taken, then the narrower. BaseConv keeps its layers and its width.

    ``UserError`` for a mixer that is no gated convolution, and where the stack differs from the
    mixer's own forward in float64 by more than 1e-9 relative to the largest output.
    """
    return converted(module, length, layout).compiled


def h3(module: nn.Module, length: int, layout: Layout = "channel") -> Compiled:
    """``gated`` for a trained H3: 3 layers of 2·d channels, one more with its output projection.

    Heads of size m > 1 take d·m + d channels, and the sum over a head takes that last layer too
    (Fu et al. 2023, arXiv 2212.14052, algorithm 1).
    """
    if not isinstance(module, H3):
        raise UserError(f"compile.h3 was given a {type(module).__name__}; it takes an H3 mixer")
    return gated(module, length, layout)
