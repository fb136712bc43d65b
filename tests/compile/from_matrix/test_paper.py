from __future__ import annotations

import numpy as np
import pytest
import torch
from matrix_members import TOLERANCE, butterfly, error, factor, kaleidoscope, shape

from bestiary.compile import compile_program, interpret
from bestiary.compile.bounds import paper_bound
from bestiary.compile.from_matrix import matrix
from bestiary.compile.from_matrix.paper import add_block, program_of_layers, remember_block
from bestiary.errors import UserError


@pytest.mark.parametrize(("k", "layers"), [(2, 4), (8, 4), (16, 7), (64, 7)])
def test_a_factor_takes_one_layer_and_six_that_add(k: int, layers: int) -> None:
    # Inside of a row (d = 8) two products are added instead of three: 1 + 3.
    member = factor(64, k)
    made = matrix(member, 8, method="paper")
    assert shape(made)[0] == layers
    assert paper_bound(member, 8).layers == 7
    assert made.stack.width == 8
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize(("n", "d"), [(16, 4), (32, 1), (1, 8)])
def test_a_butterfly_takes_its_factors_one_after_the_other(n: int, d: int) -> None:
    made = matrix(butterfly(n * d), d, method="paper")
    assert shape(made)[0] == 7 * (n.bit_length() - 1) + 4 * (d.bit_length() - 1)
    assert made.stack.width == d
    assert error(made, butterfly(n * d)) <= TOLERANCE


def test_a_corner_of_a_kaleidoscope_is_cut_in_the_end() -> None:
    member = kaleidoscope(16, 1, 12)
    assert error(matrix(member, 2, method="paper"), member) <= TOLERANCE


@pytest.mark.parametrize("addend", [3, 5, 8])
def test_add_n_takes_three_layers_and_leaves_the_rest_untouched(addend: int) -> None:
    n, d, total, base = 3, 2, 11, 0
    layers, first = add_block(base, total, n, d, addend)
    program = program_of_layers(layers, total, d, first, "add")
    made = compile_program(program)
    assert len(made.stack.layers) == len(layers) == 3
    assert made.stack.width == d
    y = np.random.default_rng(0).normal(size=(4, total, d))
    expected = y.copy()
    expected[:, :n] += y[:, addend : addend + n]
    expected[:, addend : addend + n] = 0
    assert np.allclose(interpret(program, y), expected, atol=1e-12)
    with torch.no_grad():
        assert np.allclose(made.stack(torch.from_numpy(y)).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize(("m", "s"), [(4, 0), (2, 3), (9, 1)])
def test_remember_takes_five_layers_at_the_width_of_the_input(m: int, s: int) -> None:
    n, d = 5, 2
    rng = np.random.default_rng(1)
    h, p = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    layers, first = remember_block(0, h, p, m, s)
    program = program_of_layers(layers, n + s + m, d, first, "remember")
    made = compile_program(program)
    assert len(made.stack.layers) == len(layers) == 5
    assert made.stack.width == d
    y = rng.normal(size=(4, n + s + m, d))
    y[:, n : n + s] = 0
    expected = y.copy()
    for t in range(n):
        expected[:, t] = p[t] * sum(h[r] * y[:, t - r] for r in range(t + 1))
    with torch.no_grad():
        assert np.allclose(made.stack(torch.from_numpy(y)).numpy(), expected, atol=1e-12)


def test_the_paper_constructions_are_causal() -> None:
    with pytest.raises(UserError, match="causal"):
        matrix(butterfly(8), 1, "circular", method="paper")
