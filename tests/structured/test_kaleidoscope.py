"""Kaleidoscopes against products of dense butterflies, cut to their corner."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from butterfly_oracle import product_by_entries, random_butterfly, random_kaleidoscope
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bestiary.errors import UserError
from bestiary.structured import Butterfly, Diagonal, Kaleidoscope, Permutation, Product


def corner(kaleidoscope):
    factors = [f for b in kaleidoscope.butterflies for f in b.factors]
    n = kaleidoscope.n
    return torch.from_numpy(product_by_entries(factors)[:n, :n])


@pytest.mark.parametrize(("size", "n"), [(2, 2), (8, 8), (8, 4), (16, 4), (8, 5), (4, 1)])
@pytest.mark.parametrize("width", [1, 2])
def test_a_kaleidoscope_is_the_corner_of_the_written_product(size, n, width):
    matrix = random_kaleidoscope(size, width, n=n)
    assert_close(matrix.dense(), corner(matrix))
    x = torch.randn(3, 2, n, dtype=torch.float64)
    assert_close(matrix.apply(x), x @ corner(matrix).mT)
    assert (matrix.width, matrix.size) == (width, size)


def test_expansion_is_the_size_over_the_power_of_two_that_holds_n():
    made = {n: random_kaleidoscope(16, 1, n=n).expansion for n in (16, 9, 8, 5, 4, 2, 1)}
    assert made == {16: 1, 9: 1, 8: 2, 5: 2, 4: 4, 2: 8, 1: 8}


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 8),
    st.sampled_from([8, 16]),
    st.sampled_from([8, 16, 32]),
    st.integers(1, 2),
    st.integers(1, 2),
)
def test_products_concatenate_whatever_the_expansions(n, size, other, width, another):
    a = random_kaleidoscope(size, width, n=n)
    b = random_kaleidoscope(other, another, n=n, seed=7)
    product = a @ b
    assert isinstance(product, Kaleidoscope)
    assert product.width == width + another and product.size == max(size, other)
    assert_close(product.dense(), a.dense() @ b.dense())


@pytest.mark.parametrize("n", [8, 5])
def test_transpose_and_conjugate_stay_in_the_class(n):
    matrix = random_kaleidoscope(8, 2, torch.complex128, n=n)
    for other, expected in [
        (matrix.transpose(), matrix.dense().mT),
        (matrix.conjugate(), matrix.dense().conj()),
        (matrix.adjoint(), matrix.dense().mH),
    ]:
        assert (other.width, other.expansion, other.n) == (2, 1, n)
        assert_close(other.dense(), expected)


def test_bb_star_is_closed_under_inverse():
    matrix = random_kaleidoscope(8, 1)
    inverse = matrix.inverse()
    assert inverse.width == 1
    assert_close(inverse.dense(), torch.linalg.inv(matrix.dense()))


def test_a_butterfly_of_either_class_is_a_kaleidoscope_of_width_1():
    for adjoint in (False, True):
        butterfly = random_butterfly(8, adjoint=adjoint)
        assert_close(Kaleidoscope.of(butterfly).dense(), butterfly.dense())
        assert Kaleidoscope.of(butterfly).width == 1
    matrix, butterfly = random_kaleidoscope(8, 1), random_butterfly(8, seed=4)
    assert_close((matrix @ butterfly).dense(), matrix.dense() @ butterfly.dense())
    identity = Kaleidoscope.identity(4, torch.complex64)
    assert torch.equal(identity.dense(), torch.eye(4, dtype=torch.complex64))


def test_a_kaleidoscope_of_the_smallest_size_expands_though_its_factors_are_in_both_classes():
    matrix = random_kaleidoscope(2, 2)
    larger = matrix.expand(8)
    assert (larger.n, larger.size, larger.width) == (2, 8, 2)
    assert_close(larger.dense(), matrix.dense())


def test_stacks_and_counts():
    matrix = random_kaleidoscope(8, 2, n=4, stack=(3,))
    assert matrix.parameter_count == 3 * 4 * (2 * 8 * 3)
    assert Kaleidoscope.identity(8).count_nonzero() == 2 * 3 * 8
    x = torch.randn(5, 3, 4, dtype=torch.float64)
    expected = torch.einsum("sij,bsj->bsi", matrix.dense(), x)
    assert_close(matrix.apply(x), expected)
    assert repr(matrix) == "Kaleidoscope(n=4, size=8, w=2, e=2, float64, stack=(3,))"


def test_what_is_no_kaleidoscope_is_refused():
    b, star = random_butterfly(8), random_butterfly(8, adjoint=True)
    with pytest.raises(UserError, match="even number of butterflies; got 1"):
        Kaleidoscope([b])
    with pytest.raises(UserError, match=r"butterfly 1 .* must be a member of B\*"):
        Kaleidoscope([b, b])
    with pytest.raises(UserError, match=r"butterfly 0 .* must be a member of B$"):
        Kaleidoscope([star, star])
    with pytest.raises(UserError, match="n is 9; the corner of a size 8"):
        Kaleidoscope([b, star], 9)
    with pytest.raises(UserError, match="differ in n"):
        Kaleidoscope([b, random_butterfly(4, adjoint=True)])
    with pytest.raises(UserError, match="5×5 corner of a size 8"):
        random_kaleidoscope(8, 1, n=5).inverse()


def test_a_permutation_gathers_and_its_product_composes():
    p, q = Permutation([2, 0, 1, 3]), Permutation([3, 2, 1, 0])
    x = torch.tensor([10.0, 11.0, 12.0, 13.0])
    assert p.apply(x).tolist() == [12.0, 10.0, 11.0, 13.0]
    assert torch.equal(p.dense() @ x, p.apply(x))
    assert isinstance(p @ q, Permutation)
    assert torch.equal((p @ q).dense(), p.dense() @ q.dense())
    assert torch.equal(p.inverse().dense(), p.dense().T)
    assert Permutation.bit_reversal(8).source.tolist() == [0, 4, 2, 6, 1, 5, 3, 7]
    assert p.parameter_count == p.count_nonzero() == 0
    for wrong, words in [([0, 0, 1], "index 0 twice"), ([0, 3, 1], "index 3 out of range")]:
        with pytest.raises(UserError, match=words):
            Permutation(wrong)


def test_a_diagonal_scales_and_is_inverted_where_no_entry_is_zero():
    d = Diagonal(torch.tensor([1.0, 2.0, 4.0]))
    assert d.apply(torch.ones(3)).tolist() == [1.0, 2.0, 4.0]
    assert torch.equal((d @ d.inverse()).dense(), torch.eye(3))
    with pytest.raises(UserError, match=r"0 at \(1,\)"):
        Diagonal(torch.tensor([1.0, 0.0])).inverse()


def test_a_mixed_product_is_kept_in_written_order():
    butterfly = random_butterfly(8, torch.complex128)
    reversal = Permutation.bit_reversal(8)
    diagonal = Diagonal(torch.arange(1.0, 9.0))
    product = diagonal @ butterfly @ reversal
    assert isinstance(product, Product) and len(product.factors) == 3
    dense = diagonal.dense().to(torch.complex128) @ butterfly.dense()
    dense = dense @ reversal.dense().to(torch.complex128)
    assert_close(product.dense(), dense)
    assert_close(product.transpose().dense(), dense.mT)
    assert_close(product.adjoint().dense(), dense.mH)
    assert_close(product.inverse().dense(), torch.linalg.inv(dense))
    assert product.dtype == torch.complex128
    with pytest.raises(UserError, match="n differs"):
        product @ Permutation.identity(4)


def test_the_dft_is_a_butterfly_after_the_bit_reversal():
    n = 8
    reversal = Permutation.bit_reversal(n)
    # Cooley-Tukey: B_k has [[I, Ω], [I, -Ω]], Ω = diag(exp(-2πip/k)).
    factors = []
    for k in (8, 4, 2):
        omega = np.exp(-2j * np.pi * np.arange(k // 2) / k)
        block = np.stack([[omega**0, omega], [omega**0, -omega]])
        factors.append(torch.from_numpy(np.broadcast_to(block, (n // k, 2, 2, k // 2)).copy()))
    dft = (
        Butterfly.from_packed(torch.stack([t.movedim(0, -2).flatten(-2) for t in factors]))
        @ reversal
    )
    assert_close(dft.dense(), torch.from_numpy(np.fft.fft(np.eye(n))))
