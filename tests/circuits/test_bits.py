"""Boolean functions on all inputs, as plain numbers and as circuits, of the depth they state."""

from __future__ import annotations

import itertools
from math import ceil, log2

import numpy as np
import pytest
from all_inputs import number, results_of, traced_bits

from bestiary.circuits import (
    and_,
    and_all,
    circuit,
    compare_bits,
    eq_bits,
    from_bits,
    implies,
    less_bits,
    less_equal_bits,
    lookahead_add,
    majority,
    max_bits,
    min_bits,
    multiplexer,
    multiply_bits,
    nand,
    nor,
    not_,
    one_hot,
    or_,
    or_all,
    parity,
    select,
    to_bits,
    xnor,
    xor,
)
from bestiary.errors import UserError


def number_of(rows):
    """The whole numbers whose bits are the columns of an array, the first row of 2⁰."""
    return sum(row.astype(int) * 2**place for place, row in enumerate(rows))


def rounds(n):
    """⌈log2 n⌉."""
    return ceil(log2(n)) if n > 1 else 0


GATES = {
    "not": (not_, 1, lambda a: not a, 0),
    "and": (and_, 2, lambda a, b: a and b, 1),
    "or": (or_, 2, lambda a, b: a or b, 1),
    "xor": (xor, 2, lambda a, b: a != b, 1),
    "nand": (nand, 2, lambda a, b: not (a and b), 1),
    "nor": (nor, 2, lambda a, b: not (a or b), 1),
    "xnor": (xnor, 2, lambda a, b: a == b, 1),
    "implies": (implies, 2, lambda a, b: b or not a, 1),
    "select": (select, 3, lambda bit, a, b: a if bit else b, 1),
    "majority": (majority, 3, lambda a, b, c: a + b + c > 1, 2),
}


@pytest.mark.parametrize("what", GATES)
def test_gates_are_their_truth_tables(what):
    function, arity, truth, depth = GATES[what]
    arguments, found, made = results_of(function, *[0] * arity)
    assert found == [[int(truth(*given))] for given in arguments]
    assert made.multiplicative_depth == depth


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize(
    ("function", "truth"),
    [(and_all, all), (or_all, any), (parity, lambda bits: sum(bits) % 2 == 1)],
)
def test_functions_of_many_bits(function, truth, n):
    arguments, found, made = results_of(function, n)
    assert found == [[int(truth(bits))] for (bits,) in arguments]
    assert made.multiplicative_depth == rounds(n)


@pytest.mark.parametrize("n", [9, 16, 100])
def test_functions_of_many_bits_stay_shallow(n):
    for function in (and_all, or_all, parity):
        assert traced_bits(function, n).multiplicative_depth == rounds(n)


def test_functions_of_no_bits_are_the_neutral_ones():
    assert (and_all([]), or_all([]), parity([]), from_bits([])) == (1, 0, 0, 0)
    assert (eq_bits([], []), less_bits([], []), one_hot([]), to_bits(0, 0)) == (1, 0, [1], [])


COMPARISONS = {
    "=": (eq_bits, lambda a, b: [a == b]),
    "<": (less_bits, lambda a, b: [a < b]),
    "≤": (less_equal_bits, lambda a, b: [a <= b]),
    "all three": (compare_bits, lambda a, b: [a < b, a == b, a > b]),
}


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("what", COMPARISONS)
def test_comparisons_of_all_numbers(what, n):
    function, truth = COMPARISONS[what]
    arguments, found, made = results_of(function, n, n)
    assert found == [[int(x) for x in truth(number(a), number(b))] for a, b in arguments]
    assert made.multiplicative_depth == rounds(n) + 1


@pytest.mark.parametrize("n", [7, 8, 33, 64])
def test_comparisons_of_long_numbers_stay_shallow(n):
    for function, _ in COMPARISONS.values():
        made = traced_bits(function, n, n)
        assert made.multiplicative_depth == rounds(n) + 1
        assert made.products.sum() <= 4 * n


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize(("function", "truth"), [(min_bits, min), (max_bits, max)])
def test_the_smaller_and_the_larger_of_all_numbers(function, truth, n):
    arguments, found, made = results_of(function, n, n)
    assert [number(bits) for bits in found] == [truth(number(a), number(b)) for a, b in arguments]
    assert made.multiplicative_depth <= rounds(n) + 2


