from __future__ import annotations

import numpy as np
from drawn_tasks import all_examples, inductions, rows
from hypothesis import given, settings
from task_marks import marks

from bestiary.tasks import IGNORE
from bestiary.tasks.induction import Induction, LengthSegment


@settings(max_examples=40, deadline=None)
@given(inductions())
def test_the_trigger_comes_twice_and_what_followed_it_is_the_label(task):
    for segment, batch in all_examples(task):
        length = segment.length
        assert batch.tokens.shape == batch.labels.shape == (segment.examples, length)
        assert batch.tokens.dtype == batch.labels.dtype == np.int64
        for tokens, labels, gap in rows(batch):
            assert tokens.count(0) == 2
            assert min(tokens) >= 0 and max(tokens) < task.vocab_size
            place = tokens.index(0)
            assert tokens[-1] == 0 != tokens[place + 1]
            assert labels == [IGNORE] * (length - 1) + [tokens[place + 1]]
            assert gap[-1] == length - 1 - place


def test_a_trigger_that_did_not_come_twice_has_no_label():
    induction = Induction(16, (LengthSegment(5),))
    given = np.array([[1, 2, 3, 4, 0], [0, 2, 0, 4, 0], [0, 2, 3, 4, 5], [1, 2, 3, 0, 0]])
    assert induction.solve(given)[:, -1].tolist() == [IGNORE, 2, IGNORE, IGNORE]


def test_roles_name_what_each_token_is_there_for():
    induction = Induction(16, (LengthSegment(5),))
    assert marks(induction, [3, 0, 7, 3, 0], [IGNORE] * 4 + [7]) == [".", "t", "a", ".", "t"]
