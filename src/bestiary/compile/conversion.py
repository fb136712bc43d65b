"""From a trained mixer to a stack of BaseConv layers that has been compared with it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn

from bestiary.compile.base_conv_program import base_conv_program, stack_arrays
from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.gated_blocks import block_program
from bestiary.compile.gated_channels import channel_programs
from bestiary.compile.mixer_forms import gated_form_of
from bestiary.compile.program import Program
from bestiary.compile.sizes import row_count
from bestiary.compile.verify import agree
from bestiary.errors import UserError, unknown_name
from bestiary.mixers.base_conv import BaseConv
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.tap_filter import TapFilter

Layout = Literal["channel", "time"]
LAYOUTS: tuple[Layout, ...] = ("channel", "time")
WITHOUT_LAYOUT = (BaseConv, BaseConvStack)
"""Mixers that keep the channels they have, in either layout."""


@dataclass(frozen=True)
class Conversion:
    """What a mixer became, and by how much the two differ: relative, in float64."""

    compiled: Compiled
    error: float


def converted(
    module: nn.Module, length: int, layout: Layout = "channel", what: str = ""
) -> Conversion:
    """The stack for up to ``length`` positions, compared with the module's own forward in float64.

    what: how errors name it. ``UserError`` for a mixer that cannot be compiled, and for one whose
    stack differs by more than ``verify.TOLERANCE``.
    """
    if layout not in LAYOUTS:
        raise unknown_name("layout", layout, LAYOUTS)
    if row_count(length, "a compiled mixer") < 1:
        raise UserError(f"a mixer cannot be compiled for {length} positions; give at least 1")
    name = what or type(module).__name__
    reference = copy.deepcopy(module).to("cpu", torch.float64).eval()
    compiled = min(
        map(compile_program, programs_of(reference, length, layout, name)),
        key=lambda made: (len(made.stack.layers), made.stack.width),
    )
    if layout == "time":
        move_rows(compiled.stack)
    width = compiled.source.width
    error = agree(compiled.stack, reference, length, width, what=f"the compiled {name}")
    return Conversion(compiled, error)


def programs_of(module: nn.Module, length: int, layout: Layout, name: str) -> list[Program]:
    """The programs among which the smallest stack is to be chosen."""
    if isinstance(module, WITHOUT_LAYOUT):
        arrays = stack_arrays(module, length)
        return [base_conv_program(arrays, len(arrays.channels), name)]
    form = gated_form_of(module, length)
    if layout == "time":
        return [block_program(form, length, name)]
    return channel_programs(form, length, name)


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
