"""Random programs mean the same before and after every pass, and so does the emitted stack.

``python tests/compile/test_random_programs.py`` runs many of them and prints the seed and the time;
``make test-programs`` runs 10,000.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_programs import Choose, by_numpy, random_input, random_program

from bestiary.compile import (
    Program,
    Rows,
    compile_program,
    conv,
    input_array,
    interpret,
    linear,
    schedule,
    shift,
)
from bestiary.compile.cell import Cell
from bestiary.compile.compiling import Compiled
from bestiary.compile.interpret import Interpretation
from bestiary.compile.optimize import Optimize

TOLERANCE = 1e-11
"""Of the stack in float64, relative to the largest number that the program computes on the way."""


def check(program: Program, inputs: np.ndarray, optimize: Optimize | None = None) -> Compiled:
    """Every stage computes what the program means, exactly; the stack does in float64."""
    expected = interpret(program, inputs, exactly=True)
    made = compile_program(program, optimize=optimize)
    for name, stage in made.stages.items():
        found = interpret(stage, inputs, exactly=True)
        assert found.shape == expected.shape, (name, found.shape, expected.shape)
        assert np.array_equal(found, expected), f"{name}:\n{program}\n{stage}\n{found}\n{expected}"
    check_layout(made.placed)
    check_stack(made, inputs, expected)
    return made


def check_layout(placed: Program) -> None:
    """A cell reads the layer before alone, and what it convolves lies in its own channel."""
    places = set()
    for cell in placed:
        if not isinstance(cell, Cell):
            continue
        assert cell.layer is not None and cell.channel is not None
        assert (cell.layer, cell.channel) not in places, f"two cells in one place:\n{placed}"
        places.add((cell.layer, cell.channel))
        for wire in cell.operands:
            assert (wire.layer if isinstance(wire, Cell) else 0) == cell.layer - 1
        if cell.convolved is not None:
            assert channel(placed, cell.convolved) == cell.channel
            lag = (cell.delay or 0) - (cell.convolved.delay or 0)
            assert placed.ring is not None or cell.taps.low + lag >= 0, "reads ahead"
        assert all(wire.delay == cell.delay for wire in cell.gate)


def channel(placed: Program, wire: object) -> int:
    if isinstance(wire, Cell):
        return wire.channel
    return placed.offset(wire.x) + wire.picked[0]


def check_stack(made: Compiled, inputs: np.ndarray, expected: np.ndarray) -> None:
    placed = made.placed
    seen = Interpretation(placed, inputs, exactly=True)
    numbers = [1.0, *(float(abs(v).max()) for v in seen.values.values() if v.size)]
    given = torch.from_numpy(inputs.astype(float))[None]
    with torch.no_grad():
        found = made.stack(given)[0].numpy()
    assert found.shape == expected.shape
    assert np.isfinite(found).all()
    error = np.abs(found - expected.astype(float)).max()
    assert error <= TOLERANCE * max(numbers), f"stack off by {error}:\n{made.source}\n{placed}"


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_pass_and_the_stack_compute_what_a_random_program_means(data: st.DataObject) -> None:
    def choose(n: int) -> int:
        return data.draw(st.integers(0, n - 1))

    program = random_program(choose)
    check(program, random_input(choose, program))


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_sums_that_are_gathered_early_mean_the_same(data: st.DataObject) -> None:
    def choose(n: int) -> int:
        return data.draw(st.integers(0, n - 1))

    program = random_program(choose)
    with pytest.MonkeyPatch.context() as patch:
        # Everywhere, though only deep narrow programs are better for it.
        patch.setattr(schedule, "MOST_SUMMED", 0)
        patch.setattr(schedule, "alive_channels", lambda given: {id(v): 0 for v in given})
        check(program, random_input(choose, program))


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_solver_s_schedules_mean_the_same_and_are_no_larger(data: st.DataObject) -> None:
    program = random_program(lambda n: data.draw(st.integers(0, n - 1)), 15)
    inputs = random_input(lambda n: data.draw(st.integers(0, n - 1)), program)
    made = check(program, inputs, Optimize(seconds=2, threads=1))
    found = made.found
    assert found is not None
    assert (found.layers, found.channels) == (len(made.stack.layers), made.stack.width)
    assert found.rows == made.stack.inner_length >= found.least_rows
    assert (found.layers, found.channels) <= found.heuristic
    assert (found.least_layers, found.least_channels) <= (found.layers, found.channels)


def test_a_filter_of_zeros_in_one_channel_reads_no_row_ahead() -> None:
    u = input_array("u", 2)
    check(Program((u,), conv({2: [1, 0]}, u), rows=2, reads=(2, 4)), np.ones((2, 2), dtype=object))


def test_a_factor_that_arrives_early_is_moved_even_where_the_other_one_is_a_constant() -> None:
    u = input_array("u", 1)
    early = linear(u, [[1, 0]], Rows.window(-1, 3, 2))
    late = shift(early * early, -3)
    check(Program((u,), shift(late * early[[1, 0]], 1), rows=1), np.array([[2]], dtype=object))


def run(count: int, seed: int, first: int = 0) -> None:
    """So many programs; the number of one that fails is said."""
    torch.set_num_threads(1)
    started, layers, operations = time.perf_counter(), 0, 0
    for i in range(first, first + count):
        choose: Choose = by_numpy([seed, i])
        program = random_program(choose)
        try:
            made = check(program, random_input(choose, program))
        except Exception:
            print(f"program {i} of seed {seed} fails", file=sys.stderr)
            raise
        layers += len(made.stack.layers)
        operations += len(program)
    seconds = time.perf_counter() - started
    print(
        f"{count} random programs, seed {seed}, no mismatch: {operations} operations, "
        f"{layers} layers, {seconds:.1f} s"
    )


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=20231208)
    arguments.add_argument("--first", type=int, default=0)
    chosen = arguments.parse_args()
    run(chosen.count, chosen.seed, chosen.first)
