from __future__ import annotations

import pytest

from bestiary.runs.summary import checked_summary

SEGMENT = {"length": 16, "pairs": 2, "examples": 32, "chance": 0.5}
WHOLE = {
    "label": "attention",
    "parameters": 544,
    "state_size": 256,
    "state_sizes": {"16": 256},
    "segments": {"test": [SEGMENT]},
    "duplicates": [
        {"split": "test", "length": 16, "pairs": 2, "examples": 32, "repeated": 0, "in_train": 1,
         "in_validation": None}
    ],
}  # fmt: skip


def test_a_summary_is_returned_as_it_is_and_may_have_less_or_more():
    assert checked_summary(WHOLE) == WHOLE
    assert checked_summary({"parameters": 1, "flops": 2}) == {"parameters": 1, "flops": 2}


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [1],
        "text",
        {"state_size": "big"},
        {"state_sizes": [1]},
        {"segments": [1]},
        {"segments": {"test": [{"length": 16}]}},
        {"segments": {"test": [{**SEGMENT, "colour": 1}]}},
        {"duplicates": [{"split": "test"}]},
    ],
)
def test_what_is_no_summary_is_nothing(wrong):
    assert checked_summary({**WHOLE, **wrong} if isinstance(wrong, dict) else wrong) == {}
