"""A trained BaseConv as a program: its layers as they are, with every channel named."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bestiary.compile.constants import Array
from bestiary.compile.expression import Value, conv, input_array, linear, mul, pad, read
from bestiary.compile.mixer_forms import array
from bestiary.compile.program import Mode, Program
from bestiary.compile.rows import Rows
from bestiary.compile.sizes import row_count
from bestiary.compile.taps import Taps
from bestiary.errors import UserError
from bestiary.mixers.base_conv import BaseConv
from bestiary.mixers.base_conv_stack import BaseConvStack


@dataclass(frozen=True)
class LayerArrays:
    """One layer on R rows: weight (width, width), the other three (R, width), float64."""

    weight: Array
    taps: Array
    gate_bias: Array
    conv_bias: Array


@dataclass(frozen=True)
class StackArrays:
    """The layers of a BaseConv for inputs of up to ``length`` rows, and what is read of them.

    rows: R = N', of the inner array. channels: those that are read. output: a map of them, (weight,
    bias), or None.
    """

    layers: tuple[LayerArrays, ...]
    mode: Mode
    length: int
    rows: int
    delay: int
    channels: tuple[int, ...]
    output: tuple[Array, Array] | None

    @property
    def width(self) -> int:
        """Channels of the inner array."""
        return len(self.layers[0].weight)


def stack_arrays(module: nn.Module, length: int) -> StackArrays:
    """The arrays of a ``BaseConv`` or a ``BaseConvStack``.

    ``UserError`` for other modules, for a stack that takes fewer rows, and for one that is circular
    modulo whatever length it is given.
    """
    if not isinstance(module, BaseConv | BaseConvStack):
        raise UserError(
            f"a {type(module).__name__} was given where a BaseConv or a stack of BaseConv layers "
            "is needed"
        )
    row_count(length, "a compiled BaseConv")
    stack = module.stack if isinstance(module, BaseConv) else module
    projection = module.output if isinstance(module, BaseConv) else None
    rows = length + stack.delay if stack.inner_length is None else stack.inner_length
    if length + stack.delay > rows:
        raise UserError(
            f"a BaseConv stack of inner length {rows} and delay {stack.delay} takes at most "
            f"{rows - stack.delay} rows; it cannot be compiled for {length}"
        )
    if stack.read_rows is not None:
        raise UserError(
            f"a BaseConv stack of which {stack.read_rows} rows are read is not a map of sequences; "
            "one that reads as many rows as it is given can be compiled"
        )
    modes = {layer.mode for layer in stack.layers}
    if len(modes) > 1:
        raise UserError("a BaseConv stack has causal and circular layers; give it one mode")
    (mode,) = modes
    if mode == "circular" and stack.inner_length is None:
        raise UserError(
            "a circular BaseConv is another map at every length; give it an inner_length to "
            "compile it"
        )
    return StackArrays(
        layers=tuple(layer_arrays(layer.dense(rows)) for layer in stack.layers),
        mode=mode,
        length=length,
        rows=rows,
        delay=stack.delay,
        channels=stack.channels,
        output=None if projection is None else (array(projection.weight).T, array(projection.bias)),
    )


def layer_arrays(layer: nn.Module) -> LayerArrays:
    """The arrays of a dense layer."""
    parts = (layer.weight, layer.filter.values, layer.gate_bias, layer.conv_bias)
    assert all(isinstance(part, Tensor) for part in parts)
    return LayerArrays(*(array(torch.as_tensor(part)) for part in parts))


def base_conv_program(arrays: StackArrays, d_model: int, name: str) -> Program:
    """As many layers as there are, one more for an output map, at the width that they have."""
    u = input_array("u", d_model)
    z: Value = u if arrays.width == d_model else pad(u, arrays.width)
    for number, layer in enumerate(arrays.layers, start=1):
        gate = linear(z, layer.weight, same_in_rows(layer.gate_bias), f"gate {number}")
        filtered = conv(
            Taps.of(layer.taps, what=f"filter {number}"), z, f"h{number} * z{number - 1}"
        )
        if layer.conv_bias.any():
            # In these rows alone: what is convolved next must be 0 above row 0.
            filtered = filtered + Rows.of(layer.conv_bias)
        z = mul(gate, filtered, f"z{number}")
    if arrays.channels != tuple(range(arrays.width)):
        z = read(z, list(arrays.channels))
    if arrays.output is not None:
        z = linear(z, *arrays.output, name="y")
    return Program(
        (u,),
        z,
        rows=arrays.length,
        reads=(arrays.delay, arrays.delay + arrays.length),
        mode=arrays.mode,
        ring=arrays.rows if arrays.mode == "circular" else None,
        name=name,
    )


def same_in_rows(bias: Array) -> Rows:
    """One row where all are the same."""
    return Rows.same(bias[0]) if (bias == bias[0]).all() else Rows.of(bias)
