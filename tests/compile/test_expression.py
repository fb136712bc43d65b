from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bestiary.compile import (
    Program,
    Rows,
    Value,
    compile_program,
    concat,
    conv,
    input_array,
    interpret,
    linear,
    pad,
    read,
    shift,
    total,
)
from bestiary.compile.retime import retime
from bestiary.compile.schedule import schedule
from bestiary.errors import UserError

X = np.arange(1.0, 7).reshape(3, 2)


def value(made: Value, u: Value, **options: object) -> np.ndarray:
    return interpret(Program((u,), made, rows=3, **options), X)  # type: ignore[arg-type]


def test_expressions_mean_what_they_say() -> None:
    u = input_array("u", 2)
    assert np.array_equal(value(u @ np.array([[1, 2], [3, 4]]), u), X @ [[1, 2], [3, 4]])
    assert np.array_equal(value(2 * u - 1, u), 2 * X - 1)
    assert np.array_equal(value(1 - u, u), 1 - X)
    assert np.array_equal(value(u * u, u), X * X)
    assert np.array_equal(value(np.array([1.0, -1]) * u, u), X * [1, -1])
    assert np.array_equal(value(u[1], u), X[:, 1:])
    assert np.array_equal(value(u[::-1], u), X[:, ::-1])
    assert np.array_equal(value(concat([u, u[0]]), u), X[:, [0, 1, 0]])
    assert np.array_equal(value(pad(u, 4, before=1), u)[:, [0, 3]], np.zeros((3, 2)))
    assert np.array_equal(value(total([u, u, u]), u), 3 * X)


def test_shifts_move_rows_and_filters_add_them_up() -> None:
    u = input_array("u", 2)
    assert value(shift(u, 1), u).tolist() == [[0, 0], [1, 2], [3, 4]]
    assert value(shift(u, -1), u).tolist() == [[3, 4], [5, 6], [0, 0]]
    assert value(conv({0: 1, 2: [10, 0]}, u), u).tolist() == [[1, 2], [3, 4], [15, 6]]
    ring = {"mode": "circular", "ring": 3}
    assert value(shift(u, -1), u, **ring).tolist() == [[3, 4], [5, 6], [1, 2]]
    assert value(conv({-1: 1, 1: 1}, u), u, **ring).tolist() == [[8, 10], [6, 8], [4, 6]]


def test_rows_may_be_read_beyond_those_given() -> None:
    u = input_array("u", 2)
    found = interpret(Program((u,), shift(u, 2), rows=3, reads=(2, 5)), X)
    assert np.array_equal(found, X)


def test_an_interpretation_takes_one_sequence_or_a_batch() -> None:
    u = input_array("u", 2)
    program = Program((u,), u * u, rows=3)
    assert interpret(program, np.stack([X, 2 * X])).shape == (2, 3, 2)
    with pytest.raises(UserError, match=r"\(batch, 3, 2\) is needed"):
        interpret(program, X[:2])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda u: linear(u, np.eye(3)), r"shape \(3, 3\) was given for u of 2 channels"),
        (lambda u: conv(np.ones((2, 3)), u), "a filter of 3 channels"),
        (lambda u: u * u[0], "of 2 channels and a read of 1 cannot be multiplied"),
        (lambda u: u + np.arange(3), r"a constant of shape \(3,\) was given for 2 channels"),
        (lambda u: read(u, 5), "which has channels 0 to 1"),
        (lambda u: pad(u, 3, before=2), "does not fit into 3 from channel 2 on"),
        (lambda u: u @ [[np.inf], [0]], r"inf at \(0, 0\)"),
        (lambda u: input_array("v", 0), "has 0 channels"),
        (lambda u: u.named("u", ["a"]), "1 channel names were given for u of 2 channels"),
        (lambda u: total([]), "a sum of no values"),
        (lambda u: shift(u, 1.5), "a shift is 1.5; a whole number is needed"),
        (lambda u: conv({0.5: 1}, u), "a power of a filter is 0.5; a whole number"),
        (lambda u: u * Rows.window(3, 1), "from row 3 ends before it at 1"),
    ],
)
def test_what_does_not_fit_gets_one_sentence(make: object, said: str) -> None:
    with pytest.raises(UserError, match=said):
        make(input_array("u", 2))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rows": 0}, "has 0 rows"),
        ({"rows": 4.5}, "rows of a program is 4.5; a whole number is needed"),
        ({"rows": 2, "mode": "cyclic"}, "circular"),
        ({"rows": 2, "mode": "circular"}, "needs the number of rows of its ring"),
        ({"rows": 2, "ring": 4}, "a causal one has none"),
        ({"rows": 5, "mode": "circular", "ring": 4}, "ring of 4 rows cannot hold 5"),
        ({"rows": 2, "reads": (1, 1)}, "rows 1 to 1"),
    ],
)
def test_impossible_programs_get_one_sentence(settings: dict[str, object], said: str) -> None:
    u = input_array("u", 1)
    with pytest.raises(UserError, match=said):
        Program((u,), u, **settings)  # type: ignore[arg-type]


