from __future__ import annotations

import numpy as np

from bestiary.compile import Program, Value, compile_program, concat, conv, input_array, linear
from bestiary.compile.allocate import channel_of
from bestiary.compile.cell import Cell
from bestiary.compile.emit import layers_of


def width(value: Value, *inputs: Value, rows: int = 3) -> int:
    return compile_program(Program(inputs, value, rows=rows)).stack.width


def test_a_dead_channel_is_used_again() -> None:
    x = input_array("x", 1)
    y = x
    for i in range(6):
        y = conv({1: 1}, y * y).named(f"y{i}")
    assert width(y, x) == 1


def test_a_value_that_is_used_late_keeps_a_channel_until_then() -> None:
    x = input_array("x", 1)
    y = x
    for _ in range(4):
        y = y * y
    assert width(y * x, x) == 2


def test_a_value_filtered_twice_in_one_layer_lies_in_two_channels() -> None:
    u = input_array("u", 2)
    gathered = linear(u, [[1], [1]])
    program = Program((u,), concat([conv({1: 1}, gathered), conv({2: 1}, gathered)]), rows=3)
    made = compile_program(program)
    assert (len(made.stack.layers), made.stack.width) == (2, 2)
    first = layers_of(made.placed)[0]
    assert len(first) == 2 and all(cell.weights == (1, 1) for cell in first)


def test_a_filter_lies_where_what_it_filters_lay() -> None:
    u = input_array("u", 3)
    rng = np.random.default_rng(0)
    y: Value = u
    for _ in range(3):
        y = linear(y, rng.normal(size=(3, 3))) * conv({0: 1, 1: 2}, y)
    made = compile_program(Program((u,), y, rows=4))
    cells = [value for value in made.placed if isinstance(value, Cell)]
    for cell in cells:
        if cell.convolved is not None:
            assert channel_of(made.placed, cell.convolved) == cell.channel
    for layer in layers_of(made.placed):
        channels = [cell.channel for cell in layer]
        assert len(set(channels)) == len(channels)


def test_an_output_that_is_an_input_is_carried_to_the_last_layer() -> None:
    u = input_array("u", 1)
    made = compile_program(Program((u,), concat([u, u * u * u]), rows=2))
    assert len(made.stack.layers) == 2
