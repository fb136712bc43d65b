from __future__ import annotations

import numpy as np
import pytest

from bestiary.compile import Program, Rows, Value, conv, input_array, linear
from bestiary.compile.cell import Cell
from bestiary.compile.retime import retime
from bestiary.compile.schedule import schedule


def layers(value: Value, *inputs: Value, rows: int = 4) -> int:
    program = schedule(retime(Program(inputs, value, rows=rows)))
    return max((v.layer or 0 for v in program if isinstance(v, Cell)), default=0)


@pytest.fixture
def u() -> Value:
    return input_array("u", 3)


def test_factors_that_are_sums_are_gathered_a_layer_before_and_a_sum_is_one_after(u: Value) -> None:
    squares = u * u
    # Each square is made in its own channel, the sum by the next layer.
    assert layers(squares[0] + squares[1], u) == 2
    # 2D + 1 (docs/theory.md, 'Depth'): one factor is gathered, then the product, then the sum.
    both = (u @ [[1], [1], [0]]) * (u @ [[1], [-1], [0]])
    assert layers(both + squares[2], u) == 3


def test_linear_steps_scales_and_filters_around_a_product_ride_with_it(u: Value) -> None:
    gate = linear(linear(u, np.ones((3, 3))), np.ones((3, 3)), bias=1)
    assert layers(gate * conv({0: 1, 2: 5}, u), u) == 1


def test_a_row_scale_rides_with_a_sum_or_a_filter_but_not_with_a_product(u: Value) -> None:
    mask = Rows.window(1, 3)
    assert layers(linear(u, np.ones((3, 3))) * mask, u) == 1
    assert layers(conv({1: 1}, u) * mask, u) == 1
    assert layers(u * conv({1: 1}, u) * mask, u) == 2


def test_of_two_orders_the_earlier_is_taken(u: Value) -> None:
    many = linear(u, np.ones((3, 1)))
    assert layers(many * u[0], u) == 1
    assert layers(u[0] * many, u) == 1
    assert layers(many * linear(u, [[1], [2], [3]]), u) == 2


def test_a_second_filter_of_what_was_given_waits_for_a_copy(u: Value) -> None:
    x = u[0]
    assert layers(conv({1: 1}, x) * x, u) == 1
    filtered = [conv({i: 1}, x).named(f"f{i}") for i in (1, 2)]
    assert layers(filtered[0] + filtered[1], u) == 3


def test_a_sum_can_lie_twice_at_once_so_two_filters_of_it_do_not_wait(u: Value) -> None:
    gathered = linear(u, [[1], [1], [1]])
    both = conv({1: 1}, gathered) + conv({2: 3}, gathered) * Rows.window(0, 2)
    assert layers(both, u) == 3


def test_repeated_squaring_takes_one_layer_each() -> None:
    x = input_array("x", 1)
    y = x
    for _ in range(5):
        y = y * y
    assert layers(y, x) == 5
