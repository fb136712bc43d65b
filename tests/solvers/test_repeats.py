from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from bestiary.solvers.repeats import occurrences_before


@given(st.lists(st.lists(st.integers(0, 5), min_size=9, max_size=9), min_size=1, max_size=3))
def test_earlier_equal_tokens_are_counted_row_by_row(rows):
    right = [[row[:i].count(token) for i, token in enumerate(row)] for row in rows]
    assert occurrences_before(torch.tensor(rows)).tolist() == right
