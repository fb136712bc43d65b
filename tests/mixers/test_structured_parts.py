"""The parts that compiled layers keep by structure, against the arrays they stand for."""

import numpy as np
import pytest
import torch
from direct_sums import array, direct_conv, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filter_parts import FilterParts
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.sparse_bias import SparseBias
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter


def places(rng, rows, columns, count):
    flat = rng.permutation(rows * columns)[:count]
    return flat // columns, flat % columns


@given(seed=st.integers(0, 10**6), width=st.integers(1, 24), entries_of_a_column=st.integers(0, 20))
@settings(max_examples=50, deadline=None)
def test_a_sparse_weight_is_its_matrix(seed, width, entries_of_a_column):
    rng = np.random.default_rng(seed)
    sources, targets = places(rng, width, width, min(width**2, width * entries_of_a_column // 2))
    values = rng.normal(size=len(sources))
    matrix = np.zeros((width, width))
    matrix[sources, targets] = values
    weight = SparseWeight(width, sources.tolist(), targets.tolist(), torch.from_numpy(values))
    u = rng.normal(size=(2, 3, width))
    np.testing.assert_allclose(array(weight(torch.from_numpy(u))), u @ matrix, atol=1e-12)
    np.testing.assert_array_equal(array(weight.dense()), matrix)


def test_a_column_of_very_many_entries_is_summed_without_the_matrix():
    width = 400
    weight = SparseWeight(
        width, range(width), [7] * width, torch.arange(width, dtype=torch.float64)
    )
    assert not weight.as_dense
    y = weight(torch.ones(1, width, dtype=torch.float64)).detach()
    assert float(y[0, 7]) == sum(range(width))
    assert float(y.sum()) == sum(range(width))


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 9),
    channels=st.integers(1, 5),
    taps=st.integers(1, 12),
    mode=st.sampled_from(["causal", "circular"]),
)
@settings(max_examples=50, deadline=None)
def test_filters_by_parts_are_the_whole_filter(seed, rows, channels, taps, mode):
    rng = np.random.default_rng(seed)
    taps = min(taps, rows) if mode == "circular" else taps
    powers, at = places(rng, taps, channels, 2 * channels)
    values = rng.normal(size=len(powers))
    few = TapFilter(channels, powers.tolist(), at.tolist(), torch.from_numpy(values))
    long = noise(taps, 2, seed=seed)
    order = rng.permutation(channels + 3)
    whole = np.zeros((taps, channels + 3))
    whole[powers, order[at]] = values
    whole[:, order[channels : channels + 2]] = array(long)
    parts = FilterParts(
        channels + 3,
        [few, ExplicitFilter(long)],
        [order[:channels].tolist(), order[channels : channels + 2].tolist()],
    )
    np.testing.assert_allclose(array(parts(rows)), whole[: min(rows, parts.taps)], atol=1e-14)
    u = rng.normal(size=(2, rows, channels + 3))
    found = array(parts.convolve(torch.from_numpy(u), mode))
    for i in range(2):
        expected = direct_conv(u[i], whole[:rows], mode == "circular")
        np.testing.assert_allclose(found[i], expected, atol=1e-12)


def test_equal_columns_of_a_bias_are_kept_once():
    mask, ramp = np.array([0.0, 1, 1, 0]), np.arange(4.0)
    bias = SparseBias.of(6, 4, {0: mask, 1: 2.5, 3: ramp, 4: mask.copy(), 5: 0.0})
    expected = np.zeros((4, 6))
    expected[:, 0] = expected[:, 4] = mask
    expected[:, 3], expected[:, 1] = ramp, 2.5
    np.testing.assert_array_equal(array(bias.dense()), expected)
    np.testing.assert_array_equal(array(bias.between(1, 3)), expected[1:3])
    assert (bias.patterns, bias.values.numel(), bias.level.numel()) == (2, 5, 1)


def test_a_bias_of_few_patterns_on_many_channels_takes_little_memory():
    mask = np.ones(1024)
    mask[::2] = 0
    bias = SparseBias.of(4096, 1024, dict.fromkeys(range(4096), mask))
    held = [*bias.parameters(), *bias.buffers()]
    assert sum(t.numel() * t.element_size() for t in held) < 100_000


def test_a_bias_without_patterns_fits_any_number_of_rows():
    bias = SparseBias.of(3, 8, {1: 2.0})
    assert bias.rows is None
    np.testing.assert_array_equal(array(bias.dense()), [0, 2, 0])


def structured_stack(seed=0, rows=9, width=5, mode="causal"):
    """Three layers with zeros, shared patterns, few and many taps."""
    rng = np.random.default_rng(seed)
    layers = []
    for _ in range(3):
        sources, targets = places(rng, width, width, 2 * width)
        powers, at = places(rng, 4, 3, 5)
        h = FilterParts(
            width,
            [
                TapFilter(3, powers.tolist(), at.tolist(), torch.from_numpy(rng.normal(size=5))),
                ExplicitFilter(torch.from_numpy(rng.normal(size=(rows, 1)))),
            ],
            [[3, 0, 2], [1]],
        )
        weight = SparseWeight(
            width,
            sources.tolist(),
            targets.tolist(),
            torch.from_numpy(rng.normal(size=2 * width)),
        )
        mask = np.zeros(rows)
        mask[2:7] = rng.normal(size=5)
        b1 = SparseBias.of(width, rows, {0: mask, 2: mask, 3: 0.5})
        b2 = SparseBias.of(width, rows, {4: 1.0, 1: 0.25})
        layers.append(BaseConvLayer(h, weight, b1, b2, mode))
    return BaseConvStack(layers, [3, 0, 1], inner_length=rows, delay=0)


