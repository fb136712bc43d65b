"""Circuits in few channels: exact, never wider than asked, as deep as counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_circuits import random_circuits

from bestiary.circuits.library import LIBRARY
from bestiary.circuits.tracing import traced
from bestiary.compile.compiling import compile_program
from bestiary.compile.from_circuit import compile_circuit
from bestiary.compile.from_circuit.batches import TooFewChannels, batches
from bestiary.compile.interpret import interpret
from bestiary.errors import UserError


def pairs(x):
    """Six products of three factors."""
    return [(x[i] + x[j]) * (x[i] - x[j]) * x[i] for i in range(4) for j in range(i)]


@settings(deadline=None, max_examples=60)
@given(random_circuits(most_degree=32), st.floats(0.3, 1.5), st.integers(0, 2**32 - 1))
def test_a_random_circuit_is_exact_in_so_few_channels(made, share, seed):
    circuit = made.circuit
    channels = max(1, int(share * compile_circuit(circuit).stack.width))
    try:
        program = batches(circuit, channels)
    except UserError:
        assume(False)
    compiled = compile_program(program)
    assert compiled.stack.width <= channels
    row = np.random.default_rng(seed).integers(-4, 5, circuit.width_in)
    found = interpret(compiled.placed, row[None], exactly=True).ravel().tolist()
    assert found == made.expected(row.tolist())


def test_fewer_channels_never_take_fewer_layers():
    made, layers = traced(pairs, {"x": 4}), []
    for channels in (24, 16, 12, 10, 8):
        stack = compile_program(batches(made, channels)).stack
        assert stack.width <= channels
        layers.append(len(stack.layers))
        row = torch.tensor([[[1.0, -2.0, 3.0, 5.0]]], dtype=torch.float64)
        assert stack(row).flatten().tolist() == pairs([1, -2, 3, 5])
    assert layers == sorted(layers)
    # Two products after each other, of two layers each; what comes out are products.
    assert layers[0] == 4 < layers[-1]


def test_a_long_sum_of_products_is_added_up_in_one_channel():
    # 24 distinct products of three inputs; all at once would take 24 channels.
    def many(x):
        a, b, c = x
        return sum((a + i * b) * (b + i * c) for i in range(24))

    made = traced(many, {"x": 3})
    wide = compile_circuit(made).stack
    small = compile_circuit(made, channels=6).stack
    assert wide.width >= 24
    assert small.width <= 6
    row = torch.tensor([[[2.0, 3.0, 5.0]]], dtype=torch.float64)
    expected = sum((2 + 3 * i) * (3 + 5 * i) for i in range(24))
    assert small(row).item() == wide(row).item() == expected


def exchanges(a, b, bits):
    """Two numbers, exchanged where a bit is 1, again and again."""
    for bit in bits:
        moved = bit * (b - a)
        a, b = a + moved, b - moved
    return [a, b]


def test_values_made_of_ever_more_products_stay_in_as_few_channels_as_they_are():
    # After i exchanges the two numbers are sums of i + 2 terms, and 12 - i bits are left. A product
    # takes the channel of its bit, and its other factor one beside the 14 inputs.
    made = traced(exchanges, {"a": (), "b": (), "bits": 12})
    stack = compile_circuit(made, channels=15).stack
    assert stack.width <= 15
    bits = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0]
    row = torch.tensor([[[3.0, -7.0, *bits]]], dtype=torch.float64)
    assert stack(row).flatten().tolist() == [-7, 3]
    assert exchanges(3, -7, bits) == [-7, 3]


def shared_sums(x, y):
    """Sums that two products use, made of products that both use."""
    own = [x[i] * y[i] for i in range(6)]
    total, difference = sum(own[:3]), sum(own[3:])
    return [total * difference, (total + difference) * x[0], (total - difference) * y[0]]


def test_sums_that_several_gates_use_fit_into_the_channels_of_the_inputs():
    made = traced(shared_sums, {"x": 6, "y": 6})
    stack = compile_circuit(made, channels=12).stack
    assert stack.width <= 12
    row = [1, 2, 3, 4, 5, 6, -3, 1, 4, -1, 5, -9]
    given = torch.tensor([[row]], dtype=torch.float64)
    assert stack(given).flatten().tolist() == shared_sums(row[:6], row[6:])


def test_sums_in_which_all_cancels_are_numbers():
    def cancelled(x, y):
        nothing = x - x
        return [(nothing + 2) * y * x, nothing, nothing * y]

    made = traced(cancelled, {})
    stack = compile_program(batches(made, 5)).stack
    row = torch.tensor([[[3.0, 5.0]]], dtype=torch.float64)
    assert stack(row).flatten().tolist() == [30, 0, 0]


def test_begun_comparisons_do_not_fill_the_channels_of_a_sort():
    # All that can be formed at once would fill 57 channels with comparisons that none can end.
    stack = compile_circuit(LIBRARY["sort-bitonic"].make(8), channels=57).stack
    assert stack.width <= 57
    keys = [9, 3, 14, 3, 0, 15, 8, 1]

    def bits(numbers):
        return [float(key >> i & 1) for key in numbers for i in range(4)]

    given = torch.tensor([[bits(keys)]], dtype=torch.float64)
    assert stack(given).flatten().tolist() == bits(sorted(keys))


def test_a_budget_that_is_enough_changes_nothing():
    made = traced(pairs, {"x": 4})
    free = compile_circuit(made).stack
    held = compile_circuit(made, channels=free.width).stack
    assert (len(held.layers), held.width) == (len(free.layers), free.width)


@pytest.mark.parametrize(("channels", "words"), [(5, "needs at least 6"), (7, "8 are needed")])
def test_batches_say_what_is_missing(channels, words):
    with pytest.raises(TooFewChannels, match=words) as error:
        batches(traced(pairs, {"x": 4}), channels)
    assert error.value.channels == channels


def chain(x):
    """Products one after the other, of sums of eight inputs: more than the inputs is needed."""
    value = x[0]
    for i in range(1, 8):
        value = (value + x[i]) * (x[i - 1] + 2 * x[i])
    return value


@pytest.mark.parametrize(("function", "inputs"), [(pairs, 4), (chain, 8)])
def test_too_few_channels_are_refused_with_a_number_that_is_enough(function, inputs):
    made = traced(function, {"x": inputs})
    told = []
    for channels in range(1, inputs):
        with pytest.raises(UserError) as error:
            compile_circuit(made, channels=channels)
        start = f"channels is {channels}, too few for {made.name}: the wide layout fits into "
        assert str(error.value).startswith(start)
        told.append(int(str(error.value).removeprefix(start).partition(",")[0]))
        assert "layout narrow, or auto, into 4" in str(error.value)
    for enough in set(told):
        assert compile_circuit(made, channels=enough).stack.width <= enough
        with pytest.raises(UserError, match="too few"):
            compile_circuit(made, channels=enough - 1)


def test_what_the_error_for_too_few_channels_points_to_takes_as_few_as_it_says():
    made = traced(pairs, {"x": 4})
    assert compile_circuit(made, "narrow").stack.width <= 4
    assert compile_circuit(made, "auto", channels=4).stack.width <= 4


def test_a_circuit_in_rows_or_of_few_channels_is_not_told_of_the_narrow_layout():
    with pytest.raises(UserError, match=r"the wide layout fits into [0-9]+$"):
        compile_circuit(traced(pairs, {"x": 4}), "auto", rows=2, channels=4)
    with pytest.raises(UserError, match=r"the wide layout fits into [23]$"):
        compile_circuit(traced(lambda x, y: x * y, {}), channels=1)