def test_an_input_that_is_not_listed_is_named() -> None:
    u, v = input_array("u", 1), input_array("v", 1)
    with pytest.raises(UserError, match="the input v is used but is not among the inputs"):
        Program((u,), u * v, rows=1)


def test_a_program_prints_every_value() -> None:
    u = input_array("u", 2)
    program = Program((u,), conv({1: 1}, u, name="past") * u, rows=3, name="demo")
    assert str(program).splitlines() == [
        "demo: 3 rows, 3 values",
        "  u = input() [2]",
        "  past = conv(X^1, u) [2]",
        "  v2 = mul(past, u) [2]",
        "  read rows 0 to 2 of v2",
    ]


def test_a_chain_of_a_hundred_thousand_operations_is_no_recursion() -> None:
    u = input_array("u", 1)
    y = u
    for _ in range(100_000):
        y = y + 1
    assert len(Program((u,), y, rows=1)) == 200_001


def test_a_scheduled_program_prints_both_sides_of_every_cell() -> None:
    u = input_array("u", 1)
    out = ((u * Fraction(1, 3) + 2) * conv({1: 5}, u)).named("out")
    lines = str(schedule(retime(Program((u,), out, rows=2)))).splitlines()
    assert "  out = (1/3·u + 2) ⊙ ((5·X^1) * u) @0 layer 1" in [
        line.replace("5.0·", "5·").replace("2.0", "2") for line in lines
    ]


def test_a_value_is_divided_by_numbers_alone() -> None:
    u = input_array("u", 2)
    thirds = interpret(Program((u,), u / 3, rows=3), X, exactly=True)
    assert thirds[0, 0] == Fraction(1, 3)
    assert np.array_equal(value(u / 0.5, u), 2 * X)
    for divisor in (u, 0):
        with pytest.raises(UserError, match="layers only add and multiply"):
            u / divisor  # type: ignore[operator]


def test_a_value_is_iterated_over_its_channels() -> None:
    u = input_array("u", 2)
    first, second = u
    assert np.array_equal(value(concat([second, first]), u), X[:, ::-1])
    assert len(list(u @ np.ones((2, 5)))) == 5


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda u: Program(u, u, rows=4), r"inputs .* <input 'u', 2 channels>; give a tuple"),
        (lambda u: Program((3,), u, rows=4), r"of type int; give a tuple .*\(\(u,\), y, rows=N\)"),
        (lambda u: Program((u,), [u], rows=4), "the output of a program is of type list"),
        (lambda u: compile_program(u + u), r"Add cannot be compiled; give a Program: Program\("),
        (lambda u: (u + u)[4], "channel 4 was read of an add, which has channels 0 to 1"),
        (lambda u: u + np.ones((4, 2)), r"\(4, 2\) was given for 2 channels; .* Rows\.of\(array\)"),
        (
            lambda u: np.ones((2, 2)) @ u,
            r"an array of shape \(2, 2\) stands to the left of u; .*u @ W",
        ),
        (lambda u: conv(u, {0: 1}), "conv was given dict where a value of a program is needed"),
        (lambda u: total([u, 1]), "total was given int"),
        (lambda u: concat(["u"]), "concat was given str"),
        (lambda u: linear(X, np.eye(2)), "linear was given ndarray"),
        (lambda u: shift(X, 1), "shift was given ndarray"),
    ],
)
def test_what_is_no_value_is_refused_with_how_to_write_it(make, said) -> None:
    with pytest.raises(UserError, match=said) as caught:
        make(input_array("u", 2))
    assert "\n" not in str(caught.value) and ". " not in str(caught.value)


def test_a_long_program_shows_itself_in_a_line() -> None:
    u = input_array("u", 2)
    made = u
    for _ in range(500):
        made = made * u
    program = Program((u,), made.named("power"), rows=3)
    assert repr(program.output) == "<mul 'power', 2 channels>"
    assert repr(program) == "<Program 'program': 3 × 2 to 2 channels, causal, 501 values>"
