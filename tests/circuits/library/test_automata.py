from __future__ import annotations

import re

import pytest
from exact_results import exact, few, made
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits.library.automata import Automaton, recognizer
from bestiary.errors import UserError

LANGUAGES = {
    "automaton-parity": lambda word: word.count("1") % 2 == 1,
    "automaton-no-two-ones": lambda word: "11" not in word,
    "automaton-divisible-by-three": lambda word: int(word, 2) % 3 == 0,
}


def one_hot(word, symbols="01"):
    return [[int(letter == symbol) for symbol in symbols] for letter in word]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("n", range(1, 9))
def test_all_words_are_accepted_as_the_language_says(name, n):
    for value in range(2**n):
        word = f"{value:0{n}b}"
        assert exact(made(name, n)(one_hot(word))) == int(LANGUAGES[name](word))


@few
@given(st.sampled_from(list(LANGUAGES)), st.text("01", min_size=1, max_size=20))
def test_every_prefix_is_accepted_or_not(name, word):
    found = exact(made(name, len(word), prefixes=True)(one_hot(word)))
    expected = [int(LANGUAGES[name](word[: i + 1])) for i in range(len(word))]
    assert found == expected


@few
@given(st.text("abc", min_size=1, max_size=10))
def test_an_automaton_of_one_s_own_reads_three_symbols(word):
    # Words that match (ab*c)*: in state 0 and 1, and 2 is where all else ends.
    own = Automaton.from_table([[1, 2, 2], [2, 1, 0], [2, 2, 2]], accepting=[0])
    matched = bool(re.fullmatch("(ab*c)*", word))
    assert own.accepts("abc".index(letter) for letter in word) == matched
    assert exact(recognizer(len(word), own)(one_hot(word, "abc"))) == int(matched)


@pytest.mark.parametrize(
    ("table", "accepting", "start", "said"),
    [
        ([], [0], 0, "the table of an automaton is empty"),
        ([[]], [0], 0, "the table of an automaton is empty"),
        ([[0, 1], [0]], [0], 0, "state 1 has 1 transitions; 2 are needed"),
        ([[0, 2], [0, 1]], [0], 0, "there is no state 2; states are 0 to 1"),
        ([[0, 1], [0, 1]], [3], 0, "there is no state 3"),
        ([[0, 1], [0, 1]], [0], -1, "there is no state -1"),
    ],
)
def test_tables_that_are_no_automaton_are_refused(table, accepting, start, said):
    with pytest.raises(UserError, match=said):
        Automaton.from_table(table, accepting, start)
