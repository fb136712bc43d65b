"""Laws of all tasks that are drawn by blocks."""

import pickle
import random
import tracemalloc
from dataclasses import replace
from math import log10

import numpy as np
import pytest
import slow_tasks
from drawn_tasks import all_examples, same, tasks
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.errors import UserError
from bestiary.tasks import IGNORE, SPLITS, build_task
from bestiary.tasks.associative_recall import AssociativeRecall, PairsSegment
from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.duplicates import count_duplicates
from bestiary.tasks.export import write
from bestiary.tasks.induction import Induction, LengthSegment
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment
from bestiary.tasks.selective_copy import CopySegment, SelectiveCopy


@settings(max_examples=80, deadline=None)
@given(tasks(fillers=("random", "none")))
def test_labels_are_read_off_the_tokens_alone(task):
    for _, batch in all_examples(task):
        assert np.array_equal(task.solve(batch.tokens), batch.labels)


@pytest.mark.parametrize(
    ("task", "slow"),
    [
        (AssociativeRecall(300, (PairsSegment(1), PairsSegment(6))), slow_tasks.associative_recall),
        (
            AssociativeRecall(14, (PairsSegment(1), PairsSegment(6)), "shared"),
            slow_tasks.associative_recall,
        ),
        (Induction(257, (LengthSegment(5), LengthSegment(20))), slow_tasks.induction),
        (Induction(3, (LengthSegment(5), LengthSegment(3))), slow_tasks.induction),
        (SelectiveCopy(300, (CopySegment(2, 1), CopySegment(20, 3)), 7), slow_tasks.selective_copy),
        (SelectiveCopy(4, (CopySegment(2, 1), CopySegment(9, 4))), slow_tasks.selective_copy),
    ],
)
def test_bytes_are_those_of_the_rules_followed_one_number_at_a_time(task, slow):
    task = replace(task, seed=2**40 + 3, segments=[replace(s, test=5000) for s in task.segments])
    tokens, labels = slow(task, "test", 1, 3)
    batch = task.stream("test").examples(1, range(3 * 1024, 4 * 1024))
    assert batch.tokens.tolist() == tokens
    assert batch.labels.tolist() == labels


@settings(max_examples=60, deadline=None)
@given(tasks(segments=1), st.data())
def test_any_indices_in_any_order_give_the_rows_of_the_whole(task, data):
    task = replace(task, segments=(replace(task.segments[0], test=2100),))
    whole = task.arrays("test")
    chosen = data.draw(st.lists(st.integers(0, 2099), max_size=30))
    part = replace(task, cache_bytes=0).stream("test").examples(0, np.array(chosen, dtype=np.int64))
    assert np.array_equal(part.tokens, whole.tokens[chosen])
    assert np.array_equal(part.labels, whole.labels[chosen])
    assert all(np.array_equal(part.info[name], whole.info[name][chosen]) for name in whole.info)


@settings(max_examples=40, deadline=None)
@given(tasks(), tasks())
def test_bytes_do_not_depend_on_what_ran_before_and_global_states_are_left_alone(task, other):
    np.random.seed(5)
    random.seed(5)
    state = np.random.get_state()[1].tolist(), random.getstate()
    before = list(all_examples(replace(task, cache_bytes=1)))
    list(all_examples(other))
    after = list(all_examples(replace(task, cache_bytes=10**6)))
    assert all(same(a, b) for (_, a), (_, b) in zip(before, after, strict=True))
    assert (np.random.get_state()[1].tolist(), random.getstate()) == state


LARGE: list[BlockTask] = [
    MQAR(8192, (Segment(64, 4, test=2048), Segment(64, 4))),
    AssociativeRecall(8192, (PairsSegment(32, test=2048), PairsSegment(32))),
    Induction(8192, (LengthSegment(64, test=2048), LengthSegment(64))),
    SelectiveCopy(8192, (CopySegment(64, 16, test=2048), CopySegment(64, 16))),
]
each = pytest.mark.parametrize("task", LARGE, ids=lambda task: type(task).__name__)


@each
def test_seed_split_segment_and_block_each_draw_something_else(task):
    stream = task.stream("test")
    drawn = [
        stream.examples(0, range(1024)),
        stream.examples(0, range(1024, 2048)),
        stream.examples(1, range(1024)),
        task.stream("train").examples(0, range(1024)),
        task.stream("validation").examples(0, range(1000)),
        replace(task, seed=1).stream("test").examples(0, range(1024)),
    ]
    found = np.concatenate([batch.tokens for batch in drawn])
    assert len(np.unique(found, axis=0)) == len(found)


