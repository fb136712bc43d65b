"""A training config that cannot be carried out is refused when it is made."""

from __future__ import annotations

import pytest

from bestiary.errors import UserError
from bestiary.training import TrainingConfig


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        ("epochs", 0, "at least 1"),
        ("batch_size", -3, "at least 1"),
        ("validate_every", 0, "at least 1"),
        ("threads", 0, "at least 1"),
        ("learning_rate", 0.0, "above 0"),
        ("learning_rate", float("nan"), "above 0"),
        ("clip", -1.0, "above 0"),
        ("warmup", 1.0, "from 0 to below 1"),
        ("weight_decay", -0.1, "0 or more"),
        ("checkpoint_every", -1, "0 or more"),
        ("stop_at", 0.0, r"in \(0, 1\] or null"),
        ("stop_at", 1.5, r"in \(0, 1\] or null"),
        ("patience", 0, "at least 1 or null"),
        ("dtype", "float16", "float32, bfloat16, float64"),
    ],
)
def test_a_value_out_of_range_is_named_with_what_is_accepted(field, value, accepted):
    with pytest.raises(UserError, match=rf"^{field} is .*{accepted}"):
        TrainingConfig(**{field: value})


def test_early_stopping_and_patience_can_be_left_out():
    config = TrainingConfig(stop_at=None, patience=None)
    assert (config.stop_at, config.patience) == (None, None)


@pytest.mark.parametrize("field", ["learning_rate", "weight_decay"])
@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_rate_that_is_no_finite_number_is_refused(field, value):
    with pytest.raises(UserError, match=f"^{field} is {value}; it must be"):
        TrainingConfig(**{field: value})


def test_more_threads_than_torch_can_count_are_refused():
    with pytest.raises(UserError, match=r"^threads is 1\d+; it must be at least 1, at most 1024$"):
        TrainingConfig(threads=10**20)
