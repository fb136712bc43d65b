from __future__ import annotations

import numpy as np
from drawn_tasks import all_examples, copies, rows
from hypothesis import given, settings
from task_marks import marks

from bestiary.tasks import IGNORE
from bestiary.tasks.selective_copy import CopySegment, SelectiveCopy


@settings(max_examples=40, deadline=None)
@given(copies())
def test_markers_at_the_end_ask_for_all_items_in_order(task):
    for segment, batch in all_examples(task):
        length, k = segment.length, segment.pairs
        assert batch.tokens.shape == batch.labels.shape == (segment.examples, length)
        assert batch.tokens.dtype == batch.labels.dtype == np.int64
        assert batch.info["items"].tolist() == [k] * segment.examples
        for tokens, labels, gap in rows(batch):
            places = [t for t, token in enumerate(tokens) if token > task.noise]
            assert len(places) == k
            assert max(tokens) < task.vocab_size
            assert tokens[length - k :] == [task.noise] * k
            assert task.noise not in tokens[: length - k]
            assert labels == [IGNORE] * (length - k) + [tokens[place] for place in places]
            assert gap[length - k :] == [length - k + n - p for n, p in enumerate(places)]


def test_a_marker_that_asks_for_what_was_not_read_has_no_label():
    copy = SelectiveCopy(16, (CopySegment(6, 2),))
    given = np.array([[1, 5, 0, 6, 1, 1], [5, 1, 1, 6, 1, 0]])
    assert copy.solve(given).tolist() == [
        [IGNORE, IGNORE, IGNORE, IGNORE, 6, IGNORE],
        [IGNORE, 5, IGNORE, IGNORE, IGNORE, IGNORE],
    ]


def test_roles_name_what_each_token_is_there_for():
    copy = SelectiveCopy(16, (CopySegment(5, 2),))
    labels = [IGNORE] * 3 + [5, 6]
    assert marks(copy, [5, 0, 6, 1, 1], labels) == ["d1", ".", "d2", "m1", "m2"]
