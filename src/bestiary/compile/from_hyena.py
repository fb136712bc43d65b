"""Trained Hyena mixers as stacks of BaseConv layers (docs/theory.md, 'Hyena as BaseConv')."""

from __future__ import annotations

from torch import nn

from bestiary.compile.compiling import Compiled
from bestiary.compile.conversion import Layout
from bestiary.compile.from_gated import gated
from bestiary.errors import UserError
from bestiary.mixers.hyena import Hyena


def hyena(module: nn.Module, length: int, layout: Layout = "channel") -> Compiled:
    """The stack of BaseConv layers that computes a trained Hyena up to ``length`` positions.

    With L the order, k the short taps, d the width and N the length:

    ========  ==========  ==========  ======================================
    layout    short taps  layers      d' and N'
    ========  ==========  ==========  ======================================
    channel   k ≤ 1       L + 1       d' = 2·d, N' = N
    channel   k = 2       L + 1       d' = 3·d, N' = N
    channel   k ≥ 3       L + 2       d' = min(L + 1, k + 1)·d, N' = N
    time      k ≤ 1       2·L + 1     d' = d, N' = (3·L + 1)·N
    time      k ≥ 2       2·L + 1     d' = d, N' = (3·L + 4)·N, 3·N if L = 1
    ========  ==========  ==========  ======================================

    and one layer more for the output projection. Arora et al. 2023 (arXiv 2312.04927, appendix H)
    take 5 layers for each L. See ``gated`` for what is checked and what is refused.
    """
    if not isinstance(module, Hyena):
        raise UserError(
            f"compile.hyena was given a {type(module).__name__}; it takes a Hyena mixer "
            "(compile.gated takes others)"
        )
    return gated(module, length, layout)
