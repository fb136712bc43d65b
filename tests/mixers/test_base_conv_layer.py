import numpy as np
import pytest
import torch
from direct_sums import array, direct_conv, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.filters import ExplicitFilter


def bias(kind, rows, width, seed):
    shape = {"none": None, "channel": (width,), "row": (rows, width)}[kind]
    return None if shape is None else noise(*shape, seed=seed)


def by_loops(u, w, h, b1, b2, circular):
    """Y[t, c] = (sum_k U[t, k] W[k, c] + B1[t, c]) (sum_j h[j, c] U[t-j, c] + B2[t, c])."""
    rows, width = u.shape
    gate = np.zeros_like(u)
    for t in range(rows):
        for c in range(width):
            gate[t, c] = u[t, c] if w is None else sum(u[t, k] * w[k, c] for k in range(width))
    b1, b2 = (0 if b is None else np.broadcast_to(b, u.shape) for b in (b1, b2))
    return (gate + b1) * (direct_conv(u, h, circular) + b2)


@given(
    rows=st.integers(1, 9),
    width=st.integers(1, 4),
    taps=st.integers(1, 12),
    kinds=st.tuples(*[st.sampled_from(["none", "channel", "row"])] * 2),
    identity=st.booleans(),
    mode=st.sampled_from(["causal", "circular"]),
)
@settings(max_examples=80, deadline=None)
def test_the_layer_is_the_formula(rows, width, taps, kinds, identity, mode):
    w = None if identity else noise(width, width, seed=1)
    # A filter has at most as many taps as there are rows.
    h = noise(min(taps, rows), width, seed=2)
    b1, b2 = (bias(kind, rows, width, seed) for seed, kind in enumerate(kinds, start=3))
    layer = BaseConvLayer(ExplicitFilter(h), w, b1, b2, mode)
    u = noise(2, rows, width, seed=5)
    for b in range(2):
        arrays = (None if x is None else array(x) for x in (w, h, b1, b2))
        expected = by_loops(array(u[b]), *arrays, circular=mode == "circular")
        np.testing.assert_allclose(array(layer(u))[b], expected, atol=1e-12)


def test_a_layer_multiplies_by_a_constant():
    layer = BaseConvLayer(
        ExplicitFilter(torch.tensor([[1.0, 1.0]])),
        weight=torch.zeros(2, 2),
        gate_bias=torch.tensor([3.0, -2.0]),
    )
    u = torch.tensor([[[1.0, 2.0], [4.0, 5.0]]])
    assert torch.allclose(layer(u), torch.tensor([[[3.0, -4.0], [12.0, -10.0]]]))


@pytest.mark.parametrize(("mode", "first_rows"), [("causal", [0.0, 0.0]), ("circular", [3.0, 4.0])])
def test_a_layer_shifts_rows_down(mode, first_rows):
    x_squared = torch.tensor([[0.0], [0.0], [1.0]])
    layer = BaseConvLayer(
        ExplicitFilter(x_squared), torch.zeros(1, 1), gate_bias=torch.ones(1), mode=mode
    )
    y = layer(torch.tensor([[[1.0], [2.0], [3.0], [4.0]]]))
    assert torch.allclose(y.flatten(), torch.tensor([*first_rows, 1.0, 2.0]), atol=1e-6)


def test_a_layer_squares_row_by_row_where_the_row_biases_let_it():
    mask = torch.tensor([[1.0], [0.0], [1.0]])
    layer = BaseConvLayer(ExplicitFilter(torch.ones(1, 1)), torch.zeros(1, 1), gate_bias=mask)
    y = layer(torch.tensor([[[5.0], [6.0], [7.0]]]))
    assert torch.allclose(y.flatten(), torch.tensor([5.0, 0.0, 7.0]))


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_row_biases_follow_the_position_when_going_on_from_a_state(rows):
    layer = BaseConvLayer(
        ExplicitFilter(noise(3, 2)), noise(2, 2, seed=1), noise(8, 2, seed=2), noise(8, 2, seed=3)
    )
    u = noise(1, 8, 2, seed=4)
    state, parts = layer.initial_state(1), []
    for start in range(0, 8, rows):
        y, state = layer.forward_from(u[:, start : start + rows], state)
        parts.append(y)
    torch.testing.assert_close(torch.cat(parts, 1), layer(u), rtol=0, atol=1e-12)
    assert state[1] == 8
    with pytest.raises(UserError, match="8 rows was given length 9"):
        layer.forward_from(u[:, :1], state)


def test_more_rows_than_biases_are_refused_with_both_numbers():
    layer = BaseConvLayer(ExplicitFilter(torch.ones(1, 2)), gate_bias=torch.zeros(4, 2))
    assert layer(torch.zeros(1, 3, 2)).shape == (1, 3, 2)
    with pytest.raises(UserError, match="4 rows was given length 5"):
        layer(torch.zeros(1, 5, 2))


def test_a_circular_layer_with_row_biases_takes_exactly_their_rows():
    h = ExplicitFilter(torch.ones(1, 2))
    layer = BaseConvLayer(h, gate_bias=torch.zeros(4, 2), mode="circular")
    with pytest.raises(UserError, match="exactly 4"):
        layer(torch.zeros(1, 3, 2))


def test_a_circular_layer_does_not_go_row_by_row():
    layer = BaseConvLayer(ExplicitFilter(torch.ones(1, 2)), mode="circular")
    with pytest.raises(UserError, match="circular"):
        layer.initial_state(1)
    assert layer.state_size(5) == 5 * 2


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"weight": torch.zeros(2, 3)}, r"shape \(2, 3\)"),
        ({"gate_bias": torch.zeros(3)}, r"shape \(3,\)"),
        ({"gate_bias": torch.zeros(4, 2), "conv_bias": torch.zeros(5, 2)}, r"\[4, 5\] rows"),
        ({"mode": "circullar"}, "did you mean 'circular'"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, words):
    with pytest.raises(UserError, match=words):
        BaseConvLayer(ExplicitFilter(torch.ones(1, 2)), **parts)
