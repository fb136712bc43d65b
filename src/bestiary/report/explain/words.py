"""What a channel and a layer do, in words, from the cells and their names."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from bestiary.compile.allocate import channel_of
from bestiary.compile.cell import Cell, RowNumber
from bestiary.compile.expression import Read, Value
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps
from bestiary.errors import counted
from bestiary.report.explain.lines import Line

MOST_TERMS = 3
"""Terms of a sum that are written out."""
LETTERS = 100
"""About how long a list in a sentence may be; the page has the rest."""
FIRST = 120
"""Of its first part, with what it is made from; a longer one is named alone."""

CHANNEL = re.compile(r"\.[\d·]+$")
DISTANCE = re.compile(r" −(\d+)( of \d+)?$")
PLACE = re.compile(r" to \d+, \d+(?=( moved)?$)")
"""Of a level of routing: rows and channels of which place it writes to."""


def group_of(name: str) -> str:
    """What the names of channels that belong together have in common.

    ``value −3.0`` is of ``value``: the channel is left out, and how many rows above; ``left 2 to 4,
    0 moved`` is of ``left 2 moved``: the place that it is on its way to is left out.
    """
    return PLACE.sub("", DISTANCE.sub("", CHANNEL.sub("", name)))


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
    return _scaled(program, cell) or f"({gate}) × ({convolution})"


def _scaled(program: Program, cell: Cell) -> str:
    """A number times one row of a wire; "" for cells that are more."""
    if cell.gate or cell.convolved is None or cell.taps is None or len(cell.taps.powers) > 1:
        return ""
    factor, added = _number(cell.gate_bias), _number(cell.conv_bias)
    if factor is None or added != 0:
        return ""
    name = name_of(program, cell.convolved) + _moved(int(cell.taps.powers[0]))
    return _times(factor * _values(cell.taps)[0], name)


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
    parts = [_made(group, made[group]) for group in made]
    told = f"Makes {_fitting(parts)}" if parts else "Makes nothing new"
    if kept:
        told += f"; keeps {_fitting([(name, name) for name in kept], LETTERS // 2)}"
    return f"{told}."


def groups_sentence(what: str, lines: Sequence[Line]) -> str:
    """``what`` and the groups of its channels."""
    groups = list(dict.fromkeys(line.group for line in lines))
    told = _fitting([(group, group) for group in groups])
    return f"{what}: {told} ({counted(len(lines), 'channel')})."


def numbers_sentence(what: str, named: Iterable[tuple[str, float]]) -> str:
    """``what`` and single numbers by their names: ``a[0] = 1, a[1] = 0.5 and 7 more``."""
    told = [f"{name} = {_digits(number)}" for name, number in named]
    return f"{what}: {_fitting([(text, text) for text in told])}."


def _made(group: str, lines: Sequence[Line]) -> tuple[str, str]:
    """What is made, with an example and without."""
    count = sum(line.copies for line in lines)
    # The one that matters most says most: a match at the distance that was asked for.
    example = max(lines, key=lambda line: line.matters)
    how = textwrap.shorten(example.how, LETTERS, placeholder=" …")
    told = f"{example.name} = {how}"
    if count == 1:
        return told, example.name
    short = f"{group} ({counted(count, 'channel')})"
    return f"{short}, such as {told}", short


def _fitting(parts: Sequence[tuple[str, str]], letters: int = LETTERS) -> str:
    """The first whole, others whole or short, as long as they fit; how many more there are.

    A whole that is more than its name is a formula: what follows it comes after a semicolon, since
    after a comma it would be read as part of it.
    """
    stretches: list[list[str]] = [[]]
    count = length = 0
    for whole, short in parts:
        fits = length + len(whole) <= (letters if count else FIRST)
        text = whole if fits else short
        # One that is left over is named: that it is one says no less than the name.
        if count and length + len(text) > letters and count + 1 < len(parts):
            break
        stretches[-1].append(text)
        count += 1
        length += len(text) + 2
        if text != short:
            stretches.append([])
    if count < len(parts):
        stretches[-1].append(f"{len(parts) - count} more")
    told = [_listed(stretch) for stretch in stretches if stretch]
    return "; ".join([*told[:-2], "; also ".join(told[-2:])])


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
    number = _number(bias)
    if number is None:
        shown.append("a number for each row")
    elif number or not shown:
        shown.append(_digits(number))
    return " + ".join(shown).replace("+ −", "− ")


def _number(bias: RowNumber) -> float | None:
    """The one number of all rows, None where they differ."""
    if not isinstance(bias, Rows):
        return float(bias)
    return float(bias.outside) if bias.uniform else None


def _digits(number: float) -> str:
    return f"{number:.4g}".replace("-", "−")
