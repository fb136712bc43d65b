"""Butterflies in B and B* against products of factors written entry by entry."""

from __future__ import annotations

import pytest
import torch
from butterfly_oracle import product_by_entries, random_butterfly, random_factor
from torch.testing import assert_close

from bestiary.errors import UserError
from bestiary.structured import Butterfly, Kaleidoscope, falling_sizes


@pytest.mark.parametrize("n", [2, 4, 8, 32])
@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_a_butterfly_is_the_written_product_of_its_factors(n, adjoint, dtype):
    butterfly = random_butterfly(n, dtype, adjoint=adjoint)
    expected = torch.from_numpy(product_by_entries(butterfly.factors)).to(dtype)
    assert_close(butterfly.dense(), expected)
    x = torch.randn(7, n, dtype=dtype)
    assert_close(butterfly.apply(x), x @ expected.mT)


def test_sizes_fall_in_b_and_rise_in_b_star():
    b, star = random_butterfly(16), random_butterfly(16, adjoint=True)
    assert b.sizes == (16, 8, 4, 2) and b.in_b and not b.in_b_star
    assert star.sizes == (2, 4, 8, 16) and star.in_b_star and not star.in_b
    two = random_butterfly(2)
    assert two.in_b and two.in_b_star


@pytest.mark.parametrize("adjoint", [False, True])
def test_transpose_and_inverse_are_in_the_other_class(adjoint):
    butterfly = random_butterfly(8, torch.complex128, adjoint=adjoint)
    dense = butterfly.dense()
    for other, expected in [
        (butterfly.transpose(), dense.mT),
        (butterfly.adjoint(), dense.mH),
        (butterfly.inverse(), torch.linalg.inv(dense)),
    ]:
        assert isinstance(other, Butterfly)
        assert (other.in_b, other.in_b_star) == (adjoint, not adjoint)
        assert_close(other.dense(), expected)
    assert_close(butterfly.conjugate().dense(), dense.conj())


def test_two_stacked_butterflies_act_each_on_its_own_vectors():
    butterfly = random_butterfly(8, stack=(2,))
    x = torch.randn(5, 2, 8, dtype=torch.float64)
    y = butterfly.apply(x)
    for member in range(2):
        alone = Butterfly.from_packed(butterfly.packed()[member])
        assert_close(alone.apply(x[:, member]), y[:, member])
        expected = torch.from_numpy(product_by_entries(alone.factors))
        assert_close(butterfly.dense()[member], expected)


def test_the_packed_form_gives_the_butterfly_back():
    for adjoint in (False, True):
        butterfly = random_butterfly(8, adjoint=adjoint, stack=(2, 3))
        assert butterfly.packed().shape == (2, 3, 3, 2, 2, 4)
        again = Butterfly.from_packed(butterfly.packed(), adjoint=adjoint)
        assert torch.equal(again.dense(), butterfly.dense())


def test_gradients_reach_the_twiddles():
    packed = random_butterfly(8).packed().requires_grad_()
    x = torch.randn(2, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p, x: Butterfly.from_packed(p).apply(x), (packed, x))


def test_embedding_keeps_the_butterfly_in_the_corner_of_the_identity():
    for adjoint in (False, True):
        butterfly = random_butterfly(4, adjoint=adjoint)
        expected = torch.block_diag(butterfly.dense(), torch.eye(12, dtype=torch.float64))
        larger = butterfly.embed(16)
        assert larger.in_b_star == adjoint
        assert_close(larger.dense(), expected)


def test_factors_of_several_dtypes_are_brought_to_one():
    mixed = Butterfly([random_factor(4, 4, torch.complex64), random_factor(4, 2)])
    assert mixed.dtype == torch.complex128


def test_b_times_b_star_is_a_kaleidoscope_and_other_products_are_kept():
    b, star = random_butterfly(8), random_butterfly(8, adjoint=True, seed=1)
    assert isinstance(b @ star, Kaleidoscope)
    for product in (b @ star, star @ b, b @ b, b @ star @ b):
        assert product.n == 8
    assert_close((star @ b).dense(), star.dense() @ b.dense())
    assert_close((b @ b).dense(), b.dense() @ b.dense())


def test_counts_and_names():
    butterfly = random_butterfly(16, stack=(2,))
    assert butterfly.parameter_count == 2 * 2 * 16 * 4
    assert Butterfly.identity(16).count_nonzero() == 16 * 4
    assert repr(random_butterfly(4)) == "Butterfly(n=4, B, float64)"
    assert repr(random_butterfly(4, adjoint=True, stack=(2,))).endswith("B*, float64, stack=(2,))")


def test_a_singular_butterfly_names_the_factor_that_is():
    factors = list(random_butterfly(8))
    factors[1] = factors[1].scale_rows(torch.tensor([1.0, 1, 1, 1, 1, 0, 1, 1]))
    with pytest.raises(UserError, match="block 1 of the butterfly factor of size 4"):
        Butterfly(factors).inverse()


def test_factors_in_no_butterfly_order_are_refused():
    a, b, c = (random_factor(8, k) for k in (2, 4, 8))
    for wrong in ([a, c, b], [c, b], [a], [c, b, a, a]):
        with pytest.raises(UserError, match=r"accepted: \(8, 4, 2\) for B, \(2, 4, 8\) for B\*"):
            Butterfly(wrong)
    with pytest.raises(UserError, match="got none"):
        Butterfly([])
    with pytest.raises(UserError, match="differ in n or in their stack"):
        Butterfly([random_factor(8, 8), random_factor(4, 2)])
    with pytest.raises(UserError, match="such as 16"):
        falling_sizes(12)
