"""Circulant, Toeplitz, Hankel and Vandermonde matrices against scipy and numpy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.structured.transforms import (
    anticirculant,
    causal_convolution,
    chirp_dft,
    circulant,
    hankel,
    toeplitz,
    vandermonde,
)


def drawn(n, seed=0, is_complex=False):
    generator = np.random.default_rng((seed, n))
    values = generator.standard_normal(n)
    return values + 1j * generator.standard_normal(n) if is_complex else values


def close(member, expected):
    size = max(1, np.abs(expected).max())
    return np.abs(member.dense().numpy() - expected).max() <= 1e-12 * size


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.booleans(), st.integers(0, 9))
def test_toeplitz_and_hankel_of_any_size_are_corners(n, is_complex, seed):
    column, row = drawn(n, seed, is_complex), drawn(n, seed + 100, is_complex)
    for made, expected in (
        (toeplitz(column, row), scipy.linalg.toeplitz(column, row)),
        (toeplitz(column), scipy.linalg.toeplitz(column)),
        (hankel(column, row), scipy.linalg.hankel(column, row)),
        (hankel(column), scipy.linalg.hankel(column)),
    ):
        assert close(made, expected)
        assert (made.n, made.width, made.expansion) == (n, 1, 2)


@pytest.mark.parametrize("n", [2, 4, 32])
def test_circulants_are_circular_convolutions_and_invert_in_their_class(n):
    column = drawn(n, is_complex=True)
    made, expected = circulant(column), scipy.linalg.circulant(column)
    assert close(made, expected) and (made.width, made.expansion) == (1, 1)
    assert close(made.inverse(), np.linalg.inv(expected)) and made.inverse().width == 1
    index = np.add.outer(np.arange(n), np.arange(n)) % n
    assert close(anticirculant(column), column[index])


def test_an_impulse_gives_back_the_filter_and_one_at_the_end_touches_only_the_last_output():
    taps = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    made = causal_convolution(taps)
    first, last = torch.zeros(5), torch.zeros(5)
    first[0], last[4] = 1, 1
    assert torch.allclose(made.apply(first).real.float(), taps, atol=1e-6)
    assert torch.allclose(made.apply(last).real, torch.tensor([0.0, 0, 0, 0, 1]).double())


def test_a_circulant_is_not_padded_since_that_would_be_another_matrix():
    with pytest.raises(UserError, match="a circulant of size 6 cannot be padded"):
        circulant(np.ones(6))
    with pytest.raises(UserError, match="wraps around at 3"):
        anticirculant(np.ones(3))


def test_bad_columns_are_refused_with_the_entry():
    with pytest.raises(UserError, match=r"first column of a circulant has the entry nan at \(1,\)"):
        circulant([1.0, float("nan")])
    with pytest.raises(UserError, match="column of 3 entries and a first row of 2"):
        toeplitz([1, 2, 3], [1, 2])
    with pytest.raises(UserError, match="column of 3 entries and a last row of 2"):
        hankel([1, 2, 3], [1, 2])
    with pytest.raises(UserError, match=r"shape \(2, 2\) \(accepted: \(n,\)"):
        toeplitz(np.eye(2))
    with pytest.raises(UserError, match="is str, no array of numbers"):
        circulant("ab")


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 100])
def test_the_dft_of_any_size_is_a_corner_by_its_chirp(n):
    made = chirp_dft(n)
    assert close(made, np.fft.fft(np.eye(n)))
    assert (made.n, made.width, made.expansion) == (n, 1, 2)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 40),
    st.floats(-np.pi, np.pi),
    st.floats(-np.pi, np.pi),
    st.sampled_from([1.0, 1.001, 0.999]),
)
def test_geometric_nodes_on_or_near_the_unit_circle_are_exact(n, start, angle, modulus):
    nodes = np.exp(1j * start) * (modulus * np.exp(1j * angle)) ** np.arange(n)
    expected = np.vander(nodes, increasing=True)
    made = vandermonde(nodes)
    assert np.abs(made.dense().numpy() - expected).max() <= 1e-11 * np.abs(expected).max()
    assert (made.width, made.expansion) == (1, 2)


def test_real_geometric_nodes_that_grow():
    nodes = 0.5 * 2.0 ** np.arange(6)
    expected = np.vander(nodes, increasing=True)
    assert np.abs(vandermonde(nodes).dense().numpy() - expected).max() <= 1e-12 * expected.max()


def test_other_nodes_and_lost_digits_are_refused_in_a_sentence():
    with pytest.raises(UserError, match=r"node 2 .* is 3\+0j where geometric nodes have 4\+0j"):
        vandermonde([1.0, 2.0, 3.0])
    with pytest.raises(UserError, match="is 0; geometric nodes are not"):
        vandermonde([1.0, 0.0, 0.0])
    with pytest.raises(UserError, match=r"modulus 0\.9 need terms of 10\^91"):
        vandermonde(0.9 ** np.arange(64))
    with pytest.raises(UserError, match="accepted: moduli nearer to 1, or fewer nodes"):
        vandermonde(1.1 ** np.arange(256))
