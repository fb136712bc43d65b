"""The plot of the ways to compile a circuit: one floor, ticks at powers of two, the best on top."""

from __future__ import annotations

from math import log2

import pytest

from bestiary.compile.from_circuit.frontier import Way
from bestiary.report.frontier_report import chart

WAYS = [
    Way("wide, balanced", 4, 16, 1, 45, None, best=True, auto=True),
    Way("wide", 8, 16, 1, 121, None),
    Way("narrow, d 1, radix 2, ring", 368, 4, 16, 12_771, None, best=True),
    Way("narrow, d 1, radix 2", 355, 4, 701, 100_777, None, best=True),
]


def axes(spec):
    return next(layer["encoding"] for layer in spec["layer"] if "color" in layer["encoding"])


def test_every_way_is_a_point_of_its_layout_and_the_best_are_drawn_last():
    points = chart(WAYS, "decay", 3).rows
    assert [(p["layout"], p["best"], p["told"]) for p in points] == [
        ("wide", "beaten", ""),
        ("wide", "not beaten", "auto"),
        ("narrow, ring", "not beaten", ""),
        ("narrow", "not beaten", ""),
    ]


def test_the_axes_hold_all_points_and_the_floor_between_powers_of_two():
    spec = chart(WAYS, "decay", 3).spec
    for name, values in (("x", [3, 4, 368]), ("y", [4, 16])):
        axis = axes(spec)[name]
        low, high = axis["scale"]["domain"]
        assert low <= min(values) < 2 * low
        assert high / 2 < max(values) <= high
        assert all(log2(tick).is_integer() for tick in axis["axis"]["values"])
        assert len(axis["axis"]["values"]) <= 9


@pytest.mark.parametrize("floor", [None, 3])
def test_a_floor_is_drawn_once_where_there_is_one(floor):
    layers = chart(WAYS, "decay", floor).spec["layer"]
    rules = [layer for layer in layers if layer["mark"]["type"] == "rule"]
    assert len(rules) == (floor is not None)
    # An aggregate of all points, and so a single mark.
    assert all(rule["encoding"]["x"]["aggregate"] == "min" for rule in rules)


def test_one_way_alone_has_axes_of_some_length():
    spec = chart(WAYS[:1], "decay", None).spec
    for name in ("x", "y"):
        low, high = axes(spec)[name]["scale"]["domain"]
        assert low < high
