from __future__ import annotations

from itertools import accumulate
from operator import add, mul

import pytest
from exact_results import exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits.library.prefixes import NETWORKS, prefix_products, prefix_sums
from bestiary.circuits.scans import aligned_blocks, blocks_before
from bestiary.errors import UserError


@few
@given(st.data(), st.integers(1, 33), st.sampled_from(list(NETWORKS)))
def test_every_network_gives_all_prefixes_in_order(data, n, network):
    words = data.draw(vectors(n, st.text("ab", max_size=2)))
    assert NETWORKS[network](add, words) == list(accumulate(words))


@few
@given(st.data(), st.integers(1, 20), st.sampled_from(["kogge-stone", "brent-kung", "sklansky"]))
def test_prefix_sums_and_products_are_running_ones(data, n, network):
    x = data.draw(vectors(n))
    assert exact(made(f"prefix-sums-{network}", n)(x)) == list(accumulate(x))
    assert exact(made(f"prefix-products-{network}", n)(x)) == list(accumulate(x, mul))


@pytest.mark.parametrize("k", range(1, 7))
def test_text_book_sizes_and_depths_at_powers_of_two(k):
    n = 2**k
    found = {name: prefix_products(n, name) for name in NETWORKS}
    assert {name: (circuit.size, circuit.depth) for name, circuit in found.items()} == {
        "sequential": (n - 1, n - 1),
        "kogge-stone": (n * k - n + 1, k),
        "brent-kung": (2 * n - 2 - k, max(k, 2 * k - 2)),
        "sklansky": (n * k // 2, k),
    }


@given(st.integers(1, 40))
def test_aligned_blocks_before_a_place_are_its_prefix_nearest_first(n):
    words = [f"{i}," for i in range(n)]
    levels = aligned_blocks(add, words)
    for place in range(n + 1):
        blocks = list(blocks_before(levels, place))
        assert "".join(reversed(blocks)) == "".join(words[:place])
        assert len(blocks) == place.bit_count()


def test_a_network_that_there_is_not_is_said():
    with pytest.raises(UserError, match="network is 'ladner'; sequential, kogge-stone, "):
        prefix_sums(4, network="ladner")
