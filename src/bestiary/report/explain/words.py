"""What a channel and a layer do, in words, from the cells and their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bestiary.compile.allocate import channel_of
from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.expression import Read, Value
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps
from bestiary.errors import counted
from bestiary.report.explain.lines import UNNAMED, Line

MOST_TERMS = 3
"""Terms of a sum that are written out."""
MOST_GROUPS = 4
"""Groups that a sentence names."""

CHANNEL = re.compile(r"\.[\d·]+$")
DISTANCE = re.compile(r" −(\d+)( of \d+)?$")


def group_of(name: str) -> str:
    """What the names of channels that belong together have in common.

    ``value −3.0`` is of ``value``: the channel is left out, and how many rows above.
    """
    return DISTANCE.sub("", CHANNEL.sub("", name))


def distance_of(name: str) -> int | None:
    """How many rows above a channel looks, where its name says so: 3 for ``value −3.0``."""
    found = DISTANCE.search(CHANNEL.sub("", name))
    return int(found[1]) if found else None


def meaning_of(group: str, meanings: Mapping[str, str]) -> str:
    """What a group is: found by its name, or by the last word of it that is no number.

    So ``order`` says what ``sort 3 order`` is, and ``sort`` what ``sort 3`` is; what comes late is
    what it was.
    """
    words = group.removesuffix(" late").split()
    while words and words[-1].isdecimal():
        words.pop()
    return meanings.get(group) or (meanings.get(words[-1], "") if words else "")


def sides(program: Program, cell: Cell) -> tuple[str, str]:
    """The gate side and the convolution side of a cell as formulas, rows as the program counts."""
    gate = [
        _times(weight, name_of(program, wire))
        for wire, weight in zip(cell.gate, cell.weights, strict=True)
    ]
    convolved = [] if cell.convolved is None else _filtered(program, cell)
    return _sum(gate, cell.gate_bias), _sum(convolved, cell.conv_bias)


def formula(program: Program, cell: Cell) -> str:
    """What a cell computes: ``(0.5·code.0) × (code.0 of 9 rows above)``; a factor of 1 left out."""
    gate, convolution = sides(program, cell)
    if convolution == "1":
        return gate
    if gate == "1":
        return convolution
    return f"({gate}) × ({convolution})"


def name_of(program: Program, wire: Value) -> str:
    """The name of a wire, or the channel where it lies."""
    if isinstance(wire, Read):
        return wire.x.channel_names()[wire.picked[0]]
    return wire.name or f"channel {channel_of(program, wire)}"


def layer_sentence(lines: Sequence[Line]) -> str:
    """What a layer does, in one sentence: what it makes, with examples, and what it keeps."""
    made: dict[str, list[Line]] = {}
    for line in lines:
        if not line.kept:
            made.setdefault(line.group, []).append(line)
    kept = list(dict.fromkeys(x.group for x in lines if x.kept and x.group not in made))
    parts = [_made(group, made[group]) for group in list(made)[:MOST_GROUPS]]
    if len(made) > MOST_GROUPS:
        parts.append(f"{len(made) - MOST_GROUPS} other groups")
    told = f"Makes {_listed(parts)}" if parts else "Makes nothing new"
    if kept:
        names = kept[:MOST_GROUPS] + (["others"] if len(kept) > MOST_GROUPS else [])
        told += f"; keeps {_listed(names)}"
    return f"{told}."


def _made(group: str, lines: Sequence[Line]) -> str:
    count = sum(line.copies for line in lines)
    # The one that matters most says most: a match at the distance that was asked for.
    example = max(lines, key=lambda line: line.matters)
    told = example.how if group == UNNAMED else f"{example.name} = {example.how}"
    if count == 1:
        return told
    what = "channels without a name" if group == UNNAMED else group
    return f"{what} ({counted(count, 'channel')}), such as {told}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _filtered(program: Program, cell: Cell) -> list[str]:
    assert cell.convolved is not None and cell.taps is not None
    taps, name = cell.taps, name_of(program, cell.convolved)
    if len(taps.powers) > MOST_TERMS:
        return [f"a filter of {counted(len(taps.powers), 'tap')} over {name}"]
    return [
        _times(value, name + _moved(power))
        for power, value in zip(taps.powers.tolist(), _values(taps), strict=True)
    ]


def _values(taps: Taps) -> list[float]:
    return [float(value) for value in taps.values.reshape(len(taps.powers), -1)[:, 0]]


def _moved(power: int) -> str:
    if power == 0:
        return ""
    return f" of {counted(abs(power), 'row')} {'above' if power > 0 else 'below'}"


def _times(weight: object, name: str) -> str:
    number = float(weight)  # type: ignore[arg-type]
    if number == 1:
        return name
    return f"−{name}" if number == -1 else f"{_digits(number)}·{name}"


def _sum(terms: Sequence[str], bias: RowNumber) -> str:
    shown = list(terms)
    if len(shown) > MOST_TERMS:
        shown = [*shown[: MOST_TERMS - 1], f"{len(shown) - MOST_TERMS + 1} more"]
    if isinstance(bias, Rows) and not bias.uniform:
        shown.append("a number for each row")
    else:
        number = float(bias.outside) if isinstance(bias, Rows) else float(bias)
        if number or not shown:
            shown.append(_digits(number))
    return " + ".join(shown).replace("+ −", "− ")


def _digits(number: float) -> str:
    return f"{number:.4g}".replace("-", "−")