@each
def test_a_longer_stream_begins_like_a_shorter_one(task):
    short, long = (
        replace(task, segments=(replace(task.segments[0], test=n),)).arrays("test")
        for n in (100, 2048)
    )
    assert np.array_equal(long.tokens[:100], short.tokens)


@each
def test_leaving_a_segment_out_of_a_split_moves_no_other(task):
    one = replace(task, segments=(replace(task.segments[0], test=0), task.segments[1]))
    there, here = task.stream("test"), one.stream("test")
    assert same(there.examples(1, range(50)), here.examples(0, range(50)))


@each
def test_a_task_survives_pickling_without_its_cache(task):
    drawn = task.stream("test").examples(0, range(100))
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task and hash(copy) == hash(task)
    assert len(pickle.dumps(task)) < 2000
    assert same(copy.stream("test").examples(0, range(100)), drawn)


@each
def test_a_length_that_no_segment_has_is_refused(task):
    with pytest.raises(UserError, match=r"no segment has length 7 \(accepted: 6[45]\)"):
        task.solve(np.zeros((2, 7), dtype=np.int64))


@pytest.mark.parametrize(
    "task",
    [
        AssociativeRecall(8192, (PairsSegment(256, train=10_000),)),
        Induction(8192, (LengthSegment(8192, train=64),)),
        SelectiveCopy(8192, (CopySegment(8192, 4096, train=64),)),
    ],
    ids=lambda task: type(task).__name__,
)
def test_drawing_stays_under_300_megabytes(task):
    tracemalloc.start()
    try:
        task.arrays("train")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300e6


@pytest.mark.parametrize(
    ("task", "sequences"),
    [
        # V = 8: keys 1 … 3, values 4 … 7, and which key comes again.
        (AssociativeRecall(8, (PairsSegment(2),)), 3 * 2 * 4 * 3 * 2),
        # Tokens 1 … 5, all four different.
        (AssociativeRecall(6, (PairsSegment(2),), "shared"), 5 * 4 * 3 * 2 * 2),
        # The trigger at 3 places, 3 others of 2 tokens.
        (Induction(3, (LengthSegment(5),)), 3 * 2**3),
        # 2 of 4 places, 2 data tokens out of 3, 2 of noise out of 2.
        (SelectiveCopy(6, (CopySegment(6, 2),), 2), 6 * 3**2 * 2**2),
    ],
)
def test_the_number_of_sequences_by_enumeration(task, sequences):
    task = replace(task, segments=(replace(task.segments[0], train=40_000),))
    assert len(np.unique(task.arrays("train").tokens, axis=0)) == sequences
    assert task.log10_sequences(task.segments[0]) == pytest.approx(log10(sequences))


@pytest.mark.parametrize(
    "task",
    [
        AssociativeRecall(64, (PairsSegment(5),)),
        Induction(5, (LengthSegment(8),)),
        Induction(300, (LengthSegment(5),)),
        SelectiveCopy(8, (CopySegment(20, 3),)),
        SelectiveCopy(8, (CopySegment(20, 1),)),
    ],
)
def test_chance_is_how_often_a_random_answer_that_is_shown_is_right(task):
    (segment,) = task.stream("test").segments
    batch = task.arrays("test")
    rng = np.random.default_rng(0)
    right = asked = 0
    for tokens, labels in zip(batch.tokens, batch.labels, strict=True):
        if isinstance(task, AssociativeRecall):
            shown = tokens[1::2]
        elif isinstance(task, Induction):
            shown = tokens[tokens > 0]
        else:
            shown = tokens[tokens > task.noise]
        wanted = labels[labels != IGNORE]
        right += (rng.choice(shown, len(wanted)) == wanted).sum()
        asked += len(wanted)
    sigma = (segment.chance * (1 - segment.chance) / asked) ** 0.5
    assert abs(right / asked - segment.chance) <= 5 * sigma


def test_every_place_of_a_trigger_and_of_items_is_as_likely():
    trigger = Induction(5, (LengthSegment(12),), test_examples=20_000).arrays("test")
    seen = np.bincount(11 - trigger.info["gap"][:, -1], minlength=12)
    assert seen[10:].tolist() == [0, 0]
    assert np.abs(seen[:10] - 2000).max() < 5 * (20_000 * 0.1 * 0.9) ** 0.5
    items = SelectiveCopy(5, (CopySegment(12, 2),), test_examples=20_000).arrays("test")
    seen = (items.tokens[:, :10] > 1).sum(axis=0)
    assert np.abs(seen - 4000).max() < 5 * (20_000 * 0.2 * 0.8) ** 0.5


