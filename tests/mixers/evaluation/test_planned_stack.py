"""A planned evaluation computes what the layers do one after the other."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.evaluation.combs import Comb
from bestiary.mixers.evaluation.plan import StackPlan
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter


def random_bias(rng, width, rows):
    """Levels, often 1 and 0; masks that are evenly spaced runs, intervals or anything."""
    columns = {}
    for channel in range(width):
        kind = rng.integers(6)
        if kind == 1:
            columns[channel] = float(rng.choice([1.0, 1.0, 2.0, -0.5]))
        elif kind == 2:
            run = int(rng.integers(1, 4))
            columns[channel] = (np.arange(rows) // run % 2 == rng.integers(2)) * float(
                rng.choice([1.0, 3.0])
            )
        elif kind == 3:
            mask = np.zeros(rows)
            first, last = sorted(rng.integers(0, rows + 1, size=2))
            mask[first:last] = 1
            columns[channel] = mask
        elif kind == 4:
            columns[channel] = rng.integers(-1, 2, size=rows).astype(float)
    return SparseBias.of(width, rows, columns)


def random_filter(rng, width, rows):
    chance = rng.integers(1, 4)
    taps = [(p, c) for c in range(width) for p in range(min(rows, 5)) if rng.integers(6) < chance]
    powers, at = (np.array([t[i] for t in taps], dtype=np.int64) for i in (0, 1))
    values = rng.choice([1.0, 1.0, 1.0, 2.0, -1.0, 0.0], size=len(taps))
    if width < 3 or rng.integers(3):
        return TapFilter(width, powers, at, torch.from_numpy(values))
    few = at < width - 1
    long = ExplicitFilter(torch.from_numpy(rng.normal(size=(int(rng.integers(1, rows + 1)), 1))))
    taps = TapFilter(width - 1, powers[few], at[few], torch.from_numpy(values[few]))
    order = rng.permutation(width)
    return FilterParts(width, [taps, long], [order[:-1], order[-1:]])


def random_weight(rng, width):
    if rng.integers(6) == 0:
        return None
    density = rng.choice([0.05, 0.2, 1.0])
    sources, targets = np.nonzero(rng.random((width, width)) < density)
    values = rng.choice([1.0, 1.0, 2.0, -1.0, 0.0], size=len(sources))
    return SparseWeight(width, sources, targets, torch.from_numpy(values))


def random_stack(seed):
    rng = np.random.default_rng(seed)
    width = int(rng.choice([1, 2, 3, 5, 12]))
    rows, layers = int(rng.integers(1, 12)), int(rng.integers(1, 6))
    mode = "circular" if rng.integers(3) == 0 else "causal"
    made = [
        BaseConvLayer(
            random_filter(rng, width, rows),
            random_weight(rng, width),
            random_bias(rng, width, rows) if rng.integers(4) else None,
            random_bias(rng, width, rows) if rng.integers(4) else None,
            mode,
        )
        for _ in range(layers)
    ]
    delay = int(rng.integers(0, rows))
    read = int(rng.integers(1, rows - delay + 1))
    channels = rng.integers(width, size=int(rng.integers(1, width + 2))).tolist()
    stack = BaseConvStack(
        made, channels, inner_length=rows, delay=delay, read_rows=read if rng.integers(2) else None
    )
    length = int(rng.integers(1, rows + 1)) if stack.read_rows else rows - delay
    x = torch.from_numpy(rng.normal(size=(2, length, int(rng.integers(1, width + 1)))))
    return stack, x


def both(stack, x):
    by_layers = stack(x).detach()
    with torch.no_grad():
        return by_layers, stack(x)


def assert_same(found, expected, tolerance=1e-12):
    scale = max(1.0, float(expected.abs().max()))
    torch.testing.assert_close(found, expected, rtol=0, atol=tolerance * scale)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=150, deadline=None)
def test_a_plan_computes_what_the_layers_do(seed):
    stack, x = random_stack(seed)
    expected, found = both(stack, x)
    assert_same(found, expected)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_a_plan_with_few_groups_a_layer_computes_the_same(seed):
    stack, x = random_stack(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bestiary.mixers.evaluation.plan.MOST_GROUPS", 1)
        patch.setattr("bestiary.mixers.evaluation.grouping.MOST_TERMS", 1)
        patch.setattr("bestiary.mixers.evaluation.steps.MOST_TERMS", 1)
        patch.setattr("bestiary.mixers.evaluation.constants.SMALL", 0)
        expected, found = both(stack, x)
    assert_same(found, expected)


def doubling():
    """Two channels that are added up, times 2."""
    weight = SparseWeight(2, [0, 1], [0, 0], torch.ones(2, dtype=torch.float64))
    two = SparseBias.of(2, 4, {0: 2.0})
    taps = TapFilter(2, [], [], torch.zeros(0, dtype=torch.float64))
    return BaseConvStack([BaseConvLayer(taps, weight, None, two)], 1, inner_length=4)


def test_a_stack_in_bfloat16_has_a_plan_and_keeps_whole_numbers_of_eight_bits():
    stack = doubling().to(torch.bfloat16)
    x = torch.tensor([[[3.0, 4.0], [60.0, 67.0]]], dtype=torch.bfloat16)
    with torch.no_grad():
        y = stack(x)
    assert len(stack._plans.plans) == 1
    assert y.dtype == torch.bfloat16
    assert y.flatten().tolist() == [14, 254]


def test_weights_that_change_are_seen():
    stack, x = doubling(), torch.ones(1, 4, 2, dtype=torch.float64)
    with torch.no_grad():
        assert stack(x).unique().tolist() == [4]
        stack.layers[0].weight.values[0] = 5
        assert stack(x).unique().tolist() == [12]
        stack.layers[0].conv_bias.level.zero_()
        assert stack(x).unique().tolist() == [0]
        stack.load_state_dict(doubling().state_dict())
        assert stack(x).unique().tolist() == [4]
        stack.layers[0].conv_bias = SparseBias.of(2, 4, {0: 3.0})
        assert stack(x).unique().tolist() == [6]
        assert stack.float()(x.float()).dtype == torch.float32


def test_an_optimizer_step_is_seen():
    stack, x = doubling(), torch.ones(1, 4, 2, dtype=torch.float64)
    optimizer = torch.optim.SGD(stack.parameters(), lr=0.1)
    with torch.no_grad():
        stack(x)
    stack(x).sum().backward()
    optimizer.step()
    assert_same(*both(stack, x)[::-1])


def test_copies_have_plans_of_their_own():
    stack, x = doubling(), torch.ones(1, 4, 2, dtype=torch.float64)
    with torch.no_grad():
        stack(x)
        other = copy.deepcopy(stack)
        other.layers[0].weight.values.zero_()
        assert other(x).unique().tolist() == [0]
        assert stack(x).unique().tolist() == [4]


def test_the_output_is_an_array_of_its_own():
    identity = TapFilter(2, [0, 0], [0, 1], torch.ones(2, dtype=torch.float64))
    none = SparseWeight(2, [], [], torch.zeros(0, dtype=torch.float64))
    passes = BaseConvLayer(identity, none, SparseBias.of(2, 4, {0: 1.0, 1: 1.0}))
    stack, x = BaseConvStack([passes], 2, inner_length=4), torch.ones(1, 4, 2, dtype=torch.float64)
    with torch.no_grad():
        y = stack(x)
        y += 1
        assert x.unique().tolist() == [1]
        assert stack(x).unique().tolist() == [1]


@pytest.mark.parametrize("values", [[2.0, 2, 3, 3], [2.0, 2, 1, 1], [1.0, 1, 1, 1]])
def test_one_wire_may_serve_many_channels(values):
    weight = SparseWeight(3, [0, 0, 1, 1], [1, 2, 1, 2], torch.tensor(values).double())
    none = TapFilter(3, [], [], torch.zeros(0, dtype=torch.float64))
    ones = SparseBias.of(3, 4, {1: 1.0, 2: 1.0})
    plus = SparseBias.of(3, 4, {1: 0.5, 2: -0.5})
    stack = BaseConvStack([BaseConvLayer(none, weight, plus, ones)], [1, 2], inner_length=4)
    x = torch.arange(8.0).double().view(1, 4, 2)
    expected = values[0] * x[..., 0] + values[2] * x[..., 1]
    with torch.no_grad():
        assert_same(stack(x), torch.stack([expected + 0.5, expected - 0.5], -1))


def test_no_examples_give_no_outputs():
    with torch.no_grad():
        assert doubling()(torch.zeros(0, 4, 2, dtype=torch.float64)).shape == (0, 4, 1)


def test_rows_that_the_biases_do_not_have_are_refused_as_by_the_layers():
    identity = TapFilter(1, [0], [0], torch.ones(1))
    ramp = SparseBias.of(1, 3, {0: np.arange(3.0)})
    stack = BaseConvStack([BaseConvLayer(identity, None, ramp)], 1)
    with torch.no_grad(), pytest.raises(UserError, match="3 rows was given length 4"):
        stack(torch.ones(1, 4, 1))


def test_rows_and_channels_that_are_zero_or_not_read_are_not_computed():
    """Half of the channels are never read, and the mask leaves two rows of eight."""
    width, rows = 8, 8
    mask = np.zeros(rows)
    mask[2:4] = 1
    taps = TapFilter(width, [1] * width, range(width), torch.ones(width, dtype=torch.float64))
    none = SparseWeight(width, [], [], torch.zeros(0, dtype=torch.float64))
    layer = BaseConvLayer(taps, none, SparseBias.of(width, rows, dict.fromkeys(range(width), mask)))
    x = torch.ones(1, rows, width, dtype=torch.float64)
    plan = StackPlan([layer] * 2, (rows, width), rows, [0, 1, 2, 3], (0, rows), x)
    told = [(step.channels.tolist(), step.first, step.last) for step in plan.steps.values()]
    assert told == [([0, 1, 2, 3], 2, 3), ([0, 1, 2, 3], 3, 4)]
    assert plan(x)[0].T.tolist() == [[0, 0, 0, 1, 0, 0, 0, 0]] * 4


@pytest.mark.parametrize("used", ["0110", "1010101", "0011001100", "1", "10010", "00100"])
def test_a_comb_is_the_rows_it_was_made_of(used):
    mask = np.array([c == "1" for c in used])
    comb = Comb.of(mask, 5)
    assert comb.rows().tolist() == (5 + np.flatnonzero(mask)).tolist()
    values = torch.arange(2 * 3 * len(mask)).view(2, 3, -1)
    assert torch.equal(comb.view(values, 5).flatten(2), values[..., mask])


def test_uneven_runs_are_no_comb():
    assert Comb.of(np.array([True, False, True, True]), 0) is None
    assert Comb.of(np.array([True, False, True, False, False, True]), 0) is None


@pytest.mark.parametrize("first", [0, 3, 6])
def test_a_long_filter_may_be_needed_before_what_it_convolves_begins(first):
    """The bias beside the filter has all rows, the wire only those of a mask."""
    mask = np.zeros(8)
    mask[first : first + 2] = 1
    ones, none = {0: 1.0, 1: 1.0}, SparseWeight(2, [], [], torch.zeros(0).double())
    masked = BaseConvLayer(
        TapFilter(2, [0, 0], [0, 1], torch.ones(2).double()), none, SparseBias.of(2, 8, {0: mask})
    )
    long = FilterParts(
        2,
        [
            ExplicitFilter(torch.arange(1.0, 8)[:, None].double()),
            TapFilter(1, [], [], torch.zeros(0)),
        ],
        [[0], [1]],
    )
    biased = BaseConvLayer(long, none, SparseBias.of(2, 8, ones), SparseBias.of(2, 8, {0: 0.5}))
    x = torch.arange(1.0, 9).double().view(1, 8, 1)
    for delay, read in ((0, 8), (0, 4), (5, 2)):
        stack = BaseConvStack([masked, biased], 1, inner_length=8, delay=delay, read_rows=read)
        given = x[0, :, 0].numpy() * mask
        expected = np.convolve(given, np.arange(1.0, 8))[delay : delay + read] + 0.5
        with torch.no_grad():
            np.testing.assert_allclose(stack(x)[0, :, 0].numpy(), expected, atol=1e-12)
