"""Gated convolutions, H3 among them, as stacks of BaseConv layers.

A trained mixer becomes its gated form (``mixer_forms``), that a program (``gated_channels`` or
``gated_blocks``), and the program a stack, which is then compared with the mixer itself.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.gated_blocks import block_program
from bestiary.compile.gated_channels import channel_programs
from bestiary.compile.mixer_forms import gated_form_of
from bestiary.compile.verify import agree
from bestiary.errors import UserError, unknown_name
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.h3 import H3
from bestiary.mixers.tap_filter import TapFilter

Layout = Literal["channel", "time"]
LAYOUTS: tuple[Layout, ...] = ("channel", "time")


@dataclass(frozen=True)
class Conversion:
    """What a mixer became, and by how much the two differ: relative, in float64."""

    compiled: Compiled
    error: float


def gated(module: nn.Module, length: int, layout: Layout = "channel") -> Compiled:
    """The stack of BaseConv layers that computes a trained mixer up to ``length`` positions.

    module: Hyena, H3, ShortConv, or any mixer with ``gated_form(length)``, see ``GatedForm``. The
    stack is float64, (batch, N, d) → the same for every N ≤ length, and as causal as the mixer.
    layout: ``channel`` keeps z beside what the gates read, ``time`` below it at the width of the
    input. In the channel layout a mixer of L kernels takes L + 1 layers, one more with short
    convolutions on its gates, one more for an output map. Where there are two ways to do it the one
    with fewer layers is taken, then the narrower.

    ``UserError`` for a mixer that is no gated convolution, and where the stack differs from the
    mixer's own forward in float64 by more than 1e-9 relative.
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


def converted(module: nn.Module, length: int, layout: Layout = "channel") -> Conversion:
    """``gated`` with the error it measured."""
    if layout not in LAYOUTS:
        raise unknown_name("layout", layout, LAYOUTS)
    if length < 1:
        raise UserError(f"a mixer cannot be compiled for {length} positions; give at least 1")
    name = type(module).__name__
    reference = copy.deepcopy(module).double().eval()
    form = gated_form_of(reference, length)
    if layout == "time":
        programs = [block_program(form, length, name)]
    else:
        programs = channel_programs(form, length, name)
    compiled = min(map(compile_program, programs), key=size)
    if layout == "time":
        move_rows(compiled.stack)
    error = agree(compiled.stack, reference, length, form.d_model, what=f"the compiled {name}")
    return Conversion(compiled, error)


def size(compiled: Compiled) -> tuple[int, int]:
    """Layers, then width."""
    return len(compiled.stack.layers), compiled.stack.width


def move_rows(stack: BaseConvStack) -> None:
    """Have every filter of a stack applied tap by tap instead of by transforms.

    A transform rounds relative to the largest number in a channel. In the time layout z and u lie
    in one channel, and z, a product, can be larger or smaller than u by many orders.
    """
    assert stack.inner_length is not None
    for layer in stack.layers:
        taps = layer.filter(stack.inner_length).detach()
        powers, at = torch.nonzero(taps, as_tuple=True)
        layer.filter = TapFilter(stack.width, powers, at, taps[powers, at])
