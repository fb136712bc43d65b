from __future__ import annotations

import pytest
import torch
from trained_mixers import assert_same_map, disturbed, trained

from bestiary.compile import gated, hyena, to_hyena
from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.hyena import Hyena

D, N = 3, 6


def test_layers_without_biases_are_as_many_operators_of_the_same_width():
    mixer = trained("base_conv", D, N, layers=3, bias="none")
    made = to_hyena(mixer, N)
    assert (len(made.operators), made.width) == (3, D)
    assert all(operator.output is None for operator in made.operators)
    assert_same_map(made, mixer, D, N, 2, 1)


@pytest.mark.parametrize(
    ("options", "operators", "width"),
    [
        ({"layers": 1}, 1, 2 * D),
        ({"layers": 3}, 3, 2 * D),
        ({"layers": 2, "output_projection": True}, 2, 2 * D),
        ({"layers": 2, "bias": "row"}, 3, 3 * D),
        ({"layers": 2, "bias": "row", "output_projection": True, "filter": "long"}, 3, 3 * D),
        ({"layers": 2, "inner_width": 5}, 2, 2 * 5),
        ({"layers": 2, "delay": 2, "lookahead": True}, 2, 2 * D),
    ],
)
def test_biases_cost_the_channels_that_are_stated(options, operators, width):
    mixer = trained("base_conv", D, N, **options)
    made = to_hyena(mixer, N)
    assert (len(made.operators), made.width) == (operators, width)
    assert all(type(operator) is Hyena and operator.order == 1 for operator in made.operators)
    assert [operator.output is not None for operator in made.operators] == [
        *[False] * (operators - 1),
        True,
    ]
    assert_same_map(made, mixer, D, N, 2, 1)


def test_only_channels_with_a_bias_are_split_and_only_row_biases_are_held():
    d, n = 4, 5
    conv_bias = torch.zeros(2, n, d, dtype=torch.float64)
    conv_bias[0, :, 1] = 2
    conv_bias[1, 3, 0] = 1
    gate_bias = torch.ones(2, n, d, dtype=torch.float64)
    gate_bias[1, 2, 3] = 5
    layers = [
        BaseConvLayer(
            ExplicitFilter(torch.randn(n, d, dtype=torch.float64)),
            torch.randn(d, d, dtype=torch.float64),
            gate_bias[i],
            conv_bias[i],
        )
        for i in range(2)
    ]
    stack = BaseConvStack(layers, d)
    made = to_hyena(stack, n)
    assert (len(made.operators), made.width) == (2, d + 2)
    assert [name for name in made.names[0] if "B" in name.split("·")[-1]] == [
        "(u W + B1)·B2 1.1",
        "B1 2.3",
    ]
    assert made.names[1][d:] == ("(u W + B1)·B2 2.0", "")
    assert_same_map(made, stack, d, n, 3)


def test_there_and_back_is_the_same_map():
    mixer = trained("hyena", 2, N, order=2)
    stack = hyena(mixer, N).stack
    back = to_hyena(stack, N)
    assert len(back.operators) == len(stack.layers)
    assert stack.width <= back.width <= 3 * stack.width
    assert_same_map(back, mixer, 2, N, 3)
    for operator in back.operators[:1]:
        again = gated(disturbed(operator), N).stack
        assert_same_map(again, operator, back.width, N)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (lambda: trained("hyena", D, N), "a Hyena was given where a BaseConv"),
        (
            lambda: trained("base_conv", D, N, mode="circular", inner_length=N, lookahead=True),
            "a circular BaseConv cannot become Hyena operators",
        ),
    ],
)
def test_what_cannot_become_hyena_is_refused(module, words):
    with pytest.raises(UserError, match=words):
        to_hyena(module(), N)


def test_a_longer_input_than_it_was_made_for_is_refused():
    made = to_hyena(trained("base_conv", D, N), N)
    with pytest.raises(UserError, match="for 6 rows of at most 6 channels was given 7 rows of 3"):
        made(torch.zeros(1, N + 1, D, dtype=torch.float64))
