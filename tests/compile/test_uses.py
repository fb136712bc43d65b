from __future__ import annotations

import numpy as np

from bestiary.compile import Program, concat, input_array, linear, pad
from bestiary.compile.uses import alive_channels, uses_of


def test_channels_are_counted_one_by_one_through_what_only_hands_them_on() -> None:
    u = input_array("u", 3)
    picked = pad(concat([u[[0, 0]], u[2]]), 4)
    out = linear(picked, np.array([[1, 2], [0, 0], [3, 0], [1, 1]])) * u[[0, 2]]
    # Channel 0 twice by the linear map and once by the product; 2 once by each; 1 never.
    assert uses_of(Program((u,), out, rows=1))[id(u)].tolist() == [3, 0, 2]


def test_what_only_unused_channels_read_is_not_used() -> None:
    u = input_array("u", 2)
    doubled = u * 2
    assert uses_of(Program((u,), doubled[0], rows=1))[id(u)].tolist() == [1, 0]


def test_channels_are_alive_up_to_their_last_use() -> None:
    u = input_array("u", 3)
    first = u @ np.ones((3, 2))
    second = first * 2
    third = second + first
    program = Program((u,), third * u[[0, 1]], rows=1)
    alive = alive_channels(program)
    # u of 3 lives up to the channels read of it, the last but one; a product ends with the output.
    values = (u, first, second, third, program.output)
    assert [alive[id(value)] for value in values] == [3, 5, 7, 5, 2]
