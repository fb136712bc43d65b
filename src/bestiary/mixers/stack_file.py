"""BaseConv stacks as files: one safetensors file, whose header says what is made of its arrays.

The file is enough to run the stack: nothing of the compiler is imported to load it. What a compiler
knows besides (the names of channels, programs) goes along as data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.file_kind import refuse_other_than_stacks
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import ExplicitFilter, Filter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter
from bestiary.mixers.tensor_file import Document, read_document, write_document

FORMAT = "bestiary BaseConv stack"
VERSION = 1
WHAT = "a BaseConv stack file"
STACK, DOCUMENT = "stack.", "document."
DAMAGED = (
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    ValueError,
    OverflowError,
    RuntimeError,
)
"""What is raised where a header speaks of what is not there, or arrays do not fit."""


@dataclass(frozen=True)
class ChannelName:
    """What lies in a channel after a layer: a name, and how many rows late it comes."""

    channel: int
    name: str
    delay: int = 0


@dataclass(frozen=True)
class StackFile:
    """A stack and what is known of it.

    rows, inputs: N and d of the input it was made for, None where it takes any. names: what lies
    where after each layer, the input first (so L + 1 of them), or nothing. about: anything that can
    be written as JSON, such as which matrix this is. documents: what other parts of the program
    store along, by name.
    """

    stack: BaseConvStack
    rows: int | None = None
    inputs: int | None = None
    names: tuple[tuple[ChannelName, ...], ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Its sizes and what it is about; not every name and document."""
        sizes = ", ".join(map(str, self.size))
        stored = f", documents {', '.join(self.documents)}" if self.documents else ""
        return f"StackFile((N, L, d, N', d') = ({sizes}), about {self.about}{stored})"

    @property
    def size(self) -> tuple[int | None, int, int | None, int | None, int]:
        """(N, L, d, N', d') (docs/theory.md, 'BaseConv'); None for what is not fixed."""
        stack = self.stack
        return self.rows, len(stack.layers), self.inputs, stack.inner_length, stack.width


def save_stack(path: str | Path, content: BaseConvStack | StackFile) -> None:
    """Write a stack, with what is known of it. ``UserError`` for filters that are not arrays."""
    file = content if isinstance(content, StackFile) else StackFile(content)
    stack = file.stack
    layers = [_layer_header(layer, i) for i, layer in enumerate(stack.layers)]
    header = {
        "format": FORMAT,
        "version": VERSION,
        "rows": file.rows,
        "inputs": file.inputs,
        "inner_length": stack.inner_length,
        "width": stack.width,
        "delay": stack.delay,
        "read_rows": stack.read_rows,
        "channels": list(stack.channels),
        "layers": layers,
        "names": [[[c.channel, c.name, c.delay] for c in layer] for layer in file.names],
        "about": file.about,
        "documents": {name: document.header for name, document in file.documents.items()},
    }
    arrays = {f"{STACK}{name}": array for name, array in stack.state_dict().items()}
    for name, document in file.documents.items():
        arrays |= {f"{DOCUMENT}{name}.{key}": array for key, array in document.arrays.items()}
    write_document(path, Document(header, arrays))


def load_stack(path: str | Path) -> BaseConvStack:
    """The stack in a file. ``UserError`` for a file that is not one."""
    return read_stack_file(path).stack


def read_stack_file(path: str | Path) -> StackFile:
    """The stack in a file and what is known of it. ``UserError`` for a file that is not one."""
    refuse_other_than_stacks(path)
    document = read_document(path, FORMAT, VERSION, WHAT)
    try:
        return _restored(document)
    except DAMAGED as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise UserError(f"{path} is {WHAT} that is damaged: {missing}") from error


def _restored(document: Document) -> StackFile:
    header = _checked(document.header)
    arrays = {k.removeprefix(STACK): v for k, v in document.arrays.items() if k.startswith(STACK)}
    stack = BaseConvStack(
        [_layer(Part(told, arrays, f"layers.{i}.")) for i, told in enumerate(header["layers"])],
        header["channels"],
        inner_length=header["inner_length"],
        delay=header["delay"],
        read_rows=header["read_rows"],
    )
    _check_sizes(stack, header)
    documents = {}
    for name, told in header["documents"].items():
        prefix = f"{DOCUMENT}{name}."
        own = {
            k.removeprefix(prefix): v for k, v in document.arrays.items() if k.startswith(prefix)
        }
        documents[name] = Document(told, own)
    names = tuple(tuple(ChannelName(*entry) for entry in layer) for layer in header["names"])
    return StackFile(stack, header["rows"], header["inputs"], names, header["about"], documents)


