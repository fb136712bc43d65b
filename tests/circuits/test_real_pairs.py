"""Complex circuits by pairs of real numbers, against complex arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from bestiary.circuits import evaluate_batch
from bestiary.circuits.real_pairs import real_pairs
from bestiary.circuits.tracing import traced


def polynomial(x, y):
    return (x - 2j * y) ** 2 * (1 + 0.5j) + x * y - 1j


def test_pairs_are_the_complex_numbers():
    pairs = real_pairs(traced(polynomial, {}))
    assert [port.shape for port in (*pairs.inputs, *pairs.outputs)] == [(2,), (2,), (2,)]
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 20)) + 1j * rng.normal(size=(2, 20))
    given = np.stack([x.real, x.imag, y.real, y.imag], axis=1)
    result = evaluate_batch(pairs, given)
    np.testing.assert_allclose(result[:, 0] + 1j * result[:, 1], polynomial(x, y), rtol=1e-12)


def test_real_inputs_keep_their_shape():
    matrix = np.exp(-2j * np.pi * np.outer(range(6), range(6)) / 6)
    pairs = real_pairs(traced(lambda x: matrix @ x, {"x": 6}), complex_inputs=False)
    assert pairs.inputs[0].shape == (6,)
    assert pairs.outputs[0].shape == (6, 2)
    x = np.random.default_rng(0).normal(size=(4, 6))
    result = evaluate_batch(pairs, x).reshape(4, 6, 2)
    np.testing.assert_allclose(result[..., 0] + 1j * result[..., 1], np.fft.fft(x), atol=1e-12)


@pytest.mark.parametrize("function", [lambda x, y: x * y, lambda x, y: x * 1j + y])
def test_the_depth_stays(function):
    made = traced(function, {})
    assert real_pairs(made).multiplicative_depth == made.multiplicative_depth
