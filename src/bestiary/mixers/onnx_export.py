"""BaseConv stacks as ONNX models: the layers written out in ONNX's own operations, by structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import Filter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter

OPSET = 20
"""The first in which DFT takes its axis as an input."""
INPUT, OUTPUT = "x", "y"


def export_onnx(
    stack: BaseConvStack, path: str | Path, length: int, inputs: int, name: str = "stack"
) -> None:
    """Write the stack for inputs (batch, length, inputs), any batch, in its own dtype.

    Input ``x``, output ``y``. ``UserError`` without the extra ``onnx``, for parameters that are
    neither float32 nor float64, or for a length and width that the stack does not take.
    """
    try:
        import onnx
    except ImportError as error:
        raise UserError(
            "export to ONNX needs the package onnx, which is not installed; "
            "pip install 'bestiary[onnx]'"
        ) from error
    dtypes = {p.dtype for p in stack.parameters()}
    if len(dtypes) != 1 or not dtypes <= {torch.float32, torch.float64}:
        found = ", ".join(sorted(str(dtype) for dtype in dtypes))
        raise UserError(f"a stack of {found} cannot be exported; one of float32 or float64 can")
    like = torch.zeros(1, length, inputs, dtype=dtypes.pop())
    with torch.no_grad():
        read = stack(like).shape  # refuses sizes that the stack does not take
        graph = Graph(onnx, like.numpy().dtype)
        _stack(graph, stack, length, inputs)
    kind = onnx.TensorProto.FLOAT if like.dtype == torch.float32 else onnx.TensorProto.DOUBLE
    values = [
        onnx.helper.make_tensor_value_info(what, kind, ["batch", *shape])
        for what, shape in ((INPUT, (length, inputs)), (OUTPUT, tuple(read[1:])))
    ]
    made = onnx.helper.make_graph(graph.nodes, name, values[:1], values[1:], graph.constants)
    model = onnx.helper.make_model(
        made, opset_imports=[onnx.helper.make_opsetid("", OPSET)], producer_name="bestiary"
    )
    model.ir_version = min(model.ir_version, 10)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


class Graph:
    """Nodes and constants so far; a value is its name."""

    def __init__(self, onnx: Any, dtype: np.dtype[Any]) -> None:
        self.onnx, self.dtype = onnx, dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.known: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def node(self, operation: str, *inputs: str, output: str | None = None, **fields: Any) -> str:
        """One operation; the name of what it gives."""
        name = output or f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operation, list(inputs), [name], **fields))
        return name

    def numbers(self, values: Tensor | NDArray[Any] | list[float]) -> str:
        """A constant in the dtype of the model; equal ones once."""
        return self._constant(np.asarray(values, dtype=self.dtype))

    def indices(self, values: Tensor | list[int]) -> str:
        """A constant of int64."""
        return self._constant(np.asarray(values, dtype=np.int64))

    def _constant(self, array: NDArray[Any]) -> str:
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self.known:
            self.known[key] = f"c{len(self.known)}"
            self.constants.append(
                self.onnx.numpy_helper.from_array(np.array(array, order="C"), self.known[key])
            )
        return self.known[key]

    def picked(self, x: str, channels: Tensor) -> str:
        """Channels of x, in that order."""
        return self.node("Gather", x, self.indices(channels), axis=2)

    def rows(self, x: str, first: int, last: int) -> str:
        """Rows first ≤ t < last."""
        ends = [self.indices([first]), self.indices([last])]
        return self.node("Slice", x, *ends, self.indices([1]))

    def padded(self, x: str, above: int, below: int, after: int = 0) -> str:
        """x with rows of zeros above and below it, and channels of zeros after it."""
        if not (above or below or after):
            return x
        return self.node("Pad", x, self.indices([0, above, 0, 0, below, after]))

    def placed(self, parts: list[tuple[str, Tensor]], like: str, width: int) -> str:
        """Parts put at their channels, each channel in one at most; 0 elsewhere.

        A zero channel is put behind all parts, and each channel gathered from where it is.
        """
        if not parts:
            return self.node("Mul", like, self.numbers([0.0]))
        zero = self.node("Mul", self.picked(like, torch.tensor([0])), self.numbers([0.0]))
        whole = self.node("Concat", *(part for part, _ in parts), zero, axis=2)
        at = torch.cat([channels for _, channels in parts])
        source = torch.full((width,), len(at))
        source[at] = torch.arange(len(at))
        return self.picked(whole, source)


def _stack(graph: Graph, stack: BaseConvStack, length: int, inputs: int) -> None:
    rows = stack.inner_length or max(length, (stack.read_rows or length) + stack.delay)
    u = graph.padded(INPUT, 0, rows - length, stack.width - inputs)
    for layer in stack.layers:
        gate = _biased(graph, _weighted(graph, layer, u), layer.gate_bias, rows)
        conv = _filtered(graph, layer.filter, u, rows, layer.mode)
        u = graph.node("Mul", gate, _biased(graph, conv, layer.conv_bias, rows))
    read = graph.rows(u, stack.delay, stack.delay + (stack.read_rows or length))
    channels = graph.indices(list(stack.channels))
    graph.node("Gather", read, channels, axis=2, output=OUTPUT)


def _weighted(graph: Graph, layer: BaseConvLayer, u: str) -> str:
    weight = layer.weight
    if weight is None:
        return u
    if not isinstance(weight, SparseWeight):
        return graph.node("MatMul", u, graph.numbers(weight.detach()))
    if weight.as_dense:
        return graph.node("MatMul", u, graph.numbers(weight.dense()))
    total = None
    for entries in weight.entry_rounds():
        columns = weight.targets[entries]
        if len(columns.unique()) < len(columns):
            return graph.node("MatMul", u, graph.numbers(weight.dense()))
        part = graph.picked(u, weight.sources[entries])
        part = graph.node("Mul", part, graph.numbers(weight.values.detach()[entries]))
        part = graph.placed([(part, columns)], u, weight.width)
        total = part if total is None else graph.node("Add", total, part)
    return graph.placed([], u, weight.width) if total is None else total


def _biased(graph: Graph, x: str, bias: Tensor | SparseBias | None, rows: int) -> str:
    if bias is None:
        return x
    if not isinstance(bias, SparseBias):
        return graph.node("Add", x, graph.numbers(bias.detach()[:rows] if bias.ndim == 2 else bias))
    x = graph.node("Add", x, graph.numbers(bias.uniform())) if len(bias.level) else x
    if bias.rows is None:
        return x
    patterns = torch.cat([bias.pattern_rows()[:rows], bias.values.new_zeros(rows, 1)], 1)
    which = torch.full((bias.width,), bias.patterns)
    which[bias.pattern_at] = bias.pattern
    spread = graph.node("Gather", graph.numbers(patterns), graph.indices(which), axis=1)
    return graph.node("Add", x, spread)


def _filtered(graph: Graph, h: Filter, u: str, rows: int, mode: str) -> str:
    if isinstance(h, FilterParts):
        parts = []
        for i, part in enumerate(h.parts):
            own = graph.picked(u, h.places(i))
            parts.append((_filtered(graph, part, own, rows, mode), h.places(i)))
        return graph.placed(parts, u, h.channels)
    if isinstance(h, TapFilter):
        return _moved(graph, h, u, rows, mode)
    return _convolved(graph, h(rows), u, rows, mode)


def _moved(graph: Graph, h: TapFilter, u: str, rows: int, mode: str) -> str:
    total = None
    for power in h.powers.unique().tolist():
        entries = torch.nonzero(h.powers == power)[:, 0]
        part = graph.picked(u, h.at[entries])
        if mode == "circular":
            by = power % rows
            if by:
                above, below = graph.rows(part, rows - by, rows), graph.rows(part, 0, rows - by)
                part = graph.node("Concat", above, below, axis=1)
        elif power >= rows:
            continue
        else:
            part = graph.padded(graph.rows(part, 0, rows - power), power, 0)
        part = graph.node("Mul", part, graph.numbers(h.values.detach()[entries]))
        part = graph.placed([(part, h.at[entries])], u, h.channels)
        total = part if total is None else graph.node("Add", total, part)
    return graph.placed([], u, h.channels) if total is None else total


def _convolved(graph: Graph, taps: Tensor, u: str, rows: int, mode: str) -> str:
    """A product of transforms of twice the rows; in a ring what is past its end is added above.

    Only powers of two: onnxruntime loses half of the digits in transforms of other lengths.
    """
    size = 1 << (2 * rows - 1).bit_length()
    spectrum = torch.fft.fft(taps.double(), size, dim=0)
    u = graph.padded(u, 0, size - rows)
    last = graph.indices([-1])
    u = graph.node("Unsqueeze", u, last)
    axis = graph.indices(torch.tensor(1))
    transformed = graph.node("DFT", u, "", axis)
    zero, one = graph.indices([0]), graph.indices([1])
    real = graph.node("Slice", transformed, zero, one, last)
    imaginary = graph.node("Slice", transformed, one, graph.indices([2]), last)
    a, b = (graph.numbers(part[..., None]) for part in (spectrum.real, spectrum.imag))
    products = [graph.node("Mul", x, y) for x, y in ((real, a), (imaginary, b), (real, b))]
    products.append(graph.node("Mul", imaginary, a))
    both = graph.node(
        "Concat",
        graph.node("Sub", products[0], products[1]),
        graph.node("Add", products[2], products[3]),
        axis=-1,
    )
    back = graph.node("DFT", both, "", axis, inverse=1)
    y = graph.node("Squeeze", graph.node("Slice", back, zero, one, last), last)
    head = graph.rows(y, 0, rows)
    return graph.node("Add", head, graph.rows(y, rows, 2 * rows)) if mode == "circular" else head
