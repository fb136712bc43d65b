"""Tasks of small sizes for laws that hold for all, and how their examples are gone through."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from bestiary.tasks import SPLITS
from bestiary.tasks.associative_recall import AssociativeRecall, PairsSegment
from bestiary.tasks.induction import Induction, LengthSegment
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment
from bestiary.tasks.selective_copy import CopySegment, SelectiveCopy

FILLERS = ("random", "none", "any")


def counts(draw):
    return {split: draw(st.integers(1, 60)) for split in SPLITS}


@st.composite
def mqars(draw, fillers=FILLERS, segments=2):
    given = []
    for _ in range(draw(st.integers(1, segments))):
        pairs = draw(st.integers(1, 7))
        length = 2 * draw(st.integers(2 * pairs, 2 * pairs + 12))
        given.append(Segment(length, pairs, **counts(draw)))
    most = max(s.pairs for s in given)
    return MQAR(
        vocab_size=draw(st.sampled_from([2 * most + 2, 2 * most + 3, 65, 300, 70_000])),
        segments=tuple(given),
        power_a=draw(st.sampled_from([0.01, 0.5, 1.0, 2.0])),
        filler=draw(st.sampled_from(fillers)),
        seed=draw(st.integers(0, 2**70)),
    )


@st.composite
def associative(draw, segments=2):
    pairs = draw(st.lists(st.integers(1, 9), min_size=1, max_size=segments))
    return AssociativeRecall(
        draw(st.sampled_from([2 * max(pairs) + 2, 2 * max(pairs) + 3, 65, 300, 70_000])),
        tuple(PairsSegment(k, **counts(draw)) for k in pairs),
        draw(st.sampled_from(["split", "shared"])),
        seed=draw(st.integers(0, 2**70)),
    )


@st.composite
def inductions(draw, segments=2):
    lengths = draw(st.lists(st.integers(3, 30), min_size=1, max_size=segments))
    return Induction(
        draw(st.sampled_from([3, 4, 256, 257, 300, 70_000])),
        tuple(LengthSegment(length, **counts(draw)) for length in lengths),
        seed=draw(st.integers(0, 2**70)),
    )


@st.composite
def copies(draw, segments=2):
    items = draw(st.lists(st.integers(1, 9), min_size=1, max_size=segments))
    noise = draw(st.integers(1, 5))
    return SelectiveCopy(
        draw(st.sampled_from([noise + 3, 16, 256, 257, 70_000])),
        tuple(CopySegment(2 * k + draw(st.integers(0, 20)), k, **counts(draw)) for k in items),
        noise,
        seed=draw(st.integers(0, 2**70)),
    )


def tasks(fillers=FILLERS, segments=2):
    """Any task, with MQAR of some kinds of filler."""
    return st.one_of(
        mqars(fillers, segments), associative(segments), inductions(segments), copies(segments)
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


def rows(batch):
    return zip(
        batch.tokens.tolist(), batch.labels.tolist(), batch.info["gap"].tolist(), strict=True
    )
