"""Rows of the output that are read where the program's own rows are not."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestiary.compile import Program, Value, compile_program, constant_array, input_array


def read_rows(program: Program, inputs: np.ndarray) -> list[float]:
    with torch.no_grad():
        return compile_program(program).stack(torch.from_numpy(inputs)[None])[0, :, 0].tolist()


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ((1, 3), [6, 9]),
        ((-2, 1), [0, 0, 3]),
        ((2, 7), [9, 0, 0, 0, 0]),
        ((5, 6), [0]),
    ],
)
def test_a_stack_reads_the_rows_that_its_program_reads(
    window: tuple[int, int], expected: list[float]
) -> None:
    u = input_array("u", 1)
    program = Program((u,), 3 * u, rows=3, reads=window)
    assert read_rows(program, np.array([[1.0], [2], [3]])) == expected


def test_an_input_is_read_from_before_its_first_row() -> None:
    u = input_array("u", 1)
    assert read_rows(Program((u,), u, rows=2, reads=(-1, 3)), np.ones((2, 1))) == [0, 1, 1, 0]


@pytest.mark.parametrize("output", ["zero", "five"])
def test_a_constant_is_read_from_before_the_first_row(output: str) -> None:
    u = input_array("u", 1)
    value: Value = 0 * u if output == "zero" else constant_array(5, 1)
    number = 0 if output == "zero" else 5
    program = Program((u,), value, rows=2, reads=(-2, 1))
    assert read_rows(program, np.ones((2, 1))) == [number] * 3
