"""The steps at both ends: what the first layer is given, what comes out, what the head makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.allocate import channel_of
from bestiary.compile.compiling import Compiled
from bestiary.compile.emit import outputs
from bestiary.compile.layout import Place
from bestiary.compile.trace import TracedLayer
from bestiary.report.explain.lines import Line
from bestiary.report.explain.step import Step
from bestiary.report.explain.words import group_of, groups_sentence, numbers_sentence
from bestiary.runs.explained import Explained, Names

GIVEN, MADE = "What the first layer is given", "What comes out"

Array = NDArray[np.float64]


def given_sentence(subject: Explained, lines: Sequence[Line]) -> str:
    """What goes in, number by number where each has a name, else channel by channel."""
    compiled = subject.compiled
    if compiled is None:
        return groups_sentence(GIVEN, lines)
    names = subject.input_names
    if not names and compiled.source.rows == 1:
        labels = [name for value in compiled.placed.inputs for name in value.channel_names()]
        names = (tuple(labels),)
    if not names:
        return groups_sentence(GIVEN, lines)
    return numbers_sentence(GIVEN, _pairs(names, subject.inputs))


def output_step(subject: Explained, last: TracedLayer, rows: Sequence[int], most: int) -> Step:
    """All outputs together, the delays of their channels undone. most: lines at most."""
    compiled = subject.compiled
    assert compiled is not None
    placed = compiled.placed
    places, labels = _output_places(compiled, last), placed.output.channel_names()
    if subject.output_names:
        # The last depth says nothing; each number has a name of its own.
        labels = tuple(f"output.{k}" for k in range(len(places))) if places[1:] else ("output",)
    first, stop = placed.window
    product = last.at(rows, places=places[:most])[0].T
    product[:, [not first <= row < stop for row in rows]] = np.nan
    lines = [
        Line(
            name,
            group_of(name),
            place.channel,
            "output",
            place.delay,
            f"{place.name} of the last layer" if place.name not in (name, "·") else "the output",
            matters=True,
        )
        for name, place in zip(labels, places, strict=True)
    ]
    names = subject.output_names
    if not names and stop - first == 1:
        names = (tuple(labels),)
    held = last.at(range(first, first + len(names)), places=places)[0]
    sentence = (
        numbers_sentence(MADE, _pairs(names, held)) if names else groups_sentence(MADE, lines)
    )
    return Step(
        "output",
        sentence,
        tuple(lines[:most]),
        product,
        left_out=max(0, len(lines) - most),
        cells=cells_of(subject.output_names, range(min(most, len(lines))), rows),
    )


def _output_places(compiled: Compiled, last: TracedLayer) -> list[Place]:
    held = {place.channel: place for place in last.places}
    return [held[channel_of(compiled.placed, wire)] for wire in outputs(compiled.placed)]


def _pairs(names: Names, numbers: Array) -> Iterator[tuple[str, float]]:
    """The names of single numbers and what they are."""
    for row, held in zip(names, numbers.tolist(), strict=False):
        yield from ((name, number) for name, number in zip(row, held, strict=True) if name)


def cells_of(names: Names, channels: Sequence[int], rows: Sequence[int]) -> Names:
    """The names of single numbers by line and row; nothing where channels' names say all."""
    if not names:
        return ()
    return tuple(
        tuple(names[row][channel] if row < len(names) else "" for row in rows)
        for channel in channels
    )


def head_step(subject: Explained, rows: Sequence[int]) -> Step:
    """What the head makes of the output."""
    answers = subject.answers
    assert answers is not None
    bits = answers.shape[1]
    lines = tuple(
        Line(f"bit.{k}", "answer", k, "sum", 0, "the sum of this bit over the output", matters=True)
        for k in range(bits)
    )
    product = np.full((bits, len(rows)), np.nan)
    inside = [i for i, row in enumerate(rows) if row < len(answers)]
    product[:, inside] = answers[[rows[i] for i in inside]].T
    return Step(
        "head",
        "Adds up the output bit by bit: the token whose bits these are is said.",
        lines,
        product,
    )
