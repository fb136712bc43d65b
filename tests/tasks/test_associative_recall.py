from __future__ import annotations

import numpy as np
from drawn_tasks import all_examples, associative, rows
from hypothesis import given, settings
from task_marks import marks

from bestiary.tasks import IGNORE
from bestiary.tasks.associative_recall import AssociativeRecall, PairsSegment


@settings(max_examples=40, deadline=None)
@given(associative())
def test_one_key_of_distinct_pairs_comes_again_and_its_value_is_the_label(task):
    half, shared = task.vocab_size // 2, task.vocabulary == "shared"
    for segment, batch in all_examples(task):
        k = segment.pairs
        assert batch.tokens.shape == batch.labels.shape == (segment.examples, 2 * k + 1)
        assert batch.tokens.dtype == batch.labels.dtype == np.int64
        assert batch.info["pairs"].tolist() == [k] * segment.examples
        for tokens, labels, gap in rows(batch):
            keys, values = tokens[0:-1:2], tokens[1::2]
            assert len({*keys, *values}) == 2 * k
            assert all(0 < token < task.vocab_size for token in tokens)
            assert shared or (max(keys) < half <= min(values))
            pair = keys.index(tokens[-1])
            assert labels == [IGNORE] * 2 * k + [values[pair]]
            assert gap[-1] == 2 * k - 2 * pair


def test_as_many_pairs_as_the_vocabulary_holds_are_possible():
    batch = AssociativeRecall(15, (PairsSegment(7),), "shared", test_examples=5).arrays("test")
    assert sorted(batch.tokens[0, :14].tolist()) == list(range(1, 15))


def test_a_key_that_did_not_come_has_no_label():
    recall = AssociativeRecall(16, (PairsSegment(2),))
    assert recall.solve(np.array([[1, 9, 2, 10, 3], [1, 9, 2, 10, 2]])).tolist() == [
        [IGNORE] * 5,
        [IGNORE] * 4 + [10],
    ]


def test_roles_name_what_each_token_is_there_for():
    recall = AssociativeRecall(16, (PairsSegment(2),))
    labels = [IGNORE] * 4 + [10]
    assert marks(recall, [1, 9, 2, 10, 2], labels, pairs=np.array([2])) == [
        "k1", "v1", "k2", "v2", "q2",
    ]  # fmt: skip
