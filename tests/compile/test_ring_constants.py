from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bestiary.compile import Program, Rows, compile_program, constant_array, conv, input_array
from bestiary.compile.fusion import filtered_number
from bestiary.compile.taps import Taps


@pytest.mark.parametrize("powers", [{0: 2, 3: 1}, {-2: 3, 5: -1, 9: 1}])
def test_a_filter_goes_around_the_ring_over_constants_too(powers: dict[int, int]) -> None:
    column = np.array([1, 2, 0, 5, 0, 0])
    expected = [sum(h * column[(t - s) % 6] for s, h in powers.items()) for t in range(6)]
    found = filtered_number(Taps.at(powers), Rows.of(column[:4]), 6)
    assert isinstance(found, Rows)
    assert found.at(0, 6).tolist() == expected


def test_a_filtered_constant_of_a_ring_takes_no_layer() -> None:
    u = input_array("u", 1)
    constant = constant_array(Rows.of([[1], [2]]), 1)
    program = Program((u,), u + conv({2: 1}, constant), rows=3, mode="circular", ring=3)
    made = compile_program(program)
    assert len(made.stack.layers) == 1


def test_exact_constants_go_around_the_ring_as_arrays() -> None:
    # An exact array without axes must stay one: numpy makes a number of what it computes.
    column = np.array([Fraction(1, 3), Fraction(2, 3)], dtype=object)
    found = filtered_number(Taps.at({2: 3}), Rows.of(column), 3)
    assert isinstance(found, Rows)
    assert found.outside.shape == ()
    assert found.at(0, 3).tolist() == [2, 0, 1]
