"""What circuits of the library give for whole numbers: whole numbers, as plain lists."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from bestiary.circuits import to_bits
from bestiary.circuits.library import LIBRARY

few = settings(deadline=None, max_examples=25)
whole = st.integers(-(10**6), 10**6)
modest = st.integers(-50, 50)


@cache
def made(name, n, **options):
    """A circuit of the library, made once."""
    return LIBRARY[name].make(n, **options)


def exact(result):
    """A result as a number or nested lists, after a look that every entry is an int."""
    array = np.asarray(result, dtype=object)
    assert all(type(entry) is int for entry in array.flat), array
    return array.tolist()


def matrices(rows, columns=None, entries=modest):
    """Lists of rows."""
    row = st.lists(entries, min_size=columns or rows, max_size=columns or rows)
    return st.lists(row, min_size=rows, max_size=rows)


def vectors(n, entries=whole):
    """Lists of n entries."""
    return st.lists(entries, min_size=n, max_size=n)


def bit_rows(numbers, length):
    """Numbers as rows of bits, the least significant first."""
    return [to_bits(number, length) for number in numbers]