@pytest.mark.parametrize("mode", ["causal", "circular"])
def test_the_dense_form_computes_the_same(mode):
    stack = structured_stack(mode=mode)
    dense = stack.dense()
    for made in dense.layers:
        assert made.weight.shape == (5, 5)
        assert made.filter.values.shape == made.gate_bias.shape == made.conv_bias.shape == (9, 5)
    x = noise(3, 9, 2, seed=8)
    expected = dense(x)
    scale = float(expected.detach().abs().max())
    assert scale > 0.1
    torch.testing.assert_close(stack(x), expected, rtol=0, atol=1e-13 * max(1, scale))


def test_training_moves_the_numbers_and_keeps_the_zeros():
    stack, target = structured_stack(seed=4), noise(3, 9, 3, seed=2)
    x = noise(3, 9, 2, seed=3)
    before = stack.dense()
    optimizer = torch.optim.Adam(stack.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        loss = ((stack(x) - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.95 * losses[0]
    moved = 0.0
    for (name, old), new in zip(before.named_parameters(), stack.dense().parameters(), strict=True):
        assert torch.all(new[old == 0] == 0), name
        moved += float((new - old).detach().abs().sum())
    assert moved > 1


def test_gradients_of_a_stack_by_structure_are_those_of_the_dense_form():
    stack = structured_stack(seed=4)
    dense = stack.dense()
    x = noise(2, 9, 2, seed=5).requires_grad_()
    by_structure, by_arrays = (
        torch.autograd.grad(form(x).square().sum(), [x, *form.parameters()], allow_unused=True)
        for form in (stack, dense)
    )
    scale = float(by_arrays[0].abs().max())
    torch.testing.assert_close(by_structure[0], by_arrays[0], rtol=0, atol=1e-12 * scale)
    own = stack.layers[0].weight
    arrays = dict(zip(["x", *dict(dense.named_parameters())], by_arrays, strict=True))
    entries = arrays["layers.0.weight"][own.sources, own.targets]
    named = dict(zip(["x", *dict(stack.named_parameters())], by_structure, strict=True))
    torch.testing.assert_close(
        named["layers.0.weight.values"], entries, rtol=1e-9, atol=1e-12 * scale
    )


def _bias(values, places=(0,), pattern=(0,)):
    """Of three channels and four rows, with one pattern in channel 2."""
    none = torch.zeros(0)
    where = (torch.tensor(index) for index in (places, [2], pattern))
    return SparseBias(3, 4, none, none.long(), values, *where)


def test_taps_past_the_length_take_no_memory():
    h = TapFilter(2, [0, 10**15], [0, 1], torch.ones(2).double())
    assert h(3).tolist() == [[1, 0], [0, 0], [0, 0]]
    u = torch.randn(1, 3, 2).double()
    assert torch.equal(h.convolve(u), u * torch.tensor([1, 0]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda v: SparseWeight(3, [0], [3], v), "entry 3 lies outside of a weight of width 3"),
        (
            lambda v: SparseWeight(3, [0, 2, 2], [1, 0, 0], v.expand(3)),
            "two entries in row 2, column 0; give their sum as one",
        ),
        (
            lambda v: TapFilter(3, [1, 5, 1], [2, 2, 2], v.expand(3)),
            "two taps at power 1 of channel 2; give their sum as one",
        ),
        (lambda v: SparseWeight(3, [0, 1], [1], v), "2 rows, 1 columns and 1 values"),
        (lambda v: TapFilter(3, [-1], [0], v), "tap at power -1"),
        (lambda v: TapFilter(3, [1], [3], v), "tap at channel 3"),
        (lambda v: FilterParts(2, [ExplicitFilter(v[None])], [[2]]), "each of 0 to 1"),
        (lambda v: FilterParts(2, [ExplicitFilter(v[None])], [[0, 1]]), "1 channel and lies at 2"),
        (lambda v: SparseBias.of(2, 4, {2: 1.0}), "channel 2 lies outside"),
        (lambda v: SparseWeight(3, [0.5], [1], v), "sources of a sparse weight are of torch.float"),
        (lambda v: SparseWeight(3, [[0]], [[1]], v), r"and shape \(1, 1\); a vector of whole"),
        (lambda v: SparseWeight(3, [0], [1], v.long()), "values of a sparse weight are of torch.i"),
        (lambda v: TapFilter(3, [0], [1], v[None]), r"taps of a filter are .* shape \(1, 1\)"),
        (lambda v: TapFilter(3, torch.ones(1), [1], v), "powers of a filter are of torch.float32"),
        (lambda v: FilterParts(2, [ExplicitFilter(v[None])], [[[1]]]), "a part of a filter are of"),
        (lambda v: _bias(v, pattern=[-1]), "pattern -1 lies outside of a sparse bias with 1 of it"),
        (lambda v: _bias(v, pattern=[1]), "pattern 1 lies outside"),
        (lambda v: _bias(v, pattern=[0, 0]), "2 patterns at 1 channels"),
        (lambda v: _bias(v, places=[4]), "place 4 lies outside"),
        (lambda v: _bias(v, places=[[0]]), r"places of a sparse bias are .* shape \(1, 1\)"),
        (lambda v: _bias(v[None], pattern=[0]), "values of a sparse bias"),
    ],
)
def test_parts_that_make_no_sense_are_refused(make, words):
    with pytest.raises(UserError, match=words):
        make(torch.ones(1))
