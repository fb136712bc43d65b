import numpy as np
import pytest
import torch
from attention_reference import array, in_parts, noise, reference, softmax_weights
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.mixers.attention import Attention
from bestiary.mixers.rotary import rotate


@pytest.mark.parametrize("length", [1, 2, 13, 40])
@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("positions", ["none", "rotary"])
@pytest.mark.parametrize("bias", [False, True])
def test_outputs_are_those_of_softmax_written_out(
    length: int, heads: int, positions: str, bias: bool
) -> None:
    mixer = Attention(12, heads=heads, positions=positions, bias=bias).double()
    for linear in (mixer.projections.inward, mixer.projections.outward):
        if bias:
            torch.nn.init.normal_(linear.bias)
    x = noise(2, length, 12)
    expected = reference(x, mixer.projections, softmax_weights, rotary=positions == "rotary")
    np.testing.assert_allclose(array(mixer(x)), expected, rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(length=st.integers(1, 30), cuts=st.lists(st.integers(1, 29), max_size=4))
def test_any_parts_with_the_cache_carried_give_the_whole(length: int, cuts: list[int]) -> None:
    mixer = Attention(8, heads=2, positions="rotary").double()
    x = noise(2, length, 8)
    parts = in_parts(mixer, x, [cut for cut in cuts if cut < length])
    np.testing.assert_allclose(parts, array(mixer(x)), rtol=0, atol=1e-12)


def test_rotary_scores_depend_on_distance_alone() -> None:
    query, key = noise(1, 6), noise(1, 6, seed=1)
    near = rotate(query, 7) @ rotate(key, 3).mT
    far = rotate(query, 16_007) @ rotate(key, 16_003).mT
    np.testing.assert_allclose(array(near), array(far), rtol=1e-10)


def test_rotary_in_bfloat16_is_as_exact_as_bfloat16_at_far_positions() -> None:
    x = noise(1, 8).bfloat16()
    exact = rotate(x.double(), 16_384)
    np.testing.assert_allclose(array(rotate(x, 16_384)), array(exact), rtol=0.005, atol=0.005)


def test_the_state_is_two_d_model_a_position() -> None:
    assert Attention(12, heads=3).state_size(7) == 2 * 12 * 7


def test_projections_start_at_unit_variance() -> None:
    torch.manual_seed(0)
    mixer = Attention(256)
    x = torch.randn(1, 64, 256)
    for part in mixer.projections.split(x):
        assert 0.9 < float(part.detach().std()) < 1.1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"heads": 5}, "heads is 5; it must be at least 1 and divide the width 12"),
        ({"heads": 0}, "heads is 0"),
        ({"positions": "learned"}, "positions is 'learned'; accepted: 'none', 'rotary'"),
        ({"heads": 4, "positions": "rotary"}, "an even width a head, not 3"),
    ],
)
def test_impossible_options_are_refused_when_it_is_made(options: dict, said: str) -> None:
    with pytest.raises(UserError) as error:
        Attention(12, **options)
    assert said in str(error.value)


def test_it_can_be_traced_whole_at_a_second_length_too() -> None:
    # At a second length torch.compile makes lengths symbolic, and a comparison of them a symbol.
    mixer = Attention(8, heads=2, positions="rotary")
    traced = torch.compile(mixer, backend="eager", fullgraph=True)
    for length in (5, 9):
        x = noise(1, length, 8).float()
        torch.testing.assert_close(traced(x), mixer(x))
