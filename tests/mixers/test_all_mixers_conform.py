from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.mixers import MIXERS, MixerSpec, RecurrentMixer, build_mixer
from bestiary.mixers.conformance import check, refuse_if_unusable

# Every registered mixer as it comes, and options that take another way through the code.
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in MIXERS),
    ("attention", {"heads": 2, "positions": "rotary", "bias": True}),
    ("sliding_window", {"window": 1}),
    ("sliding_window", {"window": 5, "heads": 2, "positions": "rotary"}),
    ("based", {"window": 0, "feature_dim": 3, "symmetric": True}),
    ("based", {"window": 7, "feature_dim": 3, "heads": 2, "combine": "split"}),
    ("short_conv", {"taps": 1, "bias": False}),
    ("short_conv", {"taps": 4}),
]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_a_registered_mixer_obeys_every_law(name: str, options: dict[str, Any]) -> None:
    report = check(name, options, d_model=8, max_length=67)
    assert report.ok, [(result.name, result.reason) for result in report.failures]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
@settings(max_examples=10, deadline=None)
@given(length=st.integers(1, 67), cuts=st.lists(st.integers(1, 66), max_size=3))
def test_a_recurrent_mixer_cut_anywhere_gives_the_whole(
    name: str, options: dict[str, Any], length: int, cuts: list[int]
) -> None:
    torch.manual_seed(0)
    mixer: Any = build_mixer(MixerSpec(name, options), 8, 67).double()
    assert isinstance(mixer, RecurrentMixer)
    x = torch.randn(2, length, 8, dtype=torch.float64)
    with torch.no_grad():
        whole = mixer(x)
        state = mixer.initial_state(2)
        edges = [0, *sorted({cut for cut in cuts if cut < length}), length]
        parts = []
        for start, stop in pairwise(edges):
            y, state = mixer(x[:, start:stop], state)
            parts.append(y)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", MIXERS)
@pytest.mark.parametrize("length", [1, 64])
def test_a_registered_mixer_is_let_through_before_training(name: str, length: int) -> None:
    refuse_if_unusable(build_mixer(MixerSpec(name), 16, length), 16, length, name)


@pytest.mark.cuda
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_a_registered_mixer_obeys_every_law_on_a_gpu(name: str, options: dict[str, Any]) -> None:
    report = check(name, options, d_model=8, max_length=67, device="cuda")
    assert report.ok, [(result.name, result.reason) for result in report.failures]
