from __future__ import annotations

import pytest

from bestiary.errors import UserError
from bestiary.runs.named_task import read_task
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment


def test_a_task_is_small_unless_it_is_said_in_a_name_and_options():
    assert read_task(None) == MQAR(vocab_size=16, segments=(Segment(16, 4),))
    expected = MQAR(vocab_size=16, segments=(Segment(32, 2),), filler="none", seed=3)
    assert read_task("mqar,length=32,pairs=2,filler=none", 3) == expected
    assert read_task("length=32,pairs=2,filler=none,seed=3") == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mqar,length", "'length' in --task 'mqar,length' sets no option"),
        ("nothing,length=4", "unknown task 'nothing'"),
        ("lenght=32", r"no option 'lenght'; did you mean 'length'\? \(accepted: length, pairs, v"),
        ("length=15", "length is 15; it must be even"),
    ],
)
def test_a_task_that_is_none_is_one_sentence(text, said):
    with pytest.raises(UserError, match=said):
        read_task(text)
