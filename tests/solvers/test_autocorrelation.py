from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_by_hand import small_task

from bestiary.solvers import autocorrelation as module
from bestiary.solvers.autocorrelation import Autocorrelation, autocorrelation, matches


def counts(tokens):
    """How many tokens equal the one s before, s = 1 …, and of all that occur twice at s = 0."""
    length = len(tokens)
    apart = [sum(tokens[i] == tokens[i - s] for i in range(s, length)) for s in range(length)]
    return [sum(tokens.count(token) > 1 for token in tokens), *apart[1:]]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 40).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 12), min_size=n, max_size=n), min_size=1, max_size=4
        )
    )
)
def test_the_transform_counts_matches_exactly(rows):
    assert autocorrelation(torch.tensor(rows)).tolist() == [counts(row) for row in rows]


@pytest.mark.parametrize("tokens", [[7] * 1024, [k % 2 for k in range(1024)], list(range(1024))])
def test_counts_stay_exact_at_the_longest_sequences(tokens):
    assert autocorrelation(torch.tensor([tokens])).tolist() == [counts(tokens)]


def test_chunks_give_what_one_array_gives(monkeypatch):
    tokens = torch.randint(6, (5, 50), generator=torch.Generator().manual_seed(0))
    whole = autocorrelation(tokens), model_logits(tokens)
    monkeypatch.setattr(module, "CHUNK", 300)
    assert len(list(matches(tokens))) > 10
    assert torch.equal(autocorrelation(tokens), whole[0])
    assert torch.equal(model_logits(tokens), whole[1])


def model_logits(tokens):
    return Autocorrelation(small_task(6, 50)).build()(tokens)


def test_the_value_of_most_places_wins_where_no_rule_decides():
    tokens = torch.tensor([[1, 5, 1, 6, 1, 6, 1]])
    logits = Autocorrelation(small_task(8, 8)).build()(tokens)
    assert logits[0, 6].argmax() == 6
    assert logits[0, 6, 5] == logits[0, 6, 6] / 2 > 0
    # What came never before is answered with nothing.
    assert not logits[0, 1].any()
