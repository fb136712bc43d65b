import pytest

from bestiary.errors import UserError
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.registry import build_task
from bestiary.tasks.segments import Segment


def test_mappings_lists_and_segments_make_the_same_task():
    plain = MQAR(segments=[{"length": 64, "pairs": 4}, {"length": 128, "pairs": 8, "test": 7}])
    typed = MQAR(segments=(Segment(64, 4), Segment(128, 8, test=7)))
    assert plain == typed
    assert hash(plain) == hash(typed)
    assert plain.max_length == 128


def test_a_segment_without_counts_takes_the_tasks():
    task = MQAR(
        segments=[{"length": 16, "pairs": 2, "train": 5}, {"length": 32, "pairs": 4}],
        train_examples=50,
        validation_examples=6,
        test_examples=7,
    )
    assert task.segments == (Segment(16, 2, 5, 6, 7), Segment(32, 4, 50, 6, 7))


def test_a_segment_left_out_of_a_split_is_not_among_its_segments():
    task = MQAR(segments=[Segment(16, 2, test=0), Segment(32, 4, train=0, validation=0, test=9)])
    assert [s.length for s in task.stream("train").segments] == [16]
    assert [(s.length, s.examples, s.chance) for s in task.stream("test").segments] == [
        (32, 9, 1 / 4)
    ]


# What is wrong, and what the one sentence must contain: the value, and what would do.
IMPOSSIBLE = {
    "too many pairs for the vocabulary": (
        {"vocab_size": 16, "segments": [{"length": 64, "pairs": 8}]},
        ["8 pairs", "16", "7"],
    ),
    "too many pairs for the length": (
        {"segments": [{"length": 16, "pairs": 5}]},
        ["5 pairs", "16", "4 pairs", "20"],
    ),
    "no pairs": ({"segments": [{"length": 16, "pairs": 0}]}, ["pairs is 0", "at least 1"]),
    "odd length": ({"segments": [{"length": 17, "pairs": 2}]}, ["length is 17", "even"]),
    "no length": ({"segments": [{"pairs": 2}]}, ["no length", "length: 64"]),
    "no examples": ({"train_examples": 0}, ["no train examples", "at least 1"]),
    "negative examples": ({"test_examples": -3}, ["test_examples is -3", "at least 0"]),
    "a segment in no split": (
        {"segments": [Segment(16, 2), Segment(8, 1, train=0, validation=0, test=0)]},
        ["length 8", "at least one"],
    ),
    "negative examples of a segment": (
        {"segments": [{"length": 16, "pairs": 2, "train": -1}]},
        ["train of a segment is -1"],
    ),
    "no segments": ({"segments": []}, ["segments is empty"]),
    "segments that are no list": ({"segments": 64}, ["64", "length: 64"]),
    "a segment that is no mapping": ({"segments": ["64:4"]}, ["'64:4'", "length: 64"]),
    "power 0": ({"power_a": 0}, ["power_a is 0", "above 0"]),
    "negative power": ({"power_a": -0.5}, ["power_a is -0.5", "above 0"]),
    "power not a number": ({"power_a": float("nan")}, ["power_a is nan", "above 0"]),
    "power infinite": ({"power_a": float("inf")}, ["power_a is inf", "above 0"]),
    "power text": ({"power_a": "paper"}, ["'paper'", "above 0"]),
    "negative seed": ({"seed": -1}, ["seed is -1", "at least 0"]),
    "seed text": ({"seed": "7"}, ["seed is '7'", "whole number"]),
    "length a fraction": ({"segments": [{"length": 64.5, "pairs": 4}]}, ["64.5", "whole number"]),
    "pairs a truth value": (
        {"segments": [{"length": 64, "pairs": True}]},
        ["True", "whole number"],
    ),
    "tiny vocabulary": ({"vocab_size": 3}, ["vocab_size is 3", "at least 4"]),
    "enormous vocabulary": ({"vocab_size": 2**40}, [str(2**40), str(2**31 - 1)]),
    "unknown filler": ({"filler": "randm"}, ["'randm'", "did you mean 'random'", "none", "any"]),
    "drop_duplicates text": ({"drop_duplicates": "yes"}, ["'yes'", "true or false"]),
    "negative cache": ({"cache_bytes": -1}, ["cache_bytes is -1"]),
    "unknown option": ({"vocab": 8}, ["'vocab'", "did you mean 'vocab_size'", "segments"]),
    "published option": ({"num_kvpairs": 9}, ["'num_kvpairs'", "accepted"]),
    "passes": ({"num_passes": 2}, ["'num_passes'", "accepted"]),
    "unknown option of a segment": (
        {"segments": [{"length": 64, "pair": 4}]},
        ["'pair'", "did you mean 'pairs'"],
    ),
}


@pytest.mark.parametrize(("options", "parts"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_an_impossible_setting_gets_one_sentence(options, parts):
    with pytest.raises(UserError) as raised:
        build_task({"name": "mqar", **options})
    sentence = str(raised.value)
    assert "\n" not in sentence
    assert [part for part in parts if part not in sentence] == []


def test_as_many_pairs_as_there_are_keys_are_possible():
    task = MQAR(vocab_size=16, segments=[Segment(28, 7, test=5)])
    batch = task.arrays("test")
    assert sorted(batch.tokens[0, 0:14:2].tolist()) == list(range(1, 8))
