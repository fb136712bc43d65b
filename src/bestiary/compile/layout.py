"""What a person reads of a compiled stack: in each layer, what lies in each channel and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bestiary.compile.allocate import channel_of
from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.emit import layers_of, outputs
from bestiary.compile.expression import Read, Value
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows

Role = Literal["input", "sum", "filter", "product", "carried", "copied", "constant"]
"""What the layer does to get a channel: a weighted sum of channels on the gate side, a filter of
one on the convolution side, the product of both, nothing new (the channel kept, or another one
copied), or numbers that do not depend on the input."""

ROLES: tuple[Role, ...] = ("input", "sum", "filter", "product", "carried", "copied", "constant")


@dataclass(frozen=True)
class Place:
    """One channel after one layer.

    name: of the value there. delay: its logical row t is row t + delay of the array. gated:
    channels of the layer before that the gate side reads. convolved: the one that is filtered,
    which is this channel, or None. filter: the filter in words. masked: whether a bias differs from
    row to row. read: whether it is part of the output.
    """

    layer: int
    channel: int
    name: str
    role: Role
    delay: int
    gated: tuple[int, ...] = ()
    convolved: int | None = None
    filter: str = ""
    masked: bool = False
    read: bool = False


@dataclass(frozen=True)
class Layout:
    """All places of a stack, and its sizes.

    layers: the places after each layer, the input first, by channel. width: d'. rows: N'.
    """

    name: str
    width: int
    rows: int
    layers: tuple[tuple[Place, ...], ...]

    def __repr__(self) -> str:
        """Its sizes; ``layers`` has every place."""
        return (
            f"Layout({self.name!r}, width={self.width}, rows={self.rows}, "
            f"{len(self.layers) - 1} layers of {sum(map(len, self.layers))} places)"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Layout:
        """Back from ``to_dict``."""
        layers = tuple(
            tuple(Place(**{**place, "gated": tuple(place["gated"])}) for place in layer)
            for layer in given["layers"]
        )
        return cls(given["name"], given["width"], given["rows"], layers)


def layout(program: Program, width: int, rows: int) -> Layout:
    """The places of an allocated program in a stack of that inner width and length."""
    read = {id(wire) for wire in outputs(program)}
    layers = [_inputs(program, read)]
    for number, cells in enumerate(layers_of(program), 1):
        places = [_place(program, cell, number, id(cell) in read) for cell in cells]
        layers.append(tuple(sorted(places, key=lambda place: place.channel)))
    return Layout(program.name, width, rows, tuple(layers))


def _inputs(program: Program, read: set[int]) -> tuple[Place, ...]:
    places = []
    for value in program.inputs:
        first = program.offset(value)
        for i, name in enumerate(value.channel_names()):
            places.append(Place(0, first + i, name, "input", 0))
    given = {
        channel_of(program, value)
        for value in program
        if isinstance(value, Read) and id(value) in read
    }
    return tuple(
        Place(p.layer, p.channel, p.name, p.role, p.delay, read=p.channel in given) for p in places
    )


def _place(program: Program, cell: Cell, layer: int, read: bool) -> Place:
    assert cell.channel is not None
    gated = [channel_of(program, wire) for wire in cell.gate]
    return Place(
        layer=layer,
        channel=cell.channel,
        name=cell.name or "·",
        role=_role(cell),
        delay=cell.delay or 0,
        gated=tuple(sorted(gated)),
        convolved=None if cell.convolved is None else channel_of(program, cell.convolved),
        filter="" if cell.taps is None else _in_words(cell),
        masked=_differs(cell.gate_bias) or _differs(cell.conv_bias),
        read=read,
    )


def _role(cell: Cell) -> Role:
    if cell.convolved is not None and cell.gate:
        return "product"
    if cell.convolved is not None:
        kept = cell.taps is not None and cell.taps.identity and _is_one(cell.gate_bias)
        same = cell.delay == cell.convolved.delay
        return "carried" if kept and same and cell.conv_bias == 0 else "filter"
    if not cell.gate:
        return "constant"
    one = len(cell.gate) == 1 and cell.weights == (1,) and _is_one(cell.conv_bias)
    return "copied" if one and cell.gate_bias == 0 else "sum"


def _is_one(number: RowNumber) -> bool:
    return not isinstance(number, Rows) and number == 1


def _differs(number: RowNumber) -> bool:
    return isinstance(number, Rows) and not number.uniform


def _in_words(cell: Cell) -> str:
    """The filter that the layer holds: the delay it adds is part of it."""
    assert cell.taps is not None and cell.convolved is not None
    return repr(cell.taps.shifted(_delay(cell) - _delay(cell.convolved)))


def _delay(value: Value) -> int:
    return value.delay or 0
