"""The frontier: every way is measured, the best ones are not beaten, bounds hold."""

from __future__ import annotations

import pytest

from bestiary.circuits.tracing import traced
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.frontier import floor_of, frontier
from bestiary.compile.report import measure


def horner(a, x):
    value = a[0]
    for coefficient in a[1:]:
        value = value * x + coefficient
    return value


@pytest.fixture(scope="module")
def ways():
    return frontier(traced(horner, {"a": 5}))


def test_ways_are_sorted_and_the_best_are_those_that_none_beats(ways):
    assert [way.costs for way in ways] == sorted(way.costs for way in ways)
    for way in ways:
        beaten = any(
            other is not way and all(a <= b for a, b in zip(other.costs, way.costs, strict=True))
            for other in ways
        )
        assert way.best == (not beaten)


def test_every_way_is_within_its_bound(ways):
    assert {way.name.split(",")[0] for way in ways} == {"wide", "narrow"}
    for way in ways:
        if way.bound is not None:
            assert way.bound.holds(way.layers, way.inner_rows, way.channels)


def test_layers_never_go_below_the_floor(ways):
    # Degree 5: a coefficient times x^4.
    assert floor_of(traced(horner, {"a": 5})) == 3
    assert min(way.layers for way in ways) >= 3


def test_the_way_that_auto_takes_is_marked(ways):
    (marked,) = [way for way in ways if way.auto]
    chosen = measure(compile_circuit(traced(horner, {"a": 5}), layout="auto"))
    assert (marked.layers, marked.channels) == (chosen.layers, chosen.width)
    assert marked.nonzeros == chosen.parameters.nonzero
    assert marked.layers == min(way.layers for way in ways)


def test_expansions_are_ways_of_their_own_and_never_deeper():
    def sums(a, b):
        for _ in range(3):
            a, b = (a + b) * (a - b), (a + 2 * b) * (3 * a - b)
        return a

    found = frontier(traced(sums, {}))
    plain = next(way for way in found if way.name == "wide")
    wide = next(way for way in found if way.name.startswith("wide, expanded"))
    assert wide.layers < plain.layers
    assert wide.channels > plain.channels
    assert plain.bound is not None
    assert wide.bound is None


def test_linear_circuits_have_no_floor():
    assert floor_of(traced(lambda x, y: x - 2 * y, {})) is None


def test_each_way_is_told_before_it_is_compiled():
    told = []
    frontier(traced(lambda x, y: x * y, {}), told.append)
    assert told[0] == "wide"
    # Wide as it is and expanded by three factors; narrow with three radices in two modes.
    assert len(told) == 1 + 3 + 6
