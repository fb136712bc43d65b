"""What is true of MQAR alone; ``test_block_task`` has the laws of all tasks."""

import random
import tracemalloc

import numpy as np
import pytest
import slow_mqar
from drawn_tasks import all_examples, mqars, rows
from hypothesis import given, settings

from bestiary.errors import UserError
from bestiary.tasks import IGNORE, build_task
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment


@settings(max_examples=40, deadline=None)
@given(mqars())
def test_each_example_has_k_labelled_queries_with_the_value_that_was_paired_with_the_key(task):
    half = task.vocab_size // 2
    for segment, batch in all_examples(task):
        k = segment.pairs
        assert batch.tokens.shape == batch.labels.shape == (segment.examples, segment.length)
        assert batch.tokens.dtype == batch.labels.dtype == np.int64
        assert batch.info["pairs"].tolist() == [k] * segment.examples
        for tokens, labels, gap in rows(batch):
            keys, values = tokens[0 : 2 * k : 2], tokens[1 : 2 * k : 2]
            assert len(set(keys)) == len(set(values)) == k
            assert all(
                0 < key < half <= value < task.vocab_size
                for key, value in zip(keys, values, strict=True)
            )
            asked = [t for t, label in enumerate(labels) if label != IGNORE]
            assert sorted(tokens[t] for t in asked) == sorted(keys)
            for t in asked:
                pair = keys.index(tokens[t])
                assert labels[t] == values[pair]
                assert gap[t] == t - 2 * pair
                assert t >= 2 * k
                assert t % 2 == 0


@settings(max_examples=40, deadline=None)
@given(mqars(fillers=("random", "none")))
def test_a_reader_of_the_sequence_alone_finds_the_labels_and_nothing_else(task):
    for segment, batch in all_examples(task):
        for tokens, labels in zip(batch.tokens.tolist(), batch.labels.tolist(), strict=True):
            assert slow_mqar.read(tokens, segment.pairs) == labels


def test_no_filler_is_a_key_of_its_example():
    # A published generator has 3.2 % here.
    batch = MQAR(256, (Segment(64, 8),)).arrays("test")
    filler = np.where(batch.labels == IGNORE, batch.tokens, -1)[:, 16:]
    keys = batch.tokens[:, 0:16:2]
    assert not (filler[:, :, None] == keys[:, None, :]).any()


def test_filler_none_is_the_blank():
    batch = MQAR(64, (Segment(32, 4),), filler="none").arrays("test")
    rest = batch.tokens[:, 8:]
    assert (rest[batch.labels[:, 8:] == IGNORE] == 0).all()


@pytest.mark.parametrize("filler", ["random", "none", "any"])
@pytest.mark.parametrize(
    ("vocab", "length", "pairs", "power"), [(300, 24, 3, 0.01), (18, 20, 4, 0.7), (9, 8, 2, 1.0)]
)
def test_bytes_are_those_of_the_rules_followed_one_number_at_a_time(
    filler, vocab, length, pairs, power
):
    segments = (Segment(8, 1), Segment(length, pairs))
    task = MQAR(vocab, segments, power, filler, seed=2**40 + 3, test_examples=5000)
    tokens, labels = slow_mqar.block(task, "test", 1, 3)
    batch = task.stream("test").examples(1, range(3 * 1024, 4 * 1024))
    assert batch.tokens.tolist() == tokens
    assert batch.labels.tolist() == labels


def test_global_random_states_are_left_alone():
    np.random.seed(5)
    random.seed(5)
    state = np.random.get_state()[1].tolist(), random.getstate()
    MQAR(256, test_examples=100, drop_duplicates=True).arrays("test")
    assert (np.random.get_state()[1].tolist(), random.getstate()) == state


def test_the_filler_mode_moves_no_pair_and_no_query():
    random_, none, any_ = (
        MQAR(256, filler=f, test_examples=200).arrays("test") for f in ("random", "none", "any")
    )
    assert np.array_equal(random_.labels, none.labels)
    assert np.array_equal(random_.labels, any_.labels)


def test_positions_and_targets_of_a_batch_are_the_labelled_ones():
    batch = MQAR(64, (Segment(32, 4),), test_examples=10).arrays("test")
    expected = [
        (row * 32 + t, label)
        for row, labels in enumerate(batch.labels.tolist())
        for t, label in enumerate(labels)
        if label != IGNORE
    ]
    assert list(zip(batch.positions.tolist(), batch.targets.tolist(), strict=True)) == expected
    assert len(expected) == 40


@pytest.mark.parametrize("indices", [[-1], [10], [3, 99]])
def test_indices_outside_the_segment_are_refused(indices):
    with pytest.raises(IndexError, match="0 to 9"):
        MQAR(test_examples=10).stream("test").examples(0, np.array(indices))


def test_an_unknown_split_is_named():
    with pytest.raises(UserError, match="'tset'; did you mean 'test'"):
        MQAR().stream("tset")


def test_the_cache_is_no_part_of_what_a_task_is():
    small, large = MQAR(cache_bytes=0), MQAR(cache_bytes=2**30)
    assert small == large
    assert hash(small) == hash(large)


def test_an_epoch_passes_through_a_small_cache():
    task = build_task({"name": "mqar", "train_examples": 20_000, "cache_bytes": 400_000})
    stream = task.stream("train")
    for start in range(0, 20_000, 1000):
        stream.examples(0, range(start, start + 1000))
        assert task.blocks.nbytes <= 400_000


@pytest.mark.parametrize(("length", "pairs", "examples"), [(64, 4, 10_000), (8192, 64, 64)])
def test_drawing_stays_under_200_megabytes(length, pairs, examples):
    task = MQAR(8192, (Segment(length, pairs, train=examples),))
    tracemalloc.start()
    try:
        task.arrays("train")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6