def _checked(header: dict[str, Any]) -> dict[str, Any]:
    """The header, where its numbers are whole and of a possible size."""
    least = {"rows": 1, "inputs": 0, "inner_length": 1, "read_rows": 1, "width": 1, "delay": 0}
    for name, smallest in least.items():
        number = header[name]
        if number is None and name not in ("width", "delay"):
            continue
        if type(number) is not int or number < smallest:
            raise ValueError(f"its {name} is {number!r}; a whole number from {smallest} is needed")
    channels = header["channels"]
    if not channels or any(type(channel) is not int for channel in channels):
        raise ValueError(f"its channels are {channels!r}; whole numbers are needed")
    for layer in header["layers"]:
        told = [layer["filter"].get("channels")]
        told += [(layer[part] or {}).get("width") for part in ("weight", "gate_bias", "conv_bias")]
        # Before anything is made that is as wide as it says.
        other = [width for width in told if width not in (None, header["width"])]
        if other:
            raise ValueError(f"its width is {header['width']}, its layers have {other[0]}")
    if not isinstance(header["about"], Mapping):
        raise ValueError(f"what it is about is {header['about']!r}; names and values are needed")
    return header


def _check_sizes(stack: BaseConvStack, header: Mapping[str, Any]) -> None:
    """``ValueError`` where the sizes of a file do not fit each other, before arrays are made."""
    if stack.width != header["width"]:
        raise ValueError(f"its width is {header['width']}, its layers have {stack.width}")
    if header["inputs"] is not None and header["inputs"] > stack.width:
        raise ValueError(f"its input has {header['inputs']} channels, its layers {stack.width}")
    rows, inner = header["rows"], stack.inner_length
    if rows is None or inner is None:
        return
    needed = max(rows, (stack.read_rows or rows) + stack.delay)
    if needed > inner:
        raise ValueError(f"it needs {needed} rows, but its inner length is {inner}")
    for layer in stack.layers:
        layer.check_rows(inner)


@dataclass(frozen=True)
class Part:
    """A piece of the header, and where its arrays lie."""

    header: Mapping[str, Any]
    arrays: Mapping[str, Tensor]
    prefix: str

    def __getitem__(self, name: str) -> Tensor:
        return self.arrays[self.prefix + name]

    def part(self, name: str, header: Mapping[str, Any] | None = None) -> Part:
        """A piece of this piece."""
        own = self.header[name] if header is None else header
        return Part(own, self.arrays, f"{self.prefix}{name}.")


def _layer_header(layer: BaseConvLayer, number: int) -> dict[str, Any]:
    return {
        "mode": layer.mode,
        "filter": _filter_header(layer.filter, f"layer {number + 1}"),
        "weight": _array_header(layer.weight),
        "gate_bias": _array_header(layer.gate_bias),
        "conv_bias": _array_header(layer.conv_bias),
    }


def _layer(part: Part) -> BaseConvLayer:
    return BaseConvLayer(
        _filter(part.part("filter")),
        _array(part, "weight"),
        _array(part, "gate_bias"),
        _array(part, "conv_bias"),
        part.header["mode"],
    )


def _filter_header(h: Filter, where: str) -> dict[str, Any]:
    if isinstance(h, ExplicitFilter):
        return {"kind": "explicit"}
    if isinstance(h, TapFilter):
        return {"kind": "taps", "channels": h.channels}
    if isinstance(h, FilterParts):
        parts = [_filter_header(part, where) for part in h.parts]
        return {"kind": "parts", "channels": h.channels, "parts": parts}
    raise UserError(
        f"the filter of {where} is a {type(h).__name__}, which is not stored in a stack file; the "
        "stack's dense() has its taps as an array"
    )


def _filter(part: Part) -> Filter:
    return _FILTERS[part.header["kind"]](part)


def _parts(part: Part) -> Filter:
    told = part.header["parts"]
    parts = [_filter(part.part(f"parts.{i}", header)) for i, header in enumerate(told)]
    return FilterParts(part.header["channels"], parts, [part[f"at_{i}"] for i in range(len(told))])


_FILTERS: Mapping[str, Callable[[Part], Filter]] = {
    "explicit": lambda part: ExplicitFilter(part["values"]),
    "taps": lambda part: TapFilter(
        part.header["channels"], part["powers"], part["at"], part["values"]
    ),
    "parts": _parts,
}


def _array_header(value: nn.Module | Tensor | None) -> dict[str, Any] | None:
    if value is None:
        return None
    if isinstance(value, SparseWeight):
        return {"kind": "sparse weight", "width": value.width}
    if isinstance(value, SparseBias):
        return {"kind": "sparse bias", "width": value.width, "rows": value.rows}
    return {"kind": "dense"}


def _array(part: Part, name: str) -> Any:
    told = part.header[name]
    if told is None:
        return None
    if told["kind"] == "dense":
        return part[name]
    return _ARRAYS[told["kind"]](part.part(name))


_ARRAYS: Mapping[str, Callable[[Part], nn.Module]] = {
    "sparse weight": lambda part: SparseWeight(
        part.header["width"], part["sources"], part["targets"], part["values"]
    ),
    "sparse bias": lambda part: SparseBias(
        part.header["width"],
        part.header["rows"],
        *(part[k] for k in ("level", "level_at", "values", "places", "pattern_at", "pattern")),
    ),
}


def names_of(
    layers: Sequence[Mapping[int, tuple[str, int]]],
) -> tuple[tuple[ChannelName, ...], ...]:
    """{channel: (name, delay)} of each layer as a file keeps them, channels in order."""
    return tuple(
        tuple(ChannelName(channel, *layer[channel]) for channel in sorted(layer))
        for layer in layers
    )
