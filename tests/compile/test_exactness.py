from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from bestiary.compile import (
    Program,
    Rows,
    Taps,
    Value,
    compile_program,
    constant_array,
    conv,
    input_array,
    interpret,
    linear,
)

THIRD = Fraction(1, 3)
EXACT = np.array([[THIRD, 2**60 + 1]], dtype=object)


def doubled_twice(u: Value) -> Value:
    v = linear(u, EXACT)
    return v + v + v * 0.5


@pytest.mark.parametrize(
    "made",
    [
        doubled_twice,
        lambda u: conv({0: 0.5, 1: THIRD}, u) + 0.5,
        lambda u: conv(Taps.at({0: THIRD}), conv({0: 2.0, 1: 0.5}, u)),
        lambda u: linear(u, EXACT) * Rows.window(0, 2, 2) * 0.25,
        lambda u: (u + THIRD) * (u * 0.5),
        lambda u: conv({-1: 1.5, 2: THIRD}, constant_array(Rows.of([[1.0], [0.5]]), 1)) + u,
    ],
)
def test_one_exact_constant_keeps_every_pass_exact(made: Callable[[Value], Value]) -> None:
    u = input_array("u", 1)
    program = Program((u,), made(u), rows=3)
    x = np.array([[1], [THIRD], [2**53 + 1]], dtype=object)
    expected = interpret(program, x, exactly=True)
    for stage in compile_program(program).stages.values():
        found = interpret(stage, x, exactly=True)
        assert all(isinstance(n, int | Fraction) for n in found.ravel())
        assert np.array_equal(found, expected)


def test_an_exact_program_gives_what_a_person_works_out_by_hand() -> None:
    u = input_array("u", 1)
    program = Program((u,), conv({0: 0.5, 1: THIRD}, u) + 0.5, rows=2)
    placed = compile_program(program).placed
    found = interpret(placed, np.array([[1], [THIRD]], dtype=object), exactly=True)
    assert found.ravel().tolist() == [1, THIRD / 2 + THIRD + Fraction(1, 2)]
