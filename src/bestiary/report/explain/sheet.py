"""All that is drawn: for each layer its lines, a sentence, and the numbers of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.allocate import channel_of
from bestiary.compile.compiling import Compiled
from bestiary.compile.emit import layers_of
from bestiary.compile.extent import needed
from bestiary.compile.layout import Place
from bestiary.compile.trace import Trace, TracedLayer, trace
from bestiary.errors import counted
from bestiary.report.explain.lines import UNNAMED, Line, chosen, order, same_values
from bestiary.report.explain.words import distance_of, formula, group_of, layer_sentence
from bestiary.runs.explained import Explained
from bestiary.solvers.working import Working

MOST_NUMBERS = 2_000_000
"""Of both sides of all layers together: a page of some 11 MB where nothing repeats, mostly less."""
MOST_ROWS, MOST_STEPS, LEAST_LINES = 128, 1000, 8

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """A layer, the input or the head.

    gate, convolution: (lines, rows), None for the input and the head. product: (lines, rows).
    number: of the layer, 0 for the input and the head. left_out: lines that are not here. sizes: of
    the groups that are not whole, how many lines they have.
    """

    title: str
    sentence: str
    lines: tuple[Line, ...]
    product: Array
    gate: Array | None = None
    convolution: Array | None = None
    number: int = 0
    left_out: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """What is drawn of one input.

    rows: which are shown, ascending. steps: the input, the layers, and the head where there is one.
    left_out: what is not here, in sentences.
    """

    subject: Explained
    rows: tuple[int, ...]
    steps: tuple[Step, ...]
    left_out: tuple[str, ...]


def sheet_of(subject: Explained, most_numbers: int = MOST_NUMBERS) -> Sheet:
    """Trace an input, or take the steps that were told, and choose what is shown of it."""
    compiled = subject.compiled
    traced = subject.workings if compiled is None else trace(compiled, subject.inputs)
    every = range(len(subject.tokens)) if compiled is None else _all_rows(compiled)
    rows = _chosen_rows(subject, every)
    count = min(len(traced), MOST_STEPS)
    most_lines = max(LEAST_LINES, most_numbers // (2 * len(rows) * count))
    if isinstance(traced, Trace):
        steps = _steps(subject, traced, rows, most_lines, count)
    else:
        steps = _told(subject, traced[:count], rows, most_lines)
    left_out = []
    if len(rows) < len(every):
        left_out.append(f"{len(every) - len(rows)} of {len(every)} rows")
    if count < len(traced):
        left_out.append(f"layers {count} to {len(traced) - 1}")
    fewer = [step for step in steps if step.left_out]
    if fewer:
        lost = sum(step.left_out for step in fewer)
        left_out.append(f"{counted(lost, 'channel')} in {counted(len(fewer), 'layer')}")
    if subject.answers is not None and count == len(traced):
        steps.append(_head(subject, rows))
    return Sheet(subject, tuple(rows), tuple(steps), tuple(left_out))


def _all_rows(compiled: Compiled) -> range:
    """From 0 to the last row of the program, or as far as values are needed, up to twice that."""
    placed, given = compiled.placed, compiled.source.rows
    if placed.ring is not None:
        return range(placed.ring)
    stop = max((rows[1] for rows in needed(placed).values()), default=given)
    return range(int(min(max(given, stop), 2 * given)))


def _chosen_rows(subject: Explained, every: Sequence[int]) -> list[int]:
    """The first rows that fit, after those that a query is answered from."""
    if len(every) <= MOST_ROWS:
        return list(every)
    asked = [row for q in subject.queries for row in (q.row, q.key, q.value) if row is not None]
    return sorted(list(dict.fromkeys([*asked, *every]))[:MOST_ROWS])


def _steps(
    subject: Explained, traced: Trace, rows: Sequence[int], most: int, count: int
) -> list[Step]:
    program = traced.compiled.placed
    asked = _distances(subject)
    cells = layers_of(program)
    steps = []
    for layer in traced:
        if layer.number == count:
            break
        how = {}
        if layer.number:
            made = cells[layer.number - 1]
            how = {channel_of(program, cell): formula(program, cell) for cell in made}
        named = [_line(place, how.get(place.channel, ""), asked) for place in layer.places]
        steps.append(_step(layer, named, rows, most))
    return steps


def _line(place: Place, how: str, asked: set[int | None]) -> Line:
    distance = distance_of(place.name)
    unnamed = place.name == "·"
    return Line(
        name=f"channel {place.channel}" if unnamed else place.name,
        group=UNNAMED if unnamed else group_of(place.name),
        channel=place.channel,
        role=place.role,
        delay=place.delay,
        how=how or "given",
        distance=distance,
        matters=place.read if distance is None else distance in asked,
    )


def _distances(subject: Explained) -> set[int | None]:
    """How many rows above their questions the keys stand."""
    return {query.distance for query in subject.queries} - {None}


def _step(layer: TracedLayer, lines: Sequence[Line], rows: Sequence[int], most: int) -> Step:
    fitted = _fitted(lines, layer.at(rows)[0], most)
    places = [layer.places[number] for number in fitted.numbers]
    one_side = layer.gate is None
    return fitted.step(
        title=f"layer {layer.number}" if layer.number else "input",
        sentence=layer_sentence(fitted.every) if layer.number else _given(fitted.every),
        product=layer.at(rows, "product", places)[0].T,
        gate=None if one_side else layer.at(rows, "gate", places)[0].T,
        convolution=None if one_side else layer.at(rows, "convolution", places)[0].T,
        number=layer.number,
    )


def _told(
    subject: Explained, workings: Sequence[Working], rows: Sequence[int], most: int
) -> list[Step]:
    """The steps of a model that tells them itself."""
    asked, before = _distances(subject), set[tuple[str, bytes]]()
    steps = []
    for working in workings:
        numbers = np.asarray(working.numbers, dtype=np.float64)
        held = [(name, numbers[:, k].tobytes()) for k, name in enumerate(working.names)]
        lines = []
        for channel, (name, _) in enumerate(held):
            distance = distance_of(name)
            lines.append(
                Line(
                    name=name,
                    group=group_of(name),
                    channel=channel,
                    role="carried" if held[channel] in before else "computed",
                    delay=0,
                    how=working.how.get(group_of(name), "given"),
                    distance=distance,
                    matters=distance is None or distance in asked,
                )
            )
        before |= set(held)
        product = numbers[list(rows)]
        fitted = _fitted(lines, product, most)
        steps.append(fitted.step(working.title, working.sentence, product[:, fitted.numbers].T))
    return steps


@dataclass(frozen=True)
class _Fitted:
    """The lines of a step that are shown, and which of the given ones they are.

    every: all lines in order, those of one name and equal numbers once.
    """

    every: tuple[Line, ...]
    lines: tuple[Line, ...]
    numbers: list[int]

    def step(
        self,
        title: str,
        sentence: str,
        product: Array,
        gate: Array | None = None,
        convolution: Array | None = None,
        number: int = 0,
    ) -> Step:
        """The step of these lines, with what is not shown counted."""
        sizes = Counter(line.group for line in self.every)
        here = Counter(line.group for line in self.lines)
        return Step(
            title,
            sentence,
            self.lines,
            product,
            gate,
            convolution,
            number,
            left_out=len(self.every) - len(self.lines),
            sizes={group: size for group, size in sizes.items() if here[group] < size},
        )


def _fitted(lines: Sequence[Line], product: Array, most: int) -> _Fitted:
    """At most so many of the lines; product: (rows, lines)."""
    groups = same_values(lines, product)
    ones = [replace(lines[same[0]], copies=len(same)) for same in groups]
    first = np.array([same[0] for same in groups], dtype=np.int64)
    ordered = order(ones)
    ones, first = [ones[i] for i in ordered], first[ordered]
    picked = chosen(ones, product[:, first], most)
    return _Fitted(tuple(ones), tuple(ones[i] for i in picked), first[picked].tolist())


def _given(lines: Sequence[Line]) -> str:
    groups = list(dict.fromkeys(line.group for line in lines))
    return f"What the first layer is given: {', '.join(groups)} ({counted(len(lines), 'channel')})."


def _head(subject: Explained, rows: Sequence[int]) -> Step:
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
