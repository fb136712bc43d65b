"""Products by plans of every kind against dense matrices from the definition."""

from __future__ import annotations

import math

import pytest
import torch
from factor_matrices import product_matrix, random_twiddle
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bestiary.errors import UserError
from bestiary.operators.butterfly import explain, merge_all, multiply, plan_for

ORDERS = [
    ("falling",),
    ("rising",),
    ("falling", "rising"),
    ("rising", "falling"),
    ("falling", "rising", "falling", "rising"),
]


@st.composite
def cuts(draw):
    """Radices of up to five fields whose product is at most 64."""
    bits = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5).filter(lambda b: sum(b) <= 6))
    return tuple(2**b for b in bits)


@settings(max_examples=60, deadline=None)
@given(
    cuts(),
    st.sampled_from(ORDERS),
    st.sampled_from([(), (2,), (3, 2)]),
    st.sampled_from([torch.float64, torch.complex128]),
    st.sampled_from([1, 3, 70]),
    st.booleans(),
)
def test_every_cut_into_radices_multiplies_by_the_written_product(
    radices, orders, stack, dtype, batch, batch_last
):
    n = 1
    for radix in radices:
        n *= radix
    twiddle = random_twiddle(n, orders, stack, dtype)
    x = torch.randn(batch, *stack, n, dtype=dtype)
    members = twiddle.reshape(-1, *twiddle.shape[len(stack) :])
    matrices = torch.stack([product_matrix(member, orders) for member in members])
    expected = torch.einsum("...ij,b...j->b...i", matrices.reshape(*stack, n, n), x)
    given = x.movedim(0, -1) if batch_last else x
    y = multiply(given, twiddle, orders, radices=radices, batch_last=batch_last)
    assert y.is_contiguous() and y.shape == given.shape
    assert_close(y.movedim(-1, 0) if batch_last else y, expected)


@pytest.mark.parametrize("orders", ORDERS)
@pytest.mark.parametrize("stack", [(), (2,)])
def test_factors_one_by_one_give_the_same_product(orders, stack):
    twiddle = random_twiddle(16, orders, stack)
    x = torch.randn(4, 5, *stack, 16, dtype=torch.float64)
    by_factors = multiply(x, twiddle, orders, path="factors")
    assert_close(multiply(x, twiddle, orders, path="blocks"), by_factors)
    columns = torch.randn(*stack, 16, 9, dtype=torch.float64)
    by_factors = multiply(columns, twiddle, orders, path="factors", batch_last=True)
    assert_close(multiply(columns, twiddle, orders, path="blocks", batch_last=True), by_factors)


@pytest.mark.parametrize("shape", [(8,), (3, 8), (2, 5, 8), (0, 8)])
@pytest.mark.parametrize("path", ["blocks", "factors"])
def test_any_number_of_axes_may_come_before_the_vector(shape, path):
    twiddle = random_twiddle(8, ("falling",))
    x = torch.randn(shape, dtype=torch.float64)
    expected = x @ product_matrix(twiddle, ("falling",)).mT
    assert_close(multiply(x, twiddle, path=path), expected)


def test_one_vector_may_be_stretched_over_a_stack():
    twiddle = random_twiddle(8, ("falling",), stack=(2,))
    x = torch.randn(3, 1, 8, dtype=torch.float64)
    expected = multiply(x.expand(3, 2, 8), twiddle)
    for path in ("blocks", "factors"):
        assert_close(multiply(x, twiddle, path=path), expected)


@pytest.mark.parametrize("radices", [(16,), (4, 4), (2, 2, 4), (2, 2, 2, 2)])
@pytest.mark.parametrize("orders", [("falling",), ("rising",), ("falling", "rising")])
@pytest.mark.parametrize("batch_last", [False, True])
def test_gradients_are_exact_for_every_layout(radices, orders, batch_last):
    twiddle = random_twiddle(16, orders).requires_grad_()
    shape = (16, 20) if batch_last else (20, 16)
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda x, t: multiply(x, t, orders, radices=radices, batch_last=batch_last),
        (x, twiddle),
        fast_mode=True,
    )


@pytest.mark.parametrize("path", ["blocks", "factors"])
@pytest.mark.parametrize("stack", [(), (2,)])
def test_complex_gradients_and_second_derivatives_are_exact(path, stack):
    orders = ("falling", "rising")
    twiddle = random_twiddle(4, orders, stack, torch.complex128).requires_grad_()
    x = torch.randn(6, *stack, 4, dtype=torch.complex128, requires_grad=True)
    radices = (2, 2) if path == "blocks" else None

    def product(x, t):
        return multiply(x, t, orders, path=path, radices=radices)

    assert torch.autograd.gradcheck(product, (x, twiddle))
    assert torch.autograd.gradgradcheck(product, (x, twiddle), fast_mode=True)


def test_gradients_come_back_without_gaps():
    twiddle = random_twiddle(16, ("falling",)).requires_grad_()
    x = torch.randn(20, 16, dtype=torch.float64, requires_grad=True)
    for radices in ((4, 4), (2, 2, 4)):
        x.grad = None
        multiply(x, twiddle, radices=radices).sum().backward()
        assert x.grad.is_contiguous()


