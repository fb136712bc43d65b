from __future__ import annotations

from bestiary.compile import Program, Value, conv, input_array, shift
from bestiary.compile.retime import retime


def delays(program: Program) -> dict[str, int | None]:
    return {v.name: v.delay for v in retime(program) if v.name}


def moves(program: Program) -> int:
    """Convolutions that retiming added."""
    return len(retime(program)) - len(program)


def test_an_up_shift_is_a_delay_of_its_result_and_no_operation() -> None:
    u = input_array("u", 1)
    program = Program((u,), shift(u, -3, name="up"), rows=5)
    assert delays(program) == {"u": 0, "up": 3}
    assert moves(program) == 0


def test_up_and_down_again_need_no_delay() -> None:
    u = input_array("u", 1)
    up = shift(u, -3, name="up")
    assert delays(Program((u,), shift(up, 3, name="down"), rows=5)) == {"u": 0, "up": 3, "down": 0}


def test_what_is_added_to_a_delayed_value_is_moved_once_for_all_uses() -> None:
    u = input_array("u", 1)
    up = shift(u, -2, name="up")
    program = Program((u,), (up + u) * (up - u), rows=5)
    # u is needed two rows late by both sums; -u is made of u before it is moved.
    assert moves(program) == 2


def test_a_product_takes_a_factor_that_is_early_as_it_is() -> None:
    u = input_array("u", 1)
    program = Program((u,), shift(u, -2, name="up") * u, rows=5)
    assert moves(program) == 0
    assert retime(program).output.delay == 2


def test_a_filter_takes_the_delay_that_its_user_needs() -> None:
    u = input_array("u", 1)
    near, far = conv({1: 1}, u, name="near"), conv({-4: 1}, u, name="far")
    program = Program((u,), near + far, rows=6)
    assert delays(program)["near"] == 4
    assert moves(program) == 0


def test_a_circular_program_has_no_delays() -> None:
    u = input_array("u", 1)
    program = Program((u,), shift(u, -2) + u, rows=5, mode="circular", ring=5)
    assert {v.delay for v in retime(program)} == {0}


def test_rows_before_the_first_are_delayed_into_the_array() -> None:
    u = input_array("u", 1)
    program = Program((u,), shift(u, -2), rows=3, reads=(-2, 1))
    output: Value = retime(program).output
    assert output.delay == 2