@pytest.mark.parametrize(
    "task",
    [
        AssociativeRecall(10, (PairsSegment(1),), train_examples=10),
        Induction(4, (LengthSegment(6),), train_examples=200),
        SelectiveCopy(5, (CopySegment(8, 2),), train_examples=200),
        MQAR(12, (Segment(8, 1),), filler="none", train_examples=10),
    ],
    ids=lambda task: type(task).__name__,
)
def test_duplicates_are_counted_and_dropped_as_brute_force_has_them(task):
    splits = {split: [tuple(row) for row in task.arrays(split).tokens] for split in SPLITS}
    (train, validation, test) = count_duplicates(task)
    assert train.repeated == len(splits["train"]) - len(set(splits["train"]))
    assert validation.in_train == sum(row in set(splits["train"]) for row in splits["validation"])
    assert test.in_validation == sum(row in set(splits["validation"]) for row in splits["test"])
    earlier = {*splits["train"], *splits["validation"]}
    novel = [row for row in splits["test"] if row not in earlier]
    if not novel:
        with pytest.raises(UserError, match="drop_duplicates leaves none"):
            replace(task, drop_duplicates=True).arrays("test")
    else:
        kept = replace(task, drop_duplicates=True).arrays("test").tokens
        assert [tuple(row) for row in kept] == novel


@each
def test_files_hold_the_data_and_a_spec_that_makes_it_again(task, tmp_path):
    import json

    import polars as pl

    small = replace(task, segments=(replace(task.segments[0], test=30),))
    path = tmp_path / "test.parquet"
    assert write(small, "test", path) == 30
    table = pl.read_parquet(path)
    batch = small.arrays("test")
    arrays = {"tokens": batch.tokens, "labels": batch.labels, **batch.info}
    for name, array in arrays.items():
        assert np.array_equal(np.array(table[name].to_list()), array)
    assert build_task(json.loads(pl.read_parquet_metadata(path)["task"])) == small


# What is wrong, and what the one sentence must contain: the value, and what would do.
IMPOSSIBLE = [
    ("associative-recall", {"segments": [{"pairs": 0}]}, ["pairs is 0", "at least 1"]),
    ("associative-recall", {"segments": [{"length": 9}]}, ["'length'", "accepted: pairs"]),
    ("associative-recall", {"segments": []}, ["segments is empty", "{pairs: 8}"]),
    ("associative-recall", {"vocab_size": 3}, ["vocab_size is 3", "at least 4"]),
    (
        "associative-recall",
        {"vocab_size": 16, "segments": [{"pairs": 8}]},
        ["8 pairs", "16", "at most 7", "at least 18"],
    ),
    (
        "associative-recall",
        {"vocab_size": 16, "segments": [{"pairs": 8}], "vocabulary": "shared"},
        ["8 pairs", "16", "at most 7", "at least 17"],
    ),
    ("associative-recall", {"vocabulary": "splt"}, ["'splt'", "did you mean 'split'", "shared"]),
    ("induction", {"segments": [{"length": 2}]}, ["length is 2", "at least 3"]),
    ("induction", {"segments": [{"length": 8, "pairs": 2}]}, ["'pairs'", "accepted: length"]),
    ("induction", {"segments": [{"train": 4}]}, ["no length", "{length: 64}"]),
    ("induction", {"vocab_size": 2}, ["vocab_size is 2", "at least 3"]),
    ("induction", {"filler": "none"}, ["'filler'", "accepted"]),
    (
        "induction",
        {"segments": [{"length": 8, "train": 0, "validation": 0, "test": 0}, {"length": 9}]},
        ["length 8 has no examples"],
    ),
    (
        "selective-copy",
        {"segments": [{"length": 15, "items": 8}]},
        ["8 items", "15", "at most 7", "at least 16"],
    ),
    ("selective-copy", {"segments": [{"length": 15}]}, ["no items", "items: 8"]),
    ("selective-copy", {"noise": 0}, ["noise is 0", "at least 1"]),
    ("selective-copy", {"noise": 30}, ["noise is 30", "leaves 1 of 32", "at most 29"]),
    ("selective-copy", {"noise": 99}, ["noise is 99", "leaves 0 of 32"]),
    ("selective-copy", {"train_examples": 0}, ["no train examples"]),
]


@pytest.mark.parametrize(("name", "options", "parts"), IMPOSSIBLE)
def test_an_impossible_setting_gets_one_sentence(name, options, parts):
    with pytest.raises(UserError) as raised:
        build_task({"name": name, **options})
    sentence = str(raised.value)
    assert "\n" not in sentence
    assert [part for part in parts if part not in sentence] == []
