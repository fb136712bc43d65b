import numpy as np
import pytest

from bestiary.tasks.blocks import BLOCK, Block, BlockCache, by_block, spans


def block(nbytes, fill=0):
    return Block(
        np.full((1, nbytes), fill, np.uint8), np.zeros((1, 0), np.int32), np.zeros((1, 0), np.int32)
    )


def must_not_draw():
    raise AssertionError("drawn although it was held")


def test_a_held_block_is_not_drawn_again():
    cache = BlockCache(100)
    held = cache.get((0,), lambda: block(60))
    assert cache.get((0,), must_not_draw) is held


def test_the_least_recently_used_block_goes_first():
    cache = BlockCache(100)
    cache.get((0,), lambda: block(40))
    cache.get((1,), lambda: block(40))
    cache.get((0,), must_not_draw)
    cache.get((2,), lambda: block(40))
    cache.get((0,), must_not_draw)
    cache.get((2,), must_not_draw)
    with pytest.raises(AssertionError):
        cache.get((1,), must_not_draw)


def test_the_cache_never_holds_more_than_its_limit():
    cache = BlockCache(100)
    for key, size in enumerate((30, 50, 70, 101, 100, 1)):
        assert cache.get((key,), lambda size=size: block(size)).nbytes == size
        assert cache.nbytes <= 100


def test_a_cache_of_no_bytes_holds_nothing():
    cache = BlockCache(0)
    cache.get((0,), lambda: block(1, fill=1))
    assert cache.get((0,), lambda: block(1, fill=2)).tokens[0, 0] == 2


def test_indices_split_by_block_come_back_to_their_places():
    indices = np.array([5, 3 * BLOCK + 1, 0, BLOCK, 5, BLOCK - 1, BLOCK + 7])
    rebuilt = np.full(len(indices), -1)
    for number, where, rows in by_block(indices):
        rebuilt[where] = number * BLOCK + rows
    assert rebuilt.tolist() == indices.tolist()


def test_no_indices_split_into_nothing():
    assert list(by_block(np.array([], dtype=np.int64))) == []


@pytest.mark.parametrize("examples", [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK - 1])
def test_spans_cover_every_index_once(examples):
    assert [i for span in spans(examples) for i in span] == list(range(examples))
