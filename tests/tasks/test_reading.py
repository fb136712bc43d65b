import numpy as np
import pytest
import slow_mqar

from bestiary.errors import UserError
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.reading import answers, reads_as
from bestiary.tasks.segments import Segment


def test_solving_by_hand():
    task = MQAR(12, (Segment(16, 2),))
    tokens = [2, 8, 4, 7, 9, 3, 4, 1, 0, 5, 11, 2, 2, 6, 10, 3]
    expected = [-100] * 16
    expected[6], expected[11], expected[12] = 7, 8, 8
    assert task.solve(np.array([tokens])).tolist() == [expected]


@pytest.mark.parametrize("filler", ["random", "none"])
def test_the_solver_finds_the_labels_from_the_tokens(filler):
    task = MQAR(8192, (Segment(64, 4), Segment(128, 8)), filler=filler, test_examples=500)
    for number in range(2):
        batch = task.arrays("test", number)
        assert np.array_equal(task.solve(batch.tokens), batch.labels)


def test_the_solver_finds_how_many_pairs_an_example_has():
    task = MQAR(8192, (Segment(64, 2), Segment(64, 16), Segment(64, 5)), test_examples=200)
    tokens = np.concatenate([task.arrays("test", n).tokens for n in range(3)])
    labels = np.concatenate([task.arrays("test", n).labels for n in range(3)])
    mixed = np.random.default_rng(0).permutation(len(tokens))
    assert np.array_equal(task.solve(tokens[mixed]), labels[mixed])


def test_under_any_filler_the_solver_is_right_where_it_is_asked_and_answers_lookalikes_too():
    task = MQAR(64, (Segment(64, 8),), filler="any", test_examples=200)
    batch = task.arrays("test")
    solved = task.solve(batch.tokens)
    asked = batch.labels != -100
    assert np.array_equal(solved[asked], batch.labels[asked])
    assert solved.tolist() == [slow_mqar.read(row, 8) for row in batch.tokens.tolist()]
    assert (solved[~asked] != -100).any()


def test_a_length_that_no_segment_has_is_named():
    with pytest.raises(UserError, match=r"no segment has length 10 \(accepted: 16, 64\)"):
        MQAR(64, (Segment(64, 4), Segment(16, 2))).solve(np.zeros((1, 10), dtype=np.int64))


@pytest.mark.parametrize(
    "tokens",
    [
        [2, 8, 2, 7, 2, 0, 2, 0],  # one key twice
        [2, 8, 4, 3, 2, 0, 4, 0],  # a value below half
        [2, 8, 7, 9, 2, 0, 7, 0],  # a key from half up
        [0, 8, 4, 9, 0, 0, 4, 0],  # the blank as a key
        [2, 8, 4, 7, 2, 0, 0, 0],  # a key that is not asked for
        [2, 8, 4, 7, 2, 4, 0, 0],  # asked for at an odd place
    ],
)
def test_what_is_no_example_of_two_pairs_does_not_read_as_one(tokens):
    good = [2, 8, 4, 7, 4, 0, 2, 0]
    assert reads_as(np.array([good, tokens]), 2, 6).tolist() == [True, False]


def test_no_tokens_have_no_answers():
    assert answers(np.zeros((0, 8), dtype=np.int64), 2).shape == (0, 8)
