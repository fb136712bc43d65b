from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest

from bestiary.compile import (
    Program,
    Rows,
    Value,
    concat,
    constant_array,
    conv,
    input_array,
    interpret,
    linear,
    read,
    shift,
)
from bestiary.compile.simplify import simplify

ROWS = 5


def simplified(value: Value, *inputs: Value, mode: str = "causal") -> list[str]:
    """The operations left, checked to mean the same exactly."""
    ring = ROWS + 1 if mode == "circular" else None
    program = Program(inputs, value, rows=ROWS, mode=mode, ring=ring)  # type: ignore[arg-type]
    done = simplify(program)
    x = np.random.default_rng(0).integers(-4, 5, size=(3, ROWS, program.width))
    before, after = (interpret(p, x, exactly=True) for p in (program, done))
    assert np.array_equal(before, after)
    return [v.operation for v in done if v.operation != "input"]


@pytest.fixture
def u() -> Value:
    return input_array("u", 2)


def test_linear_maps_after_each_other_are_one(u: Value) -> None:
    first = linear(u, [[1, 2, 3], [0, 1, 0]], bias=Rows.of(np.ones((ROWS, 3))))
    second = linear(first, [[1, 0], [2, 1], [0, 5]], bias=[1, -1])
    assert simplified(second, u) == ["linear"]


def test_a_linear_map_that_others_use_too_is_kept(u: Value) -> None:
    first = linear(u, [[1, 2], [0, 1]])
    assert simplified(first * linear(first, [[1, 1], [2, 0]]), u) == ["linear", "linear", "mul"]


@pytest.mark.parametrize("mode", ["causal", "circular"])
def test_filters_and_shifts_after_each_other_are_one(u: Value, mode: str) -> None:
    assert simplified(conv({-1: 2, 1: [1, 3]}, shift(conv({2: 1}, u), -3)), u, mode=mode) == [
        "conv"
    ]


def test_filters_of_one_value_are_added_up_with_the_value_itself(u: Value) -> None:
    assert simplified(u + conv({1: 2}, u) + shift(u, -1), u) == ["conv"]
    assert simplified(u + u + u, u) == ["rowscale"]
    assert simplified(shift(u, 1) - shift(u, 1), u) == ["constant"]


def test_scales_after_each_other_are_one_and_ones_are_none(u: Value) -> None:
    assert simplified(u * 2 * Rows.window(1, 3) * [1, -1], u) == ["rowscale"]
    assert simplified(-(u * -1), u) == []


def test_constants_are_computed(u: Value) -> None:
    c = constant_array(Rows.of(np.arange(4.0)), 2)
    filtered = conv({0: 1, 1: 2}, linear(c * 3, [[1, 0], [1, 1]], bias=[0, 2]))
    assert simplified(u * filtered, u) == ["rowscale"]
    assert simplified(u + filtered + c, u) == ["constant", "add"]
    assert simplified(u + c - c, u) == []


def test_equal_values_are_shared(u: Value) -> None:
    a, b = conv({1: 2}, u), conv({1: 2}, u)
    assert simplified(a * b, u) == ["conv", "mul"]
    assert simplified(concat([u * 3, u * 3]), u) == ["rowscale", "concat"]


def test_what_is_zero_wherever_it_is_needed_is_gone(u: Value) -> None:
    product = (u * Rows.window(0, 2)) * (u * Rows.window(3, 5))
    assert simplified(u + product, u) == []


def test_reading_back_what_was_put_side_by_side_is_nothing(u: Value) -> None:
    v = input_array("v", 3)
    assert simplified(read(concat([u, v]), [2, 3, 4]), u, v) == []
    assert simplified(concat([u, v])[[4, 0]], u, v) == ["concat", "read"]
    assert simplified(read(concat([u, v])[[4, 3]], [1]), u, v) == ["read"]


def test_fractions_stay_exact() -> None:
    u = input_array("u", 1)
    third = np.array([[Fraction(1, 3)]], dtype=object)
    program = simplify(Program((u,), linear(linear(u, third), third), rows=1))
    assert interpret(program, np.array([[9]]), exactly=True)[0, 0] == 1
    assert interpret(program, np.array([[1]]), exactly=True)[0, 0] == Fraction(1, 9)


def test_a_named_result_keeps_its_name(u: Value) -> None:
    program = Program((u,), linear(linear(u, [[1], [2]]), [[3]], name="score"), rows=2)
    assert simplify(program).output.name == "score"


def test_long_chains_of_sums_are_one_sum(u: Value) -> None:
    # A chain that is added up link by link takes time and memory with its square.
    value, links = u, 3000
    for by in range(links):
        value = value + conv({by % 3: 1 + by}, u)
    started = time.perf_counter()
    assert simplified(value, u) == ["conv"]
    assert time.perf_counter() - started < 10