@pytest.mark.parametrize("radices", [(4, 4), (16, 16, 16), (64, 64)])
def test_function_transforms_work(radices):
    # At n = 4096 transpositions go by way of padded rows, a slab of them at a time.
    n = math.prod(radices)
    twiddle = random_twiddle(n, ("falling",))
    x, tangent = (torch.randn(20, n, dtype=torch.float64) for _ in range(2))

    def product(x, path="blocks"):
        return multiply(x, twiddle, radices=radices if path == "blocks" else None, path=path)

    expected = product(tangent, "factors")
    _, along = torch.func.jvp(product, (x,), (tangent,))
    assert_close(along, expected)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, tangent)
        along = torch.autograd.forward_ad.unpack_dual(product(dual)).tangent
    assert_close(along, expected)
    many = torch.randn(3, 20, n, dtype=torch.float64)
    expected = product(many.flatten(0, 1), "factors").unflatten(0, (3, 20))
    assert_close(torch.vmap(product)(many), expected)
    with torch.no_grad():
        assert_close(torch.vmap(product)(many), expected)
    gradients = [
        torch.func.grad(lambda x, path=path: (product(x, path) * tangent).sum())(x)
        for path in ("blocks", "factors")
    ]
    assert_close(*gradients)


@pytest.mark.parametrize("orders", [("falling",), ("rising",), ("falling", "rising")])
def test_gradients_at_large_sizes_are_those_of_the_factors(orders):
    gradients = []
    for path in ("blocks", "factors"):
        twiddle = random_twiddle(4096, orders).requires_grad_()
        x = torch.randn(50, 4096, dtype=torch.float64, generator=torch.manual_seed(1))
        x.requires_grad_()
        (multiply(x, twiddle, orders, path=path) ** 2).sum().backward()
        gradients.append((x.grad, twiddle.grad))
    assert_close(*gradients)


@pytest.mark.parametrize("n", [512, 4096])
def test_float32_keeps_its_precision_at_large_n(n):
    twiddle = random_twiddle(n, ("falling", "rising"))
    x = torch.randn(20, n, dtype=torch.float64)
    exact = multiply(x, twiddle, ("falling", "rising"), path="factors")
    for path in ("blocks", "factors"):
        y = multiply(x.float(), twiddle.float(), ("falling", "rising"), path=path)
        assert y.dtype == torch.float32
        assert (y.double() - exact).norm() <= 2e-6 * exact.norm()


def test_the_wider_dtype_wins():
    twiddle = random_twiddle(8, ("falling",), dtype=torch.complex64)
    assert multiply(torch.ones(3, 8), twiddle).dtype == torch.complex64
    assert multiply(torch.ones(3, 8, dtype=torch.float64), twiddle).dtype == torch.complex128


def test_blocks_merged_once_serve_any_batch():
    twiddle = random_twiddle(64, ("falling", "rising"), stack=(2,))
    plan = plan_for(64, 32, ("falling", "rising"), stack=2, radices=(8, 8))
    merged = merge_all(twiddle, plan)
    for batch in (1, 32, 100):
        x = torch.randn(batch, 2, 64, dtype=torch.float64)
        expected = multiply(x, twiddle, ("falling", "rising"), path="factors")
        assert_close(merged.rows(x.reshape(batch, -1)).reshape(x.shape), expected)
        assert_close(merged.columns(x.reshape(batch, -1).T).T.reshape(x.shape), expected)


def test_merged_blocks_take_memory_linear_in_n_log_n():
    for levels in (8, 12, 16):
        n = 1 << levels
        plan = plan_for(n, 256, path="blocks")
        stored = sum(n * radix for radix in plan.radices)
        assert max(plan.radices) <= 64
        assert stored <= 64 / 6 * n * levels + 64 * n


def test_shapes_and_dtypes_that_do_not_go_together_are_refused():
    twiddle = random_twiddle(8, ("falling",))
    with pytest.raises(UserError, match=r"x has shape \(3, 4\) \(accepted: \(\.\.\., 8\)\)"):
        multiply(torch.ones(3, 4), twiddle)
    with pytest.raises(UserError, match=r"x has shape \(3, 8\) \(accepted: \(8, batch\)\)"):
        multiply(torch.ones(3, 8), twiddle, batch_last=True)
    with pytest.raises(UserError, match=r"does not fit 2 butterflies"):
        multiply(torch.ones(3, 8), twiddle, ("falling", "rising"))
    with pytest.raises(UserError, match=r"x is torch.int64"):
        multiply(torch.ones(3, 8, dtype=torch.long), twiddle)
    with pytest.raises(UserError, match=r"unknown order of factors 'up'"):
        multiply(torch.ones(3, 8), twiddle, ("up",))
    with pytest.raises(UserError, match=r"unknown butterfly path 'fast'"):
        explain(torch.ones(3, 8), twiddle, path="fast")
    with pytest.raises(UserError, match=r"radices \(2, 2\) multiply to 4, not to n = 8"):
        multiply(torch.ones(3, 8), twiddle, radices=(2, 2))
    with pytest.raises(UserError, match=r"radix 3 is no power of two"):
        multiply(torch.ones(3, 8), twiddle, radices=(3, 2))
    with pytest.raises(UserError, match=r"n is 12"):
        plan_for(12, 1)
