import pickle
import random
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import slow_mqar
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.tasks import IGNORE, SPLITS, build_task
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment


@st.composite
def tasks(draw, fillers=("random", "none", "any"), segments=2):
    given = []
    for _ in range(draw(st.integers(1, segments))):
        pairs = draw(st.integers(1, 7))
        length = 2 * draw(st.integers(2 * pairs, 2 * pairs + 12))
        counts = [draw(st.integers(1, 60)) for _ in SPLITS]
        given.append(Segment(length, pairs, *counts))
    most = max(s.pairs for s in given)
    return MQAR(
        vocab_size=draw(st.sampled_from([2 * most + 2, 2 * most + 3, 65, 300, 70_000])),
        segments=tuple(given),
        power_a=draw(st.sampled_from([0.01, 0.5, 1.0, 2.0])),
        filler=draw(st.sampled_from(fillers)),
        seed=draw(st.integers(0, 2**70)),
    )


def all_examples(task):
    for split in SPLITS:
        stream = task.stream(split)
        for number, segment in enumerate(stream.segments):
            yield segment, stream.examples(number, range(segment.examples))


def same(a, b):
    return (
        np.array_equal(a.tokens, b.tokens)
        and np.array_equal(a.labels, b.labels)
        and a.info.keys() == b.info.keys()
        and all(np.array_equal(a.info[name], b.info[name]) for name in a.info)
    )


@settings(max_examples=40, deadline=None)
@given(tasks())
def test_each_example_has_k_labelled_queries_with_the_value_that_was_paired_with_the_key(task):
    half = task.vocab_size // 2
    for segment, batch in all_examples(task):
        k = segment.pairs
        assert batch.tokens.shape == batch.labels.shape == (segment.examples, segment.length)
        assert batch.tokens.dtype == batch.labels.dtype == np.int64
        assert batch.info["pairs"].tolist() == [k] * segment.examples
        for tokens, labels, gap in zip(
            batch.tokens.tolist(), batch.labels.tolist(), batch.info["gap"].tolist(), strict=True
        ):
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
@given(tasks(fillers=("random", "none")))
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


@settings(max_examples=25, deadline=None)
@given(tasks(segments=1), st.data())
def test_any_indices_in_any_order_give_the_rows_of_the_whole(task, data):
    task = replace(task, segments=(replace(task.segments[0], test=2100),))
    whole = task.arrays("test")
    chosen = data.draw(st.lists(st.integers(0, 2099), max_size=30))
    part = replace(task, cache_bytes=0).stream("test").examples(0, np.array(chosen, dtype=np.int64))
    assert np.array_equal(part.tokens, whole.tokens[chosen])
    assert np.array_equal(part.labels, whole.labels[chosen])
    assert np.array_equal(part.info["gap"], whole.info["gap"][chosen])
    assert np.array_equal(part.info["pairs"], whole.info["pairs"][chosen])


def test_a_longer_stream_begins_like_a_shorter_one():
    short, long = (MQAR(test_examples=n).arrays("test") for n in (100, 3000))
    assert np.array_equal(long.tokens[:100], short.tokens)


@settings(max_examples=15, deadline=None)
@given(tasks(), tasks())
def test_bytes_do_not_depend_on_what_ran_before(task, other):
    before = list(all_examples(replace(task, cache_bytes=1)))
    np.random.seed(1)
    list(all_examples(other))
    after = list(all_examples(replace(task, cache_bytes=10**6)))
    assert all(same(a, b) for (_, a), (_, b) in zip(before, after, strict=True))


def test_global_random_states_are_left_alone():
    np.random.seed(5)
    random.seed(5)
    state = np.random.get_state()[1].tolist(), random.getstate()
    MQAR(256, test_examples=100, drop_duplicates=True).arrays("test")
    assert (np.random.get_state()[1].tolist(), random.getstate()) == state


def test_seed_split_segment_and_block_each_draw_something_else():
    task = MQAR(8192, (Segment(64, 4, test=2048), Segment(64, 4)))
    stream = task.stream("test")
    drawn = [
        stream.examples(0, range(1024)),
        stream.examples(0, range(1024, 2048)),
        stream.examples(1, range(1024)),
        task.stream("train").examples(0, range(1024)),
        task.stream("validation").examples(0, range(1000)),
        replace(task, seed=1).stream("test").examples(0, range(1024)),
    ]
    rows = np.concatenate([batch.tokens for batch in drawn])
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_the_filler_mode_moves_no_pair_and_no_query():
    random_, none, any_ = (
        MQAR(256, filler=f, test_examples=200).arrays("test") for f in ("random", "none", "any")
    )
    assert np.array_equal(random_.labels, none.labels)
    assert np.array_equal(random_.labels, any_.labels)


def test_leaving_a_segment_out_of_a_split_moves_no_other():
    both = MQAR(segments=(Segment(16, 2), Segment(64, 4)))
    one = MQAR(segments=(Segment(16, 2, test=0), Segment(64, 4)))
    there, here = both.stream("test"), one.stream("test")
    assert same(there.examples(1, range(50)), here.examples(0, range(50)))


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


def test_a_task_survives_pickling_without_its_cache():
    task = MQAR(test_examples=2000)
    drawn = task.arrays("test")
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task
    assert len(pickle.dumps(task)) < 2000
    assert same(copy.arrays("test"), drawn)


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
