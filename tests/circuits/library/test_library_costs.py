"""Every circuit of the library costs what is documented of it, at all its sizes."""

from __future__ import annotations

import time
from math import ceil, log2

import pytest
from exact_results import made

from bestiary.circuits import Circuit
from bestiary.circuits.library import LIBRARY, library_circuit, measured
from bestiary.errors import UserError

BESIDES = {
    "estrin": (6, 7, 31, 32, 63),
    "paterson-stockmeyer": (9, 17, 32, 33, 64, 65),
    "karatsuba": (6, 7, 9, 17, 24, 32),
    "strassen": (6, 7, 9, 16),
    "fft": (6, 7, 9, 12, 15, 18, 25, 27, 30, 32, 49, 64, 81, 128),
    "ntt": (6, 7, 9, 12, 15, 18, 25, 27, 30, 32, 64),
    "determinant": (9, 12),
    "characteristic-polynomial": (9, 10),
    "permanent": (9, 10),
    "prefix-products-brent-kung": (6, 7, 31, 32, 33),
    "prefix-products-sklansky": (31, 32, 33),
    "prefix-products-kogge-stone": (31, 32, 33),
    "multiplier-carry-save": (9, 13, 16, 24),
    "multiplexer": (6, 17, 32, 33, 64, 128, 256, 257),
    "sort-bitonic": (6, 7, 9, 16),
    "sort-odd-even": (6, 7, 9, 16),
    "argmax": (9, 16, 17),
    "diagonal-recurrence-prefix": (6, 7, 31, 32, 63),
    "selective-copy": (6, 7, 31, 32),
}
"""Further sizes: around those where a formula steps."""
OPTIONS = {
    "iterated-product": {"size": 3},
    "matrix-power": {"size": 2},
    "threshold": {"least": 1},
    "sort-bitonic": {"bits": 8, "payload": 1},
    "sort-odd-even": {"bits": 2, "payload": 2},
    "sort-rank": {"bits": 7, "payload": 1},
    "argmax": {"bits": 5},
    "automaton-parity": {"prefixes": True},
    "automaton-no-two-ones": {"prefixes": True},
    "automaton-divisible-by-three": {"prefixes": True},
    "diagonal-recurrence-sequential": {"channels": 3},
    "diagonal-recurrence-prefix": {"channels": 2},
    "linear-recurrence-sequential": {"steps": 3},
    "linear-recurrence-prefix": {"steps": 3},
    "linear-rnn-sequential": {"size": 3, "inputs": 2},
    "linear-rnn-prefix": {"size": 4, "inputs": 3},
    "square-rnn": {"size": 3, "inputs": 4},
    "induction-head": {"bits": 4},
    "selective-copy": {"bits": 2, "keep": 3},
    "associative-recall": {"bits": 8, "queries": 1},
}
"""Options whose circuits the formulas speak of too."""


def sizes(name):
    return sorted({*LIBRARY[name].sizes, *BESIDES.get(name, ())})


@pytest.mark.parametrize("name", LIBRARY)
def test_counts_are_as_documented_and_bounds_are_reached(name):
    entry, reached = LIBRARY[name], set()
    for n in sizes(name):
        found = measured(made(name, n))
        for what, formula in entry.formulas.items():
            counted, stated = getattr(found, what), formula(**entry.sizes_of(n))
            assert counted <= stated if formula.at_most else counted == stated, (what, n)
            if counted == stated:
                reached.add(what)
    assert reached == set(entry.formulas)


@pytest.mark.parametrize("name", OPTIONS)
def test_counts_are_as_documented_with_options(name):
    entry, options = LIBRARY[name], OPTIONS[name]
    for n in entry.sizes:
        if n < options.get("least", 0):
            continue
        found = measured(made(name, n, **options))
        for what, formula in entry.formulas.items():
            counted = getattr(found, what)
            assert formula.holds(counted, **entry.sizes_of(n, **options)), (what, n, counted)


@pytest.mark.parametrize("name", LIBRARY)
def test_no_circuit_is_shallower_than_its_degree_allows(name):
    for n in LIBRARY[name].sizes:
        found = measured(made(name, n))
        if found.floor is None:
            assert found.degree <= 1 and found.multiplicative_depth == 0
        else:
            assert found.floor == ceil(log2(found.degree)) <= found.multiplicative_depth


LEAST = [
    *("estrin", "paterson-stockmeyer", "elementary-symmetric", "power-sums", "determinant-walks"),
    *("characteristic-polynomial-walks", "permanent", "prefix-products-sklansky", "majority"),
    *("adder-lookahead", "comparator", "multiplexer", "permutation", "sort-rank", "argmax"),
    *("automaton-divisible-by-three", "diagonal-recurrence-prefix", "linear-recurrence-prefix"),
    *("linear-rnn-prefix", "selective-copy", "associative-recall"),
]


@pytest.mark.parametrize("name", LEAST)
def test_circuits_that_are_said_to_be_of_least_depth_reach_the_floor_at_powers_of_two(name):
    for n in (2, 4, 8):
        found = measured(made(name, n))
        assert found.multiplicative_depth == found.floor


@pytest.mark.parametrize(
    ("name", "n"),
    [
        *[("schoolbook product", 64), ("matrix-product", 16), ("determinant", 14)],
        *[("permanent", 10), ("sort-odd-even", 32), ("sort-rank", 16), ("argmax", 32)],
        *[("fft", 512), ("induction-head", 24), ("multiplier-carry-save", 32)],
    ],
)
def test_ten_thousand_gates_take_about_a_second(name, n):
    name = {"schoolbook product": "polynomial-product"}.get(name, name)
    start = time.process_time()
    size = LIBRARY[name].make(n).size
    seconds = time.process_time() - start
    assert size > 5000
    # Five times what is asked for, so that a busy machine does not fail it.
    assert seconds < 5 * size / 10_000


@pytest.mark.parametrize("name", LIBRARY)
def test_every_circuit_says_what_it_is_and_has_its_name(name):
    entry = LIBRARY[name]
    assert entry.name == name
    assert all([entry.family, entry.description, entry.source, entry.n_is])
    assert max(entry.sizes) <= entry.most
    circuit = made(name, 2)
    assert isinstance(circuit, Circuit)
    assert circuit.name == name


def test_no_two_circuits_share_a_name():
    from bestiary.circuits.library import registry

    modules = [value for value in vars(registry).values() if hasattr(value, "CIRCUITS")]
    assert sum(len(module.CIRCUITS) for module in modules) == len(LIBRARY) > 50


@pytest.mark.parametrize("n", [0, -1, 2.5, "4", None])
def test_a_size_that_is_no_whole_number_from_one_on_is_refused(n):
    for name in LIBRARY:
        with pytest.raises(UserError, match=r"^n is .*; a whole number from 1 on is needed$"):
            LIBRARY[name].make(n)


def test_sizes_and_options_that_are_not_taken_are_named():
    with pytest.raises(UserError, match="n is 17; determinant is made for n up to 16"):
        LIBRARY["determinant"].make(17)
    with pytest.raises(UserError, match=r"sort-rank has no option 'bit'; did you mean 'bits'\?"):
        LIBRARY["sort-rank"].make(4, bit=3)
    with pytest.raises(UserError, match="sort-rank has no option 'method'"):
        LIBRARY["sort-rank"].make(4, method="bitonic")
    with pytest.raises(UserError, match="bits is 0; a whole number from 1 on is needed"):
        LIBRARY["sort-rank"].make(4, bits=0)
    with pytest.raises(UserError, match="unknown circuit 'hornet'; did you mean 'horner'"):
        library_circuit("hornet")
