"""Automata of patterns accept exactly the words that Python's re matches."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.circuits import evaluate
from bestiary.circuits.library.automata import PARITY, recognizer
from bestiary.circuits.library.regular import automaton_of
from bestiary.errors import UserError

WORDS = ["".join(word) for n in range(7) for word in product("ab", repeat=n)]


def patterns():
    leaves = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "(|a)"])
    return st.recursive(
        leaves,
        lambda inner: (
            st.tuples(inner, inner).map("".join)
            | st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})")
            | inner.map(lambda text: f"({text})*")
            | inner.map(lambda text: f"({text})+")
            | inner.map(lambda text: f"({text})?")
        ),
        max_leaves=6,
    )


@settings(deadline=None)
@given(patterns())
def test_all_short_words_are_accepted_as_re_matches_them(pattern):
    automaton = automaton_of(pattern, "ab")
    for word in WORDS:
        accepted = automaton.accepts("ab".index(symbol) for symbol in word)
        assert accepted == (re.fullmatch(pattern, word) is not None), word


def test_a_pattern_of_odd_ones_is_the_automaton_of_two_states():
    found = automaton_of("0*10*(10*10*)*")
    for word in product((0, 1), repeat=6):
        assert found.accepts(word) == PARITY.accepts(word)


def test_the_circuit_of_a_pattern_accepts_its_words():
    made = recognizer(6, automaton_of("(ab|ba)*c?.*", "abc"))
    for word in product("abc", repeat=6):
        one_hot = [int(symbol == other) for symbol in word for other in "abc"]
        expected = re.fullmatch("(ab|ba)*c?.*", "".join(word)) is not None
        assert evaluate(made, one_hot) == [int(expected)]
    strict = recognizer(4, automaton_of("(ab)+", "ab"))
    assert evaluate(strict, [1, 0, 0, 1, 1, 0, 0, 1]) == [1]
    assert evaluate(strict, [1, 0, 0, 1, 1, 0, 1, 0]) == [0]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(01", r"has nothing at place 4, where '\)' is needed"),
        ("01)", r"has '\)' at place 3, where the end"),
        ("0**2", r"has '2' at place 4, where a symbol of the alphabet"),
        ("*0", r"has '\*' at place 1"),
        ("[0", r"has nothing at place 3, where a symbol of the alphabet or '\]'"),
        ("(0|1)*1" + "(0|1)" * 9, "needs more than 256 states"),
    ],
)
def test_what_is_no_pattern_is_said_with_its_place(pattern, words):
    with pytest.raises(UserError, match=words):
        automaton_of(pattern)


@pytest.mark.parametrize("alphabet", ["", "aa"])
def test_an_alphabet_needs_different_symbols(alphabet):
    with pytest.raises(UserError, match="different symbols are needed"):
        automaton_of("a", alphabet)
