import pytest
import torch
from direct_sums import assert_stepping_is_the_whole_pass, noise

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter


def layer(width, taps=3, rows=None, mode="causal"):
    shape = (width,) if rows is None else (rows, width)
    return BaseConvLayer(
        ExplicitFilter(noise(taps, width)),
        noise(width, width, seed=1),
        noise(*shape, seed=2),
        noise(*shape, seed=3),
        mode,
    )


def shift_up_by_one(width):
    """X^(N'-1) modulo X^N' - 1, on an array of 5 rows."""
    h = torch.zeros(5, width)
    h[4] = 1
    return BaseConvLayer(
        ExplicitFilter(h), torch.zeros(width, width), torch.ones(width), mode="circular"
    )


def test_the_input_lies_at_row_zero_of_a_padded_array_and_is_read_at_its_place():
    layers = [layer(5, rows=9), layer(5, rows=9)]
    stack = BaseConvStack(layers, channels=[4, 1, 0], inner_length=9, delay=2)
    x = noise(2, 6, 3, seed=5)
    array = torch.zeros(2, 9, 5, dtype=torch.float64)
    array[:, :6, :3] = x
    expected = layers[1](layers[0](array))[:, 2:8][..., [4, 1, 0]]
    assert torch.equal(stack(x), expected)


def test_without_an_inner_length_the_array_is_just_long_enough():
    stack = BaseConvStack([layer(3)], channels=3, delay=2)
    x = noise(1, 4, 3, seed=5)
    padded = torch.cat([x, torch.zeros(1, 2, 3, dtype=torch.float64)], dim=1)
    torch.testing.assert_close(stack(x), layer(3)(padded)[:, 2:], rtol=0, atol=1e-14)


def test_a_circular_stack_wraps_at_the_inner_length():
    stack = BaseConvStack([shift_up_by_one(1)], channels=1, inner_length=5)
    y = stack(torch.tensor([[[1.0], [2.0], [3.0], [4.0]]]))
    assert torch.allclose(y.flatten(), torch.tensor([2.0, 3.0, 4.0, 0.0]), atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 8])
def test_stepping_is_the_whole_pass(length):
    stack = BaseConvStack([layer(4, rows=8), layer(4, taps=6, rows=8)], channels=[3, 0, 1])
    assert_stepping_is_the_whole_pass(stack, 3, length)


@pytest.mark.parametrize(
    "stack",
    [
        BaseConvStack([shift_up_by_one(1)], channels=1),
        BaseConvStack([layer(1)], channels=1, delay=1),
    ],
)
def test_a_stack_that_sees_ahead_says_so_and_does_not_step(stack):
    assert not stack.causal
    with pytest.raises(UserError, match="all rows at once"):
        stack.initial_state(1)
    with pytest.raises(UserError, match="all rows at once"):
        stack(torch.zeros(1, 3, 1), [])


def test_a_longer_input_than_fits_is_refused_with_both_lengths():
    stack = BaseConvStack([layer(2)], channels=2, inner_length=8, delay=3)
    assert stack(noise(1, 5, 2)).shape == (1, 5, 2)
    with pytest.raises(UserError, match="given length 6; it takes at most 5"):
        stack(noise(1, 6, 2))


def test_going_on_past_the_inner_length_is_refused_too():
    stack = BaseConvStack([layer(2)], channels=2, inner_length=3)
    _, state = stack(noise(1, 2, 2), stack.initial_state(1))
    _, state = stack.step(noise(1, 2), state)
    with pytest.raises(UserError, match="given length 4; it takes at most 3"):
        stack.step(noise(1, 2), state)


def test_a_wider_input_than_fits_is_refused_with_both_widths():
    with pytest.raises(UserError, match="inner width 2 was given 3 channels"):
        BaseConvStack([layer(2)], channels=2)(noise(1, 5, 3))


@pytest.mark.parametrize(
    ("layers", "options", "words"),
    [
        ([], {}, "no layers"),
        ([layer(2), layer(3)], {}, r"widths \[2, 3\]"),
        ([layer(2)], {"channels": [0, 2]}, "channel 2 cannot be read"),
        ([layer(2)], {"delay": -1}, "delay of a BaseConv stack is -1"),
    ],
)
def test_stacks_that_make_no_sense_are_refused(layers, options, words):
    with pytest.raises(UserError, match=words):
        BaseConvStack(layers, **{"channels": 1, **options})


@pytest.mark.parametrize("shape", [(), (3,), (4, 3), (1, 2, 4, 3)])
def test_an_array_of_other_axes_is_refused_with_its_shape(shape):
    one = layer(3)
    stack = BaseConvStack([one], channels=3)
    said = rf"given an array of shape \({', '.join(map(str, shape))},?\); \(batch, "
    for run in (one, stack, lambda x: stack(x, stack.initial_state(1))):
        with pytest.raises(UserError, match=said):
            run(torch.zeros(shape, dtype=torch.float64))
    if len(shape) != 2:
        with pytest.raises(UserError, match=said):
            stack.step(torch.zeros(shape, dtype=torch.float64), stack.initial_state(1))


def test_a_layer_takes_as_many_channels_as_it_has():
    with pytest.raises(UserError, match="of width 3 was given 2 channels"):
        layer(3)(noise(1, 4, 2))


def test_a_stack_of_many_layers_shows_its_sizes_and_each_kind_of_layer_once():
    same = [layer(3, rows=9) for _ in range(40)]
    other = BaseConvLayer(ExplicitFilter(noise(3, 3)))
    stack = BaseConvStack([*same, other], channels=2, inner_length=9, delay=1)
    assert repr(stack).splitlines() == [
        "BaseConvStack(41 layers, N'=9, d'=3, causal, delay=1, 2 channels read",
        "  40 × (h ExplicitFilter, W Tensor, B1 Tensor, B2 Tensor)",
        "  1 × (h ExplicitFilter))",
    ]
