from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.compile import Program, compile_program, interpret
from bestiary.compile.primitives import add_n, compose, hadamard, linear, remember, scale, shift
from bestiary.errors import UserError

RNG = np.random.default_rng(0)


def computed(program: Program, x: np.ndarray, layers: int, width: int, rows: int) -> np.ndarray:
    """What the stack gives for (batch, N, d); at most so many layers, channels and rows inside."""
    made = compile_program(program)
    assert len(made.stack.layers) <= layers
    assert made.stack.width <= width
    assert made.stack.inner_length is not None
    assert made.stack.inner_length <= rows
    with torch.no_grad():
        got = made.stack(torch.from_numpy(x)).numpy()
    assert np.allclose(got, interpret(program, x), atol=1e-12)
    return got


def array(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape)


def test_hadamard_multiplies_aligned_channels_in_one_layer() -> None:
    a, b = array(2, 5, 3), array(2, 5, 3)
    got = computed(hadamard(5, 3), np.concatenate([a, b], 2), layers=1, width=6, rows=5)
    assert np.allclose(got, a * b, atol=1e-12)


def test_scale_multiplies_by_an_array_in_one_layer() -> None:
    u, c = array(2, 5, 3), array(5, 3)
    assert np.allclose(computed(scale(c), u, layers=1, width=3, rows=5), c * u, atol=1e-12)


def test_linear_maps_rows_in_one_layer() -> None:
    u, w, b = array(2, 5, 3), array(3, 4), array(4)
    got = computed(linear(5, w, b), u, layers=1, width=4, rows=5)
    assert np.allclose(got, u @ w + b, atol=1e-12)
    assert np.allclose(computed(linear(5, w), u, 1, 4, 5), u @ w, atol=1e-12)


@given(st.integers(-7, 7))
@settings(max_examples=15, deadline=None)
def test_shift_moves_rows_in_one_layer_and_up_by_reading_later(by: int) -> None:
    u = array(2, 5, 2)
    expected = np.zeros_like(u)
    for t in range(5):
        if 0 <= t - by < 5:
            expected[:, t] = u[:, t - by]
    got = computed(shift(5, 2, by), u, layers=1, width=2, rows=5 + max(0, -by))
    assert np.allclose(got, expected, atol=1e-12)
    if abs(by) < 5:
        assert compile_program(shift(5, 2, by)).stack.delay == max(0, -by)


@pytest.mark.parametrize("start", [0, 2, 4])
def test_add_n_changes_one_block_in_one_layer(start: int) -> None:
    y, s = array(2, 7, 3), array(3, 3)
    expected = y.copy()
    expected[:, start : start + 3] += s
    got = computed(add_n(7, s, start), y, layers=1, width=3, rows=7)
    assert np.allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize(("m", "s", "t"), [(4, 0, 0), (3, 2, 1), (0, 1, 2), (9, 0, 3)])
@pytest.mark.parametrize("taps", [1, 5, 8])
def test_remember_convolves_a_block_and_keeps_another_in_two_layers(
    m: int, s: int, t: int, taps: int
) -> None:
    n, d = 5, 2
    h, p = array(taps, d), array(n, d)
    y = array(3, n + s + m + t, d)
    y[:, n : n + s] = y[:, n + s + m :] = 0
    expected = y.copy()
    for row in range(n):
        past = sum(h[r] * y[:, row - r] for r in range(min(taps, row + 1)))
        expected[:, row] = p[row] * past
    total = n + s + m + t
    got = computed(remember(h, p, m, s, t), y, layers=2, width=d, rows=2 * total)
    assert np.allclose(got, expected, atol=1e-12)


def test_compose_runs_one_after_the_other_beside_what_is_carried() -> None:
    w, c = array(2, 3), array(6, 3)
    program = compose(linear(6, w), scale(c), carried=2)
    x, beside = array(2, 6, 2), array(2, 6, 2)
    got = computed(program, np.concatenate([x, beside], 2), layers=2, width=5, rows=6)
    assert np.allclose(got[:, :, :3], c * (x @ w), atol=1e-12)
    assert np.array_equal(got[:, :, 3:], beside)


@given(st.integers(-3, 3), st.integers(-3, 3))
@settings(max_examples=15, deadline=None)
def test_composed_shifts_lose_what_leaves_the_rows_between_them(a: int, b: int) -> None:
    u = array(1, 5, 1)
    program = compose(shift(5, 1, a), shift(5, 1, b))
    expected = interpret(shift(5, 1, b), interpret(shift(5, 1, a), u))
    assert np.array_equal(interpret(program, u), expected)
    assert len(compile_program(program).stack.layers) <= 2


def test_compose_reads_the_first_where_it_is_read() -> None:
    h, p = array(3, 2), array(4, 2)
    first = remember(h, p, 2)
    program = compose(first, scale(array(6, 2)))
    y = array(2, 6, 2)
    got = computed(program, y, layers=3, width=2, rows=12)
    factor = interpret(compose(first, scale(np.ones((6, 2)))), y)
    assert np.allclose(factor, interpret(first, y), atol=1e-12)
    assert got.shape == (2, 6, 2)


def test_what_does_not_fit_is_refused_with_both_sizes() -> None:
    with pytest.raises(UserError, match="gives 5 rows of 3 channels; scale takes 5 of 2"):
        compose(linear(5, array(2, 3)), scale(array(5, 2)))
    with pytest.raises(UserError, match="rows 5 to 7"):
        add_n(7, array(3, 1), 5)
    with pytest.raises(UserError, match="the filter has 1 channel, the scale 2"):
        remember(array(2, 1), array(3, 2), 1)
    with pytest.raises(UserError, match="s is -1"):
        remember(array(2, 2), array(3, 2), 1, -1)
    with pytest.raises(UserError, match=r"shape \(3,\)"):
        scale(array(3))
    with pytest.raises(UserError, match="channels out"):
        linear(4, array(2, 3), array(2))
