"""What a compiled stack holds on the way: each layer's gate side, convolution side and product."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.compile.compiling import Compiled
from bestiary.compile.layout import Layout, Place, layout
from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer

Side = Literal["gate", "convolution", "product"]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class TracedLayer:
    """One layer on a batch of inputs, all in float64.

    number: 0 is the input, padded to the inner array. places: what lies in which channel after the
    layer, and how late. gate, convolution: (batch, N', d'), U W + B1 and h * U + B2; both None for
    the input. product: (batch, N', d'), the output of the layer. ring: rows are modulo it, or None.
    """

    number: int
    places: tuple[Place, ...]
    gate: Numbers | None
    convolution: Numbers | None
    product: Numbers
    ring: int | None = None

    def at(
        self,
        rows: Sequence[int],
        side: Side = "product",
        places: Sequence[Place] | None = None,
        missing: float = np.nan,
    ) -> Numbers:
        """(batch, rows, places): the numbers at *logical* rows, the delay of each place undone.

        rows: any, in any order; ``missing`` where the array has none for a place. places: all of
        the layer unless given. ``UserError`` for a side of the input.
        """
        array = {"gate": self.gate, "convolution": self.convolution, "product": self.product}[side]
        if array is None:
            raise UserError(f"the input has no {side} side; layers 1 and up have one")
        chosen = self.places if places is None else places
        delays = np.array([place.delay for place in chosen], dtype=np.int64)
        channels = np.array([place.channel for place in chosen], dtype=np.int64)
        where = np.asarray(rows, dtype=np.int64)[:, None] + delays
        if self.ring is not None:
            where = where % self.ring
        inside = (where >= 0) & (where < array.shape[1])
        found = array[:, np.where(inside, where, 0), channels]
        return np.where(inside, found, missing)


@dataclass(frozen=True)
class Trace:
    """The layers of a stack on a batch of inputs, computed one after the other when iterated over.

    A stack may be large, so no more than one layer is held. ``list`` keeps all.
    """

    compiled: Compiled
    layout: Layout
    inputs: Numbers

    def __iter__(self) -> Iterator[TracedLayer]:
        stack, ring = self.compiled.stack, self.compiled.placed.ring
        u = torch.zeros(len(self.inputs), self.layout.rows, self.layout.width, dtype=torch.float64)
        u[:, : self.inputs.shape[1], : self.inputs.shape[2]] = torch.from_numpy(self.inputs)
        yield TracedLayer(0, self.layout.layers[0], None, None, u.numpy(), ring)
        for number, layer in enumerate(stack.layers, 1):
            double = _in_float64(layer)
            with torch.no_grad():
                gate, convolution = double.gate(u), double.convolution(u)
                u = gate * convolution
            places = self.layout.layers[number]
            yield TracedLayer(number, places, _numpy(gate), _numpy(convolution), _numpy(u), ring)

    def __len__(self) -> int:
        """Layers, the input among them."""
        return len(self.layout.layers)


def trace(compiled: Compiled, inputs: Any) -> Trace:
    """Follow inputs through the layers of a compiled stack.

    inputs: (batch, N, d), or (N, d) for a batch of one, for the N rows and d channels of the
    program. Iterating gives the input and then each layer. ``UserError`` for another shape, and for
    a stack without a fixed number of rows.
    """
    program, rows = compiled.source, compiled.stack.inner_length
    given = np.asarray(inputs, dtype=np.float64)
    batch = given[None] if given.ndim == 2 else given
    if batch.ndim != 3 or batch.shape[1:] != (program.rows, program.width):
        raise UserError(
            f"an input of shape {given.shape} was given to {program.name}; "
            f"(batch, {program.rows}, {program.width}) is needed"
        )
    if rows is None:
        raise UserError(
            f"{program.name} is a stack without a fixed number of rows; its layers have no names"
        )
    return Trace(compiled, layout(compiled.placed, compiled.stack.width, rows), batch)


def _in_float64(layer: BaseConvLayer) -> BaseConvLayer:
    """The layer, or a copy where it is kept in float32, as solvers do."""
    if all(weight.dtype == torch.float64 for weight in layer.parameters()):
        return layer
    return copy.deepcopy(layer).double()


def _numpy(tensor: Tensor) -> Numbers:
    return tensor.numpy()
