"""From which size of whole numbers on a stack rounds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import Circuit, circuit, parity_signs
from bestiary.circuits.library import LIBRARY
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.rounding import exactness, largest_exact, need_of, significand
from bestiary.compile.verify import layer_outputs
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.tap_filter import TapFilter


@pytest.mark.parametrize(
    ("dtype", "bits"), [(torch.float64, 53), (torch.float32, 24), (torch.bfloat16, 8)]
)
def test_a_significand_of_so_many_bits_holds_all_whole_numbers_up_to_a_power_of_two(dtype, bits):
    assert significand(dtype) == bits
    most = 2**bits
    assert torch.tensor(most - 1, dtype=torch.int64).to(dtype).to(torch.int64) == most - 1
    if bits < 53:
        assert torch.tensor(float(most + 1), dtype=torch.float64).to(dtype).double() != most + 1


def stack_of(made: Circuit) -> tuple[BaseConvStack, int]:
    compiled = compile_circuit(made)
    return compiled.stack, compiled.source.width


def power(exponent: int) -> Circuit:
    @circuit
    def raised(x):
        return x**exponent

    return raised


@pytest.mark.parametrize("exponent", [2, 3, 4, 8, 12, 24])
def test_a_power_is_exact_up_to_the_root_of_the_largest_whole_number(exponent):
    stack, width = stack_of(power(exponent))
    most = max(b for b in range(1, 2**12 + 1) if b**exponent <= 2**24)
    assert largest_exact(stack, 1, width, torch.float32) == most
    most = max(b for b in range(1, 2**4 + 1) if b**exponent <= 2**8)
    assert largest_exact(stack, 1, width, torch.bfloat16) == most


def test_a_sum_is_exact_as_long_as_it_is_one_of_all_signs_alike():
    @circuit(x=6)
    def alternating(x):
        return x[0] - x[1] + x[2] - x[3] + 3 * x[4] - x[5]

    stack, width = stack_of(alternating)
    assert largest_exact(stack, 1, width, torch.float32) == 2**24 // 8
    assert largest_exact(stack, 1, width, torch.bfloat16) == 2**8 // 8


def test_halves_take_a_bit_each():
    @circuit
    def halved(x):
        return x * Fraction(1, 4) + Fraction(1, 2)

    stack, width = stack_of(halved)
    # x/4 + 1/2 ≤ 2^22 in quarters.
    assert largest_exact(stack, 1, width, torch.float32) == 4 * (2**22) - 2


@pytest.mark.parametrize("number", [0.1, Fraction(1, 3), 2.0**-130, 2.0**128])
def test_nothing_is_said_of_weights_that_float32_does_not_hold(number):
    @circuit
    def scaled(x):
        return x * number

    stack, width = stack_of(scaled)
    assert largest_exact(stack, 1, width, torch.float32) == 0


@pytest.mark.parametrize("n", [8, 64, 100])
def test_a_product_tree_of_signs_is_exact_in_all_formats(n):
    @circuit(x=n)
    def parity(x):
        return parity_signs(x)

    stack, width = stack_of(parity)
    found = exactness(stack, 1, width)
    assert found is not None
    assert found.up_to == {
        "float32": max(b for b in range(1, 9) if b**n <= 2**24),
        "bfloat16": max(b for b in range(1, 9) if b**n <= 2**8),
    }
    signs = torch.from_numpy(np.random.default_rng(n).choice([-1.0, 1.0], size=(50, 1, n)))
    assert need_of(stack, signs).bits == 1


@pytest.mark.parametrize(
    "name", ["majority", "adder-lookahead", "sort-bitonic", "multiplier-counting"]
)
def test_what_is_said_of_tried_bits_is_what_float32_does(name):
    made = LIBRARY[name].make(4)
    stack, width = stack_of(made)
    rng = np.random.default_rng(5)
    bits = torch.from_numpy((rng.random((64, 1, width)) < 0.5).astype(float))
    found = exactness(stack, 1, width, bits)
    assert found is not None and found.tried is not None
    assert found.tried.bits >= whole_bits(stack, bits)
    assert "float32" not in found.beyond
    for single, double in zip(
        layer_outputs(stack.float(), bits.float()),
        layer_outputs(stack.double(), bits),
        strict=True,
    ):
        assert torch.equal(single.double(), double)


def whole_bits(stack: BaseConvStack, batch: torch.Tensor) -> int:
    """Bits of the longest number between layers, by shifting until it is whole."""
    most = 0
    for array in layer_outputs(stack.double(), batch):
        for number in np.unique(np.abs(array.detach().numpy())):
            numerator, _ = Fraction(float(number)).as_integer_ratio()
            while numerator and numerator % 2 == 0:
                numerator //= 2
            most = max(most, numerator.bit_length())
    return most


@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=4), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_within_the_bound_float32_is_exact_for_products_of_sums(factors, seed):
    widest = max(map(len, factors))

    @circuit(x=widest)
    def product(x):
        made = 1
        for factor in factors:
            made = made * sum(c * x[i] for i, c in enumerate(factor))
        return made

    if product.width_in != widest or not product.size:
        return
    compiled = compile_circuit(product)
    most = largest_exact(compiled.stack, 1, widest, torch.float32)
    worst = 1
    for factor in factors:
        worst *= sum(map(abs, factor))
    if worst <= 2**24:
        assert most >= 1
    rng = np.random.default_rng(seed)
    inputs = rng.integers(-most, most + 1, size=(20, widest))
    found = compiled.stack.float()(torch.from_numpy(inputs[:, None].astype(np.float32)))
    exact = [product([int(x) for x in row]) for row in inputs]
    assert found[:, 0, 0].tolist() == [float(number) for number in exact]


def test_a_filter_that_may_be_applied_by_an_fft_is_not_judged():
    layer = BaseConvLayer(ExplicitFilter(torch.ones(4, 2)))
    assert exactness(BaseConvStack([layer], 2), 4, 2) is None


def test_dense_weights_and_biases_by_row_count_like_sparse_ones():
    # Row 0: (x + 1)·x, row 1: (x + 3)·(x + its upper neighbour), for |x| ≤ B at most (B + 3)·2B.
    taps = TapFilter(1, [0, 1], [0, 0], torch.ones(2, dtype=torch.float64))
    bias = torch.tensor([[1.0], [3.0]], dtype=torch.float64)
    layer = BaseConvLayer(taps, torch.ones(1, 1, dtype=torch.float64), bias)
    stack = BaseConvStack([layer], 1, inner_length=2)
    most = max(b for b in range(2**12) if (b + 3) * 2 * b <= 2**24)
    assert largest_exact(stack, 2, 1, torch.float32) == most
