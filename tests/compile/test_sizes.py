"""Programs that no machine could hold are refused before anything is allocated for them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from bestiary.compile import (
    Program,
    Rows,
    Taps,
    Value,
    compile_program,
    concat,
    constant_array,
    conv,
    hyena,
    input_array,
    interpret,
    pad,
    primitives,
    shift,
)
from bestiary.compile.sizes import MOST_CHANNELS, MOST_ROWS
from bestiary.errors import UserError
from bestiary.mixers.hyena import Hyena

U = input_array("u", 2)
FAR = 10**12


def program(output: Value, rows: int = 3, **settings: object) -> Program:
    return Program((U,), output, rows, **settings)  # type: ignore[arg-type]


def up(times: int) -> Value:
    """Read further up than a program may have rows."""
    value: Value = U
    for _ in range(times):
        value = shift(value, -MOST_ROWS // 2) + value
    return value


def ahead(rows: int) -> Value:
    """Reads so far ahead that the array has so many rows more."""
    return conv({0: 1.0, -rows: 1.0}, U)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: shift(U, FAR), r"a shift is 1,000,000,000,000; whole numbers from -4,194,304 to"),
        (lambda: shift(U, -FAR), "a shift is -1,000,000,000,000; "),
        (lambda: shift(U, 10**6000), r"a shift is about 10\^6000; "),
        (lambda: conv({0: 1, 10**9: 1.0}, U), "a power of a filter is 1,000,000,000; "),
        (lambda: Taps.of([1.0], 10**25), "the least power of a filter is "),
        (lambda: Rows.of(np.ones(2), FAR), "the first row of a row constant is 1,000,"),
        (lambda: Rows.window(0, FAR), "the end of a window is 1,000,000,000,000; "),
        (lambda: Rows.window(-MOST_ROWS, MOST_ROWS), "a window needs 8,388,608 rows; up to 4,194"),
        (
            lambda: Rows.of([1.0], -MOST_ROWS) + Rows.of([1.0]),
            "a row constant needs 4,194,305 rows",
        ),
        (lambda: Rows.same([1.0, 2.0]).at(0, FAR), "a row constant needs 1,000,000,000,000 rows"),
        (lambda: program(U, FAR), "a program needs 1,000,000,000,000 rows; up to 4,194,304 can"),
        (lambda: program(U, mode="circular", ring=FAR), "a ring needs 1,000,000,000,000 rows; "),
        (lambda: program(U, reads=(FAR, FAR + 1)), "an end of the rows that are read is 1,000,"),
        (lambda: input_array("u", FAR), "the input u has 1,000,000,000,000 channels; up to 1,048,"),
        (lambda: pad(U, FAR), "a padded value has 1,000,000,000,000 channels; "),
        (lambda: constant_array(1, FAR), "a constant has 1,000,000,000,000 channels; "),
        (lambda: concat([pad(U, MOST_CHANNELS), U]), "a concatenation has 1,048,578 channels; "),
        (
            lambda: compile_program(program(ahead(MOST_ROWS))),
            "the array of program needs 4,194,307",
        ),
        (lambda: interpret(program(up(3)), np.ones((3, 2))), "needs 6,291,459 rows; up to 4,194,"),
        (lambda: primitives.linear(FAR, np.eye(2), [1, 2]), "a linear map needs 1,000,000,000,000"),
        (lambda: hyena(Hyena(2), FAR), "a compiled mixer needs 1,000,000,000,000 rows; up to"),
    ],
)
def test_what_is_too_large_is_one_sentence(make: Callable[[], object], said: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(UserError, match=said) as error:
            make()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(error.value).count(". ") == 0
    assert most < 1 << 20


def test_as_many_rows_as_are_allowed_can_be_had() -> None:
    made = compile_program(program(ahead(MOST_ROWS - 3)))
    assert made.stack.inner_length == MOST_ROWS
    assert compile_program(program(shift(U, MOST_ROWS))).stack.inner_length == 3


def test_long_constants_are_filtered_by_long_filters_in_no_time() -> None:
    dense = np.linspace(0.5, 1, 50_000)
    ramp = np.ones(40_000)
    found = Taps.of(dense).applied(ramp)
    # The sum of the last 40,000 taps, a window of a ramp.
    sums = np.concatenate([[0], np.cumsum(dense)])
    stops = np.arange(1, 90_000)
    expected = sums[np.minimum(stops, 50_000)] - sums[np.maximum(stops - 40_000, 0)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
