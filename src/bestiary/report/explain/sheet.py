"""All that is drawn: for each layer its lines, a sentence, and the numbers of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestiary.compile.allocate import channel_of
from bestiary.compile.compiling import Compiled
from bestiary.compile.emit import layers_of
from bestiary.compile.extent import needed
from bestiary.compile.layout import Place
from bestiary.compile.trace import Trace, TracedLayer, trace
from bestiary.errors import counted
from bestiary.report.explain.ends import cells_of, given_sentence, head_step, output_step
from bestiary.report.explain.lines import UNNAMED, Line, chosen, order, same_values
from bestiary.report.explain.step import Array, Sheet, Step
from bestiary.report.explain.words import distance_of, formula, group_of, layer_sentence
from bestiary.runs.explained import Explained
from bestiary.solvers.working import Working

MOST_NUMBERS = 2_000_000
"""Of both sides of all layers together: a page of some 11 MB where nothing repeats, mostly less."""
MOST_ROWS, MOST_STEPS, LEAST_LINES = 128, 1000, 8


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
    if subject.answers is not None and count == len(traced):
        steps.append(head_step(subject, rows))
    left_out = []
    if len(rows) < len(every):
        left_out.append(f"{len(every) - len(rows)} of {len(every)} rows")
    if count < len(traced):
        left_out.append(f"layers {count} to {len(traced) - 1}")
    fewer = [step for step in steps if step.left_out]
    if fewer:
        lost = sum(step.left_out for step in fewer)
        left_out.append(f"{counted(lost, 'channel')} in {counted(len(fewer), 'layer')}")
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
        steps.append(_step(subject, layer, named, rows, most))
        if subject.answers is None and layer.number == len(traced) - 1:
            steps.append(output_step(subject, layer, rows, most))
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


def _step(
    subject: Explained, layer: TracedLayer, lines: Sequence[Line], rows: Sequence[int], most: int
) -> Step:
    held = layer.at(rows)[0]
    fitted = _fitted(lines, held, most)
    places = [layer.places[number] for number in fitted.numbers]
    too_large = _too_large(layer, rows, held)
    if layer.number:
        sentence = layer_sentence(fitted.every)
        if too_large:
            sentence += f" Too large for float64 in {counted(too_large, 'channel')}."
    else:
        sentence = given_sentence(subject, fitted.every)
    step = fitted.step(
        title=f"layer {layer.number}" if layer.number else "input",
        sentence=sentence,
        product=layer.at(rows, "product", places)[0].T,
        gate=None if layer.gate is None else layer.at(rows, "gate", places)[0].T,
        convolution=None if layer.gate is None else layer.at(rows, "convolution", places)[0].T,
        number=layer.number,
    )
    names = () if layer.number else subject.input_names
    cells = cells_of(names, [place.channel for place in places], rows)
    return replace(step, cells=cells, too_large=too_large)


def _too_large(layer: TracedLayer, rows: Sequence[int], held: Array) -> int:
    """Channels with numbers that are not finite; held: (rows, places) as ``at`` gives them."""
    if np.isfinite(held).all():
        return 0
    # Where there is no row, there is no number either; that is in order.
    there = layer.at(rows, missing=0.0)[0]
    return int((~np.isfinite(there)).any(axis=0).sum())


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
