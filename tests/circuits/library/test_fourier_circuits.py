from __future__ import annotations

import numpy as np
import pytest
from exact_results import few, made, vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import dft

from bestiary.circuits import evaluate, evaluate_batch
from bestiary.circuits.library.fourier import number_theoretic_transform, transform_modulus
from bestiary.errors import UserError

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 30, 32, 49]


@pytest.mark.parametrize("n", SIZES)
def test_the_fast_transform_is_the_matrix_of_the_discrete_one(n):
    # The matrix itself: one unit vector after the other.
    assert np.allclose(evaluate_batch(made("fft", n), np.eye(n)), dft(n))
    assert np.allclose(evaluate_batch(made("fft", n, inverse=True), dft(n)), np.eye(n))


def test_transforms_of_four_are_exact_for_whole_numbers():
    assert made("fft", 4)([1, 2, 3, 4]).tolist() == [10, -2 + 2j, -2, -2 - 2j]


@pytest.mark.parametrize("n", SIZES)
def test_the_transform_modulo_a_prime_sums_powers_of_an_element_of_order_n(n):
    p, circuit = transform_modulus(n), made("ntt", n)
    root = evaluate(circuit, [0, 1, *[0] * (n - 2)] if n > 1 else [1], modulus=p)[-1 % n]
    root = pow(root, -1, p)
    assert pow(root, n, p) == 1 and all(pow(root, k, p) != 1 for k in range(1, n))
    x = np.random.default_rng(n).integers(0, p, n).tolist()
    expected = [sum(v * pow(root, j * k, p) for j, v in enumerate(x)) % p for k in range(n)]
    assert evaluate(circuit, x, modulus=p) == expected


@few
@given(st.data(), st.sampled_from([2, 3, 4, 6, 8, 9, 16]))
def test_products_of_transforms_are_transforms_of_circular_convolutions(data, n):
    p, circuit = transform_modulus(n), made("ntt", n)
    a, b = data.draw(vectors(n)), data.draw(vectors(n))
    c = made("circular-convolution", n)(a, b).tolist()
    x, y, z = (evaluate(circuit, values, modulus=p) for values in (a, b, c))
    assert z == [u * v % p for u, v in zip(x, y, strict=True)]


@pytest.mark.parametrize(("n", "p"), [(1, 2), (2, 3), (4, 5), (8, 17), (16, 17), (5, 11), (7, 29)])
def test_the_modulus_is_the_smallest_prime_with_such_roots(n, p):
    assert transform_modulus(n) == p


@pytest.mark.parametrize("modulus", [13, 9, 1, 0])
def test_a_modulus_without_such_roots_is_refused(modulus):
    with pytest.raises(UserError, match=f"modulus is {modulus}; a "):
        number_theoretic_transform(8, modulus=modulus)


def test_a_modulus_of_one_s_own_is_taken():
    circuit = number_theoretic_transform(8, modulus=257)
    assert evaluate(circuit, [1] * 8, modulus=257) == [8] + [0] * 7
