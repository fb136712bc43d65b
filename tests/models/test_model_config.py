"""A model config accepts what YAML gives and refuses what cannot be built."""

from __future__ import annotations

import pytest

from bestiary.errors import UserError
from bestiary.mixers.registry import MixerSpec
from bestiary.models import ModelConfig


def test_mixers_are_given_by_name_or_with_options():
    config = ModelConfig(mixers=("short_conv", {"name": "hyena", "order": 3}), n_layers=2)
    assert config.mixers == (MixerSpec("short_conv"), MixerSpec("hyena", {"order": 3}))


def test_a_pattern_of_mixers_is_repeated_to_fill_the_layers():
    config = ModelConfig(mixers=("short_conv", "attention"), n_layers=4)
    names = [spec.name for spec in config.layer_mixers]
    assert names == ["short_conv", "attention", "short_conv", "attention"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"mixers": ("a", "b", "c"), "n_layers": 4}, "3 mixers cannot fill 4 layers"),
        ({"mixers": ()}, "0 mixers cannot fill 2 layers"),
        ({"d_model": 0}, "d_model is 0"),
        ({"n_layers": 0}, "n_layers is 0"),
        ({"mlp_expansion": -1}, "mlp_expansion is -1"),
        ({"embedding_std": 0}, "embedding_std is 0"),
        ({"positions": "learnt"}, "positions is 'learnt'.*learned, none"),
        ({"mixers": ({"order": 2},)}, "a mixer needs a name"),
    ],
)
def test_what_cannot_be_built_is_refused_when_the_config_is_made(fields, sentence):
    with pytest.raises(UserError, match=sentence):
        ModelConfig(**fields)


def test_tables_call_a_model_by_its_label_or_its_mixers():
    assert ModelConfig(mixers=("short_conv", "attention")).name == "short_conv+attention"
    assert ModelConfig(mixers=("my.module:Mixer",)).name == "Mixer"
    assert ModelConfig(label="hybrid").name == "hybrid"


@pytest.mark.parametrize("field", ["mlp_expansion", "embedding_std"])
@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_size_that_is_no_finite_number_is_refused(field, value):
    with pytest.raises(UserError, match=f"^{field} is {value}; it must be"):
        ModelConfig(**{field: value})
