"""The solver's schedules compute the program, and are as small as brute reasoning says."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bestiary.compile import Program, compile_program, conv, input_array, linear, mul
from bestiary.compile.optimize import Optimize, schedule_optimally
from bestiary.compile.retime import retime
from bestiary.compile.simplify import simplify
from bestiary.errors import UserError

QUICK = Optimize(seconds=10, threads=1)


def sizes(program: Program) -> tuple[int, int]:
    made = compile_program(program, optimize=QUICK)
    assert made.found is not None
    assert made.found.channels_proven
    assert (len(made.stack.layers), made.stack.width) == (made.found.layers, made.found.channels)
    return made.found.layers, made.found.channels


def test_a_sum_of_two_squares_takes_three_layers() -> None:
    # docs/theory.md, 'Depth': 2D + 1 is tight. A product of two sums needs one of them on a wire,
    # and a layer has no other way to add two products than to read both.
    u = input_array("u", 3)
    x, y = linear(u, np.array([[1], [1], [0]])), linear(u, np.array([[0], [1], [1]]))
    assert sizes(Program((u,), x * x + y * y, rows=1)) == (3, 3)


def test_a_chain_of_factors_takes_a_layer_each_and_a_tree_as_many_as_it_is_deep() -> None:
    u = input_array("u", 8)
    chain = u[0]
    for i in range(1, 8):
        chain = chain * u[i]
    assert sizes(Program((u,), chain, rows=1)) == (7, 8)
    fours = mul(mul(u[0:2], u[2:4]), mul(u[4:6], u[6:8]))
    assert sizes(Program((u,), fours[0] * fours[1], rows=1)) == (3, 8)


def test_a_hyena_of_order_two_is_found_to_need_three_layers_of_twice_the_width() -> None:
    rng = np.random.default_rng(0)
    u = input_array("u", 2)
    z = linear(u, rng.normal(size=(2, 2)))
    for _ in range(2):
        z = linear(u, rng.normal(size=(2, 2))) * conv(rng.normal(size=(4, 2)), z)
    assert sizes(Program((u,), z, rows=4)) == (3, 4)


def test_a_schedule_is_kept_and_not_said_to_be_proven_when_time_runs_out() -> None:
    u = input_array("u", 4)
    z = u
    rng = np.random.default_rng(0)
    for _ in range(6):
        z = linear(z, rng.normal(size=(4, 4))) * conv({0: 1, 1: 2}, z) + u
    program = retime(simplify(Program((u,), z, rows=4)))
    _, found = schedule_optimally(program, Optimize(seconds=1e-3, threads=1))
    assert (found.layers, found.channels) <= found.heuristic
    assert found.least_layers <= found.layers


@pytest.mark.parametrize(
    ("options", "words"), [({"seconds": 0}, "0 seconds"), ({"threads": 0}, "0 threads")]
)
def test_a_search_without_time_or_threads_is_refused(options: dict[str, int], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Optimize(**options)


def test_the_extra_is_named_where_the_solver_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "ortools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ortools", None)
    u = input_array("u", 1)
    with pytest.raises(UserError, match=r"bestiary\[optimize\]"):
        compile_program(Program((u,), u * u, rows=1), optimize=QUICK)
