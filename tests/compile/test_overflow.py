"""Constants that float64 cannot hold are refused where they are computed, without a warning."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import torch

from bestiary.compile import (
    Rows,
    Taps,
    concat,
    constant_array,
    conv,
    input_array,
    interpret,
    linear,
    shift,
)
from bestiary.compile.compiling import compile_program
from bestiary.compile.expression import Value
from bestiary.compile.program import Program
from bestiary.errors import UserError

pytestmark = pytest.mark.filterwarnings("error")

U = input_array("u", 2)
LARGE = Rows.of(np.full((3, 2), 1e200))
TOO_LARGE = r"than float64 holds, 1\.8e\+308"


def doubled(times: int) -> Value:
    """Fibonacci numbers of u and u one row down: each sum is used twice."""
    a, b = U, shift(U, 1)
    for _ in range(times):
        a, b = a + b, a
    return a


@pytest.mark.parametrize("ring", [None, 700])
@pytest.mark.parametrize(
    "output",
    [
        U * 1e200 * 1e200,
        U * LARGE * LARGE,
        conv({0: 1e200}, conv({1: 1e200}, U)),
        conv(np.full(300, 1e200), conv(np.full(300, 1e200), U)),
        conv({0: 1e308}, U) + conv({0: 1e308, 1: 1.0}, U),
        (U @ (np.eye(2) * 1e200)) @ (np.eye(2) * 1e200),
        linear(linear(U, np.eye(2), 1e308), np.full((2, 2), 1e10)),
        U + linear(constant_array(LARGE, 2), np.eye(2) * 1e200),
        U * 1e308 + U * 1e308,
        U * 1e308 + U[[1, 0]] + (U * 1e308 + U) * 1,
        U + 1e308 + 1e308,
        U * (constant_array(1e200, 2) * constant_array(1e200, 2)),
        U * conv({0: 1e200, 1: 1e200}, constant_array(LARGE, 2)),
        U * conv({0: 1e308, 1: 1e308}, constant_array(1, 2)),
        conv({0: 1e200, 1: 1e200}, U * 1e200 + 1e200),
        conv({0: 1e200}, conv({0: 2, 1: 1}, U) + 1e200),
        (U * U[[1, 0]]) * 1e200 * 1e200 + U,
        U * 10**400,
        U * 10**200 * 1e200,
        doubled(2000) * 0.5 + U,
    ],
)
def test_constants_that_overflow_are_refused(output, ring):
    mode = "causal" if ring is None else "circular"
    with pytest.raises(UserError, match=TOO_LARGE):
        compile_program(Program((U,), output, 3, mode=mode, ring=ring))


@pytest.mark.parametrize(
    "compute",
    [
        lambda: LARGE * LARGE,
        lambda: LARGE * 1e200,
        lambda: Rows.same(1e308) + 1e308,
        lambda: Taps.at({0: 1e200}) * Taps.at({1: 1e200}),
        lambda: Taps.at({0: 1e308}) + Taps.at({0: 1e308}),
        lambda: Taps.at({0: 1e308}).scaled(10),
        lambda: Taps.at({0: 1e308, 3: 1e308}).wrapped(3),
    ],
)
def test_row_constants_and_filters_that_overflow_are_refused(compute):
    with pytest.raises(UserError, match=TOO_LARGE):
        compute()


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no wider floats")
def test_a_number_wider_than_float64_is_refused_as_it_was_given():
    with pytest.raises(UserError, match=r"a scale has 1e\+4000; every entry must be finite"):
        U * np.longdouble("1e4000")


def test_exact_constants_may_be_larger_on_the_way():
    output = U * 10**400 * Fraction(3, 10**400)
    x = torch.ones(1, 2, 2, dtype=torch.float64)
    assert torch.equal(compile_program(Program((U,), output, 2)).stack(x), 3 * x)


@pytest.mark.parametrize("seen", [True, False])
def test_exact_constants_that_outgrow_memory_are_refused(seen):
    squared = constant_array(np.array(3, dtype=object), 2)
    for _ in range(40):
        # Of channels that are handed on the simplifier does not know that they are constant.
        squared = squared * squared if seen else concat([squared[0], squared[1]]) * squared
    with pytest.raises(UserError, match=r"takes 12,\d{3} bits exactly; up to 8,192 are kept"):
        compile_program(Program((U,), U * squared, 2))


def test_exact_numbers_of_very_many_digits_are_refused():
    with pytest.raises(UserError, match=r"^a scale takes 9,9\d{2} bits exactly"):
        U * 10**3000


def test_filters_of_whole_numbers_do_not_wrap_around():
    # (1 + X)^70: its largest coefficient is 1.1e20, and int64 ends at 9.2e18.
    y, n = U, 70
    for _ in range(n):
        y = y + shift(y, 1)
    stack = compile_program(Program((U,), y, n + 1)).stack
    impulse = torch.zeros(1, n + 1, 2, dtype=torch.float64)
    impulse[0, 0] = 1
    expected = torch.tensor([comb(n, k) for k in range(n + 1)], dtype=torch.float64)
    found = stack(impulse)[0]
    torch.testing.assert_close(
        found, expected[:, None].expand(-1, 2), rtol=0, atol=1e-14 * comb(70, 35)
    )


def test_whole_numbers_larger_than_float64_has_digits_stay_exact():
    y, n = U, 60
    for _ in range(n):
        y = y + shift(y, 1)
    program = Program((U,), y * Fraction(1, 3), n + 1)
    placed = compile_program(program).placed
    impulse = np.zeros((n + 1, 2), dtype=object)
    impulse[0] = 1
    found = interpret(placed, impulse, exactly=True)
    assert [row[0] for row in found] == [Fraction(comb(n, k), 3) for k in range(n + 1)]


def test_the_interpreter_overflows_as_floats_do():
    x = np.array([[1e200, 2.0]])
    assert interpret(Program((U,), U * U, 1), x).tolist() == [[np.inf, 4.0]]
    assert interpret(Program((U,), U * 1e300 * 1e300, 1), x).tolist() == [[np.inf, np.inf]]
    difference = interpret(Program((U,), U * U - U * U, 1), x)
    assert np.isnan(difference[0, 0])
    assert difference[0, 1] == 0


def test_the_interpreter_takes_no_infinity_exactly():
    program = Program((U,), U, 1)
    with pytest.raises(UserError, match="an input with inf was given to program"):
        interpret(program, np.array([[np.inf, 2.0]]), exactly=True)