@pytest.mark.parametrize("k", range(7))
def test_one_of_all_places_is_hot(k):
    if not k:
        assert one_hot([]) == [1]
        return
    arguments, found, made = results_of(one_hot, k)
    for (bits,), hot in zip(arguments, found, strict=True):
        assert hot == [int(place == number(bits)) for place in range(1 << k)]
    assert made.multiplicative_depth == rounds(k)


@pytest.mark.parametrize("k", range(1, 5))
def test_a_multiplexer_gives_the_value_at_its_place(k):
    made = traced_bits(multiplexer, k, 1 << k)
    assert made.multiplicative_depth == rounds(k) + 1
    values = [7 * place - 3 for place in range(1 << k)]
    for place in range(1 << k):
        bits = to_bits(place, k)
        assert multiplexer(bits, values) == values[place]
        assert made(bits, values).tolist() == [values[place]]
    if k < 3:
        arguments, found, _ = results_of(multiplexer, k, 1 << k)
        assert found == [[values[number(bits)]] for bits, values in arguments]


def test_a_multiplexer_and_a_selection_take_vectors():
    rows = [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert multiplexer([0, 1], rows).tolist() == [5, 6]

    @circuit(a=3)
    def chosen(bit, a):
        return select(bit, a, [10, 20, 30])

    assert chosen(1, [1, 2, 3]).tolist() == [1, 2, 3]
    assert chosen(0, [1, 2, 3]).tolist() == [10, 20, 30]


def test_gates_work_entry_by_entry():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert xor(a, b).tolist() == [0, 1, 1, 0]
    assert nor(a, b).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.uint64, np.float32])
def test_bits_of_any_type_of_numpy_are_numbers(kind):
    rows = np.array(list(itertools.product((0, 1), repeat=4)), dtype=kind).T
    a, b, two, three = rows[:2], rows[2:], number_of(rows[:2]), number_of(rows[2:])
    for given in ((a, b), (list(a), list(b))):
        assert np.array_equal(from_bits(lookahead_add(*given)), two + three)
        assert np.array_equal(from_bits(multiply_bits(*given)), two * three)
        assert np.array_equal(less_bits(*given), two < three)
        assert np.array_equal(parity([*given[0], *given[1]]), rows.astype(int).sum(axis=0) % 2)
    assert np.array_equal(select(rows[0], rows[1], rows[2]), np.where(rows[0], rows[1], rows[2]))
    assert xor(kind(1), kind(1)) == 0
    assert nor(kind(1), kind(1)) == 0


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64])
def test_long_numbers_of_numpy_are_exact(kind):
    assert from_bits(np.ones(100, dtype=kind)) == 2**100 - 1
    assert to_bits(np.uint8(200), 300) == [0, 0, 0, 1, 0, 0, 1, 1] + [0] * 292


@pytest.mark.parametrize("n", range(6))
def test_numbers_to_bits_and_back(n):
    for value in range(1 << n):
        bits = to_bits(value, n)
        assert len(bits) == n
        assert number(bits) == value
        assert from_bits(bits) == value
    assert traced_bits(from_bits, 8).multiplicative_depth == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: to_bits(8, 3),
            "8 has no 3 bits; a whole number from 0 on and below 2^3 is needed",
        ),
        (lambda: to_bits(5, 3.0), "the length of to_bits is 3.0; a whole number is needed"),
        (lambda: to_bits(5, "3"), "the length of to_bits is '3'; a whole number is needed"),
        (lambda: to_bits(-1, 3), "-1 has no 3 bits"),
        (lambda: to_bits(0, -1), "0 has no -1 bits"),
        (lambda: to_bits(1.5, 3), "1.5 was given to to_bits; a whole number that is known is"),
        (lambda: less_bits(3, 5), "3 is one number, and its bits are needed, the one of 2⁰ first"),
        (lambda: one_hot(2), "2 is one number, and its bits are needed"),
        (lambda: multiplexer(2, [1, 2]), "2 is one number, and its bits are needed"),
        (lambda: lookahead_add([1], 2), "2 is one number, and its bits are needed"),
        (lambda: multiply_bits(2, [1]), "2 is one number, and its bits are needed"),
        (lambda: eq_bits([1], [1, 0]), "numbers of 1 and 2 bits were compared; both need as many"),
        (lambda: multiplexer([0, 1], [1, 2]), "a multiplexer of 2 bits was given 2 values; 4 are"),
    ],
)
def test_what_is_no_number_in_bits_or_does_not_fit_is_refused(call, said):
    with pytest.raises(UserError) as error:
        call()
    assert said in str(error.value)
