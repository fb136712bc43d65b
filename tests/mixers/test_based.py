import numpy as np
import pytest
import torch
from attention_reference import (
    array,
    in_parts,
    noise,
    reference,
    softmax_weights,
    taylor_weights,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers import taylor
from bestiary.mixers.based import Based
from bestiary.mixers.taylor import TaylorAttention, chunk_length, features, taylor_attention


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("symmetric", [False, True])
# 300 and 513 are past the length where chunks of 64 begin, and no multiple of them.
@pytest.mark.parametrize("length", [1, 2, 37, 300, 513])
def test_linear_attention_is_the_quadratic_formula_written_out(
    length: int, heads: int, symmetric: bool
) -> None:
    mixer = Based(4, feature_dim=3, heads=heads, window=0, symmetric=symmetric).double()
    x = noise(1, length, 4)
    expected = reference(x, mixer.linear.projections, taylor_weights)
    np.testing.assert_allclose(array(mixer(x)), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("combine", ["sum", "split"])
def test_with_a_window_the_two_parts_are_added(combine: str) -> None:
    mixer = Based(8, feature_dim=3, heads=2, window=5, combine=combine, positions="rotary").double()
    x = noise(2, 40, 8)
    far = reference(x, mixer.linear.projections, taylor_weights)
    near = reference(x, mixer.near.projections, softmax_weights, window=5, rotary=True)
    np.testing.assert_allclose(array(mixer(x)), far + near, rtol=0, atol=1e-11)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_features_multiply_to_the_polynomial_and_are_as_many_as_counted(
    dim: int, symmetric: bool
) -> None:
    a, b = noise(50, dim), noise(50, dim, seed=1)
    products = (array(features(a, symmetric)) * array(features(b, symmetric))).sum(1)
    s = (array(a) * array(b)).sum(1)
    np.testing.assert_allclose(products, 1 + s + s**2 / 2, rtol=1e-12)
    assert features(a, symmetric).shape[1] == taylor.feature_count(dim, symmetric)
    assert taylor.feature_count(dim, symmetric) == 1 + dim + (
        dim * (dim + 1) // 2 if symmetric else dim**2
    )


@settings(max_examples=30, deadline=None)
@given(
    length=st.integers(1, 330),
    symmetric=st.booleans(),
    cuts=st.lists(st.integers(1, 329), max_size=3),
)
def test_any_parts_with_the_state_carried_give_the_whole(
    length: int, symmetric: bool, cuts: list[int]
) -> None:
    mixer = Based(4, feature_dim=3, window=6, symmetric=symmetric).double()
    x = noise(2, length, 4)
    parts = in_parts(mixer, x, [cut for cut in cuts if cut < length])
    np.testing.assert_allclose(parts, array(mixer(x)), rtol=0, atol=1e-11)


def test_the_number_of_chunks_does_not_show_in_value_or_gradient(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query, key, value = noise(2, 1, 45, 3), noise(2, 1, 45, 3, seed=1), noise(2, 1, 45, 5, seed=2)
    results = []
    for chunk in (45, 44, 16, 15, 1):
        monkeypatch.setattr(taylor, "chunk_length", lambda *_, chunk=chunk: chunk)
        inputs = [part.clone().requires_grad_() for part in (query, key, value)]
        read, _ = taylor_attention(*inputs, None)
        grads = torch.autograd.grad((read * noise(*read.shape, seed=3)).sum(), inputs)
        results.append([array(part) for part in (read, *grads)])
    for other in results[1:]:
        for got, expected in zip(other, results[0], strict=True):
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11)


def test_long_sequences_are_cut_into_chunks_and_short_ones_are_not() -> None:
    assert chunk_length(256, 73) == 256
    assert chunk_length(2_048, 273) == 64


@pytest.mark.parametrize("length", [64, 700])
def test_float32_stays_near_float64_with_large_scores_of_either_sign(length: int) -> None:
    # Scores up to about ±40 000: the polynomial is far from softmax, its sum must not cancel.
    query, key = 100 * noise(1, 1, length, 8), 100 * noise(1, 1, length, 8, seed=1)
    value = noise(1, 1, length, 6, seed=2)
    exact, _ = taylor_attention(query, key, value, None)
    single, _ = taylor_attention(query.float(), key.float(), value.float(), None)
    assert bool(single.isfinite().all())
    np.testing.assert_allclose(array(single), array(exact), rtol=0, atol=1e-4)


def test_a_bfloat16_model_adds_up_its_state_in_float32() -> None:
    # 300 equal positions: a sum in bfloat16 would stop growing at 256.
    mixer = TaylorAttention(4, feature_dim=2).bfloat16()
    state = mixer.initial_state(1)
    x = torch.ones(1, 300, 4, dtype=torch.bfloat16)
    _, state = mixer(x, state)
    assert state.dtype == torch.float32
    assert state[0, 0, 0, -1].item() == 300.0


@pytest.mark.parametrize(
    ("options", "elements"),
    [
        # Features (1 + 16 + 256) times the values of both heads and a normaliser for each.
        ({"feature_dim": 16, "heads": 2, "window": 0}, 2 * 273 * (4 + 1)),
        ({"feature_dim": 16, "heads": 2, "window": 0, "symmetric": True}, 2 * 153 * (4 + 1)),
        ({"feature_dim": 4, "window": 10}, 21 * (8 + 1) + 2 * 8 * 9),
        ({"feature_dim": 4, "window": 10, "combine": "split"}, 21 * (4 + 1) + 2 * 4 * 9),
    ],
)
def test_the_state_is_counted_as_in_the_paper(options: dict, elements: int) -> None:
    assert Based(8, **options).state_size(100) == elements


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window": -1}, "window is -1; it must be 0"),
        ({"feature_dim": 0}, "feature_dim is 0; it must be at least 1"),
        ({"combine": "both"}, "combine is 'both'; accepted: 'sum', 'split'"),
        ({"heads": 2}, "heads is 2; it must be at least 1 and divide the width 7"),
        ({"combine": "split"}, "combine 'split' needs an even d_model, not 7"),
    ],
)
def test_impossible_options_are_refused_when_it_is_made(options: dict, said: str) -> None:
    with pytest.raises(UserError) as error:
        Based(7, **options)
    assert said in str(error.value)
