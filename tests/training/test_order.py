"""An epoch visits every example once, in an order that depends on (seed, epoch) alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.training.order import BLOCK, EpochOrder

SIZES = st.lists(st.integers(1, 3 * BLOCK), min_size=1, max_size=3)


def visits(order: EpochOrder) -> list[tuple[int, list[int]]]:
    return [(segment, indices.tolist()) for segment, indices in map(order.batch, range(len(order)))]


@settings(max_examples=50, deadline=None)
@given(SIZES, st.integers(1, 700), st.integers(0, 2**40), st.integers(0, 5))
def test_every_example_comes_exactly_once_and_only_the_last_batch_is_short(
    sizes, batch_size, seed, epoch
):
    batches = visits(EpochOrder(sizes, batch_size, seed, epoch))
    for segment, size in enumerate(sizes):
        mine = [indices for s, indices in batches if s == segment]
        assert sorted(i for indices in mine for i in indices) == list(range(size))
        lengths = [len(indices) for indices in mine]
        full, left = divmod(size, batch_size)
        assert lengths == [batch_size] * full + [left] * (left > 0)


@settings(max_examples=25, deadline=None)
@given(SIZES, st.integers(1, 700), st.integers(0, 2**40), st.data())
def test_a_batch_is_the_same_whatever_was_asked_before(sizes, batch_size, seed, data):
    straight = EpochOrder(sizes, batch_size, seed, 1)
    expected = visits(straight)
    numbers = data.draw(st.lists(st.integers(0, len(straight) - 1), max_size=20))
    jumping = EpochOrder(sizes, batch_size, seed, 1)
    for number in numbers:
        segment, indices = jumping.batch(number)
        assert (segment, indices.tolist()) == expected[number]


def test_epochs_and_seeds_give_different_orders():
    def first(seed, epoch):
        return EpochOrder([5000], 64, seed, epoch).batch(0)[1].tolist()

    assert first(0, 0) == first(0, 0)
    assert first(0, 0) != first(0, 1)
    assert first(0, 0) != first(1, 0)


def test_segments_are_interleaved_and_not_one_after_the_other():
    segments = np.array([s for s, _ in visits(EpochOrder([6400, 6400], 64, 0, 0))])
    # 100 batches of each: the first half holds about 50 of either, 7 standard deviations is 25.
    assert 25 < segments[:100].sum() < 75


def test_batches_stay_within_a_block_of_examples_so_that_tasks_make_them_fast():
    for _, indices in visits(EpochOrder([10 * BLOCK], 64, 3, 2)):
        assert len(set(i // BLOCK for i in indices)) == 1


def test_examples_are_shuffled_within_and_across_blocks():
    order = EpochOrder([4 * BLOCK], BLOCK, 0, 0)
    blocks = [indices for _, indices in visits(order)]
    assert all(sorted(b) != b for b in blocks)
    firsts = [
        [b[0] // BLOCK for _, b in visits(EpochOrder([4 * BLOCK], BLOCK, 0, e))] for e in range(9)
    ]
    assert len({tuple(f) for f in firsts}) > 1


def test_a_long_epoch_is_not_written_down():
    import tracemalloc

    tracemalloc.start()
    order = EpochOrder([50_000_000], 64, 0, 0)
    order.batch(len(order) - 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # One int64 an example would be 400 MB.
    assert peak < 50e6
