from __future__ import annotations

import pytest
import torch
from trained_mixers import disturbed

from bestiary.compile import language_model
from bestiary.errors import UserError
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.models import ModelConfig, build_model
from bestiary.tasks.mqar import MQAR
from bestiary.training import evaluate

V, N, D = 16, 8, 4
H3 = {"name": "h3", "d_state": 4, "shift_state": 3, "head_dim": 2}


def model_of(*mixers, positions="none", **options):
    config = ModelConfig(
        d_model=D, n_layers=len(mixers), mixers=mixers, positions=positions, **options
    )
    return disturbed(build_model(config, V, N, seed=0))


def test_every_gated_convolution_is_replaced_and_the_logits_are_the_same():
    model = model_of("hyena", H3, "base_conv", "short_conv", mlp_expansion=2, positions="learned")
    made = language_model(model)
    assert made.difference <= 1e-8
    assert all(isinstance(block.mixer, BaseConvStack) for block in made.model.blocks)
    sizes = [(len(b.compiled.stack.layers), b.compiled.stack.width) for b in made.blocks]
    assert sizes == [(5, 3 * D), (4, 3 * D), (1, D), (3, 2 * D)]
    assert all(block.error <= 1e-9 for block in made.blocks)
    reference = model.double()
    for length in (N, 5, 1):
        tokens = torch.randint(V, (3, length), generator=torch.Generator().manual_seed(length))
        with torch.no_grad():
            expected, found = reference(tokens), made.model(tokens)
            last = made.model(tokens, torch.tensor([length - 1]))
        assert (found - expected).abs().max() <= 1e-8
        torch.testing.assert_close(last[0], expected[0, -1], rtol=0, atol=1e-8)


def test_its_recall_is_the_same_answer_by_answer():
    task = MQAR(
        vocab_size=V,
        segments=({"length": N, "pairs": 2},),
        train_examples=64,
        validation_examples=16,
        test_examples=32,
    )
    model = model_of("hyena", "hyena")
    made = language_model(model, task.max_length)
    before, after = (evaluate(m, task, "test").total for m in (model.double(), made.model))
    assert (before.accuracy, before.all_correct) == (after.accuracy, after.all_correct)
    assert before.loss == pytest.approx(after.loss, rel=1e-9)


def test_the_given_model_is_left_as_it_is():
    model = model_of("hyena").train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    language_model(model)
    assert model.training
    for name, value in model.state_dict().items():
        assert value.dtype == torch.float32
        assert torch.equal(value, before[name])


def test_attention_is_kept_and_said_to_be():
    made = language_model(model_of("short_conv", "attention"))
    assert [block.compiled is None for block in made.blocks] == [False, True]
    first, second, last = str(made).splitlines()
    assert first.startswith("block 0: short_conv → 3 BaseConv layers, width 8, 8 rows, error ")
    assert second == "block 1: attention, kept"
    assert last.startswith("largest difference of a logit: ")


def test_the_time_layout_keeps_the_width_of_the_model():
    made = language_model(model_of("hyena"), layout="time")
    assert made.blocks[0].compiled.stack.width == D
    assert made.difference <= 1e-8


@pytest.mark.parametrize(
    ("mixers", "length", "words"),
    [
        (("attention",), None, "a model of attention has no mixer to compile"),
        (("hyena",), N + 1, "a model of 8 learned positions cannot be compiled for 9"),
    ],
)
def test_mistakes_are_named(mixers, length, words):
    with pytest.raises(UserError, match=words):
        language_model(model_of(*mixers, positions="learned"), length)


def test_a_mixer_that_cannot_be_compiled_faithfully_is_named_with_its_block(monkeypatch):
    model = model_of("short_conv", "hyena")
    mixer = type(model.blocks[1].mixer)
    arrays = mixer.long_filters
    monkeypatch.setattr(mixer, "long_filters", lambda self, n: 1.001 * arrays(self, n))
    with pytest.raises(UserError, match="the compiled hyena of block 1 differs"):
        language_model(model)
