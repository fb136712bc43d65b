"""Sums of many wires that are used again and again take no more layers, and no wider stacks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from bestiary.compile import (
    Program,
    Value,
    compile_program,
    concat,
    conv,
    input_array,
    interpret,
    linear,
    shift,
)
from bestiary.compile import schedule as module
from bestiary.compile.cell import Cell
from bestiary.compile.constants import Scalar
from bestiary.compile.expression import Input
from bestiary.compile.fusion import Form, summed, summed_columns
from bestiary.compile.retime import retime
from bestiary.compile.rows import Rows
from bestiary.compile.schedule import schedule
from bestiary.compile.simplify import simplify
from bestiary.compile.slack import most_wires

UNLIMITED = 10**9


def two_lines(steps: int) -> Program:
    """Two values, each a sum of both and of one that is filtered, over and over."""
    u = input_array("u", 1)
    a, b = u, shift(u, 1)
    for _ in range(steps):
        a, b = a + b * 2, a - shift(b, 1)
    return Program((u,), a, rows=6)


def mixed_layers(layers: int, width: int = 4) -> Program:
    """A residual stream of dense maps and filters, as trained mixers are."""
    u = input_array("u", width)
    rng = np.random.default_rng(0)
    value: Value = u
    for _ in range(layers):
        weight = rng.integers(-2, 3, size=(width, width))
        value = value + linear(value, weight) + conv({1: 1, 3: 2}, value)
    return Program((u,), value, rows=6)


def scheduled(program: Program) -> tuple[int, int, int]:
    """Layers, channels and weights."""
    done = schedule(retime(simplify(program)))
    cells = [value for value in done if isinstance(value, Cell)]
    layers = max(cell.layer or 0 for cell in cells)
    return layers, most_wires(done), sum(len(cell.gate) for cell in cells)


@pytest.mark.parametrize("make", [two_lines, mixed_layers])
def test_deep_programs_keep_what_is_alive_alone(make, monkeypatch: pytest.MonkeyPatch) -> None:
    shallow, deep = scheduled(make(30)), scheduled(make(60))
    monkeypatch.setattr(module, "MOST_SUMMED", UNLIMITED)
    expanded = scheduled(make(60))
    # The depth is what it would be; channels do not go up with it, weights no faster than it.
    assert deep[0] == expanded[0]
    assert max(shallow[1], deep[1]) < 30 < 60 < expanded[1]
    assert deep[2] < 2.3 * shallow[2] < expanded[2]


@pytest.mark.parametrize("make", [two_lines, mixed_layers])
def test_gathered_sums_mean_the_same(make) -> None:
    program = make(25)
    done = schedule(retime(simplify(program)))
    x = np.random.default_rng(1).integers(-2, 3, size=(program.rows, program.width))
    assert (interpret(done, x, exactly=True) == interpret(program, x, exactly=True)).all()
    given = torch.from_numpy(x[None].astype(float))
    expected = interpret(program, x, exactly=True).astype(float)
    with torch.no_grad():
        found = compile_program(program).stack(given)[0].numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_of_few_wires_in_many_sums_the_wires_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # 40 sums of the same 30 wires, all of them to be read: to gather any would only add channels.
    u = input_array("u", 1)
    wires = [u]
    for _ in range(29):
        wires.append(wires[-1] * u)
    rng = np.random.default_rng(0)
    sums = [linear(concat(wires), rng.normal(size=(30, 1))) for _ in range(40)]
    program = Program((u,), concat([*sums, *(a * b for a, b in pairwise(sums))]), 2)
    found = scheduled(program)
    monkeypatch.setattr(module, "MOST_SUMMED", UNLIMITED)
    assert found == scheduled(program)


def test_columns_of_a_matrix_are_the_sums_to_the_last_digit() -> None:
    rng = np.random.default_rng(0)
    wires = [Input(width=1, name=f"w{i}") for i in range(40)]
    forms = []
    for i in range(30):
        gate: dict[Value, Scalar] = {
            wires[j]: float(rng.normal()) for j in rng.choice(40, size=25, replace=False)
        }
        bias = (0, 1.5, Rows.of(rng.normal(size=3)))[i % 3]
        forms.append(Form(gate=gate, bias=bias))
    weight = rng.normal(size=(30, 7)) * (rng.random((30, 7)) < 0.7)
    biases = [0, 2.5, Rows.of(rng.normal(size=2)), 0, 0, 1, 0]
    for j, found in enumerate(summed_columns(forms, weight, biases)):
        terms = [(form, w) for form, w in zip(forms, weight[:, j].tolist(), strict=True) if w]
        expected = summed(terms, biases[j])
        assert found.gate == expected.gate
        assert isinstance(found.bias, Rows)
        assert isinstance(expected.bias, Rows)
        assert np.array_equal(found.bias.at(-1, 4), expected.bias.at(-1, 4))


def test_a_wide_linear_map_is_added_up_as_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[int] = []

    def counting(forms, weight, biases):
        called.append(weight.shape[1])
        return summed_columns(forms, weight, biases)

    u = input_array("u", 24)
    rng = np.random.default_rng(2)
    first = linear(u, rng.normal(size=(24, 24)))
    second = linear(first, rng.normal(size=(24, 24)), rng.normal(size=24))
    program = Program((u,), first * second, rows=2)
    x = rng.normal(size=(1, 2, 24))
    monkeypatch.setattr(module, "summed_columns", counting)
    found = compile_program(program).stack(torch.from_numpy(x)).detach().numpy()
    assert called == [24]
    np.testing.assert_allclose(found[0], interpret(program, x[0]), rtol=1e-12, atol=1e-12)
