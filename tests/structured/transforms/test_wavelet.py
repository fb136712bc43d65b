"""Daubechies' filters by what defines them, and wavelet transforms by filtering."""

from __future__ import annotations

import numpy as np
import pytest

from bestiary.errors import UserError
from bestiary.structured.transforms import daubechies, haar
from bestiary.structured.transforms.daubechies_filter import scaling_filter
from bestiary.structured.transforms.wavelet import daubechies_width


def filtered(n, taps, levels):
    """Periodic correlation with the taps and their mirror filter, every second one kept."""
    length = len(taps)
    matrix, m = np.eye(n), n
    for _ in range(levels):
        level = np.zeros((m, m))
        for i in range(m // 2):
            for k in range(length):
                level[i, (2 * i + k) % m] += taps[k]
                level[m // 2 + i, (2 * i + k) % m] += (-1) ** k * taps[length - 1 - k]
        matrix[:m] = level @ matrix[:m]
        m //= 2
    return matrix


@pytest.mark.parametrize("p", range(1, 11))
def test_a_scaling_filter_is_orthonormal_and_has_its_vanishing_moments(p):
    taps = scaling_filter(p)
    assert len(taps) == 2 * p and np.isclose(taps.sum(), np.sqrt(2))
    for shift in range(p):
        product = taps[: 2 * p - 2 * shift] @ taps[2 * shift :]
        assert abs(product - (shift == 0)) <= 1e-12
    alternating = taps * (-1.0) ** np.arange(2 * p)
    for moment in range(p):
        powers = (np.arange(2 * p) / (2 * p)) ** moment
        assert abs(alternating @ powers) <= 1e-10


def test_the_filter_of_two_moments_is_in_closed_form():
    root = np.sqrt(3)
    expected = np.array([1 + root, 3 + root, 3 - root, 1 - root]) / (4 * np.sqrt(2))
    assert np.allclose(scaling_filter(2), expected, atol=1e-15)


@pytest.mark.parametrize(("n", "p"), [(2, 3), (4, 10), (8, 1), (32, 2), (16, 3), (8, 6)])
def test_the_lattice_filters_and_costs_p_a_level(n, p):
    made = daubechies(n, p)
    expected = filtered(n, scaling_filter(p), n.bit_length() - 1)
    assert np.abs(made.dense().numpy() - expected).max() <= 1e-12
    # p for every level but that of two entries, where rotations meet without a shift between.
    assert made.width == daubechies_width(n, p) == p * (n.bit_length() - 2) + 1
    assert made.expansion == 1


def test_fewer_levels_are_as_many_rounds_of_filtering():
    made = daubechies(16, 2, levels=1)
    assert made.width == 2
    assert np.abs(made.dense().numpy() - filtered(16, scaling_filter(2), 1)).max() <= 1e-14


def test_haar_is_daubechies_of_one_moment_at_width_two():
    for n in (2, 16):
        assert np.allclose(haar(n).dense().numpy(), daubechies(n, 1).dense().numpy(), atol=1e-14)
        assert haar(n).width == 2


def test_what_there_is_none_of_is_refused():
    with pytest.raises(UserError, match=r"11 vanishing moments \(accepted: 1 to 10\)"):
        daubechies(16, 11)
    with pytest.raises(UserError, match=r"has 5 levels \(accepted: 1 to 4\)"):
        daubechies(16, levels=5)
    with pytest.raises(UserError, match="wavelet transform is 12; it must be a power of two"):
        haar(12)
