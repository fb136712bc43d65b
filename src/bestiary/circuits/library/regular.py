"""Regular languages: the automaton of a pattern, by derivatives.

The derivative of a pattern by a symbol describes what may follow it (J. A. Brzozowski, Journal of
the ACM 11, 1964). A pattern has finitely many of them; they are the states.
"""

from __future__ import annotations

from dataclasses import dataclass

from bestiary.circuits.library.automata import Automaton
from bestiary.circuits.number import shown
from bestiary.errors import UserError

MOST_STATES = 256
"""Of an automaton, whose transition matrices have their square of entries."""
_Pattern = tuple[object, ...]
"""("never",), ("empty",), ("symbol", set of symbols), ("then", a, b), ("or", set of patterns) or
("any", a) for a repeated."""
NEVER: _Pattern = ("never",)
EMPTY: _Pattern = ("empty",)


def automaton_of(pattern: str, alphabet: str = "01") -> Automaton:
    """The deterministic automaton of the words that a pattern matches as a whole.

    pattern: as in Python's ``re``: symbols, ``.``, ``[…]``, ``|``, ``*``, ``+``, ``?`` and
    parentheses. alphabet: the symbols in the order of their numbers. ``UserError``, with the place,
    for what is no such pattern, and for more than 256 states.
    """
    if not alphabet or len(set(alphabet)) < len(alphabet):
        raise UserError(f"the alphabet is {alphabet!r}; different symbols are needed")
    states = [_Parser(pattern, alphabet).parsed()]
    number = {states[0]: 0}
    table: list[list[int]] = []
    for state in states:
        row = []
        for symbol in alphabet:
            after = _derivative(state, symbol)
            if after not in number:
                number[after] = len(states)
                states.append(after)
            row.append(number[after])
        table.append(row)
        if len(states) > MOST_STATES:
            raise UserError(
                f"the pattern {shown(pattern)} needs more than {MOST_STATES} states; give one with "
                "fewer"
            )
    accepting = [number[state] for state in states if _has_empty(state)]
    return Automaton.from_table(table, accepting)


# Patterns, written one way only, so that there are finitely many derivatives


def _then(a: _Pattern, b: _Pattern) -> _Pattern:
    if NEVER in (a, b):
        return NEVER
    if a == EMPTY:
        return b
    if b == EMPTY:
        return a
    if a[0] == "then":
        return _then(_part(a, 1), _then(_part(a, 2), b))
    return ("then", a, b)


def _or(*options: _Pattern) -> _Pattern:
    found: set[_Pattern] = set()
    for option in options:
        found |= _options(option)
    found.discard(NEVER)
    if len(found) < 2:
        return found.pop() if found else NEVER
    return ("or", frozenset(found))


def _any(a: _Pattern) -> _Pattern:
    if a in (NEVER, EMPTY):
        return EMPTY
    return a if a[0] == "any" else ("any", a)


def _part(pattern: _Pattern, place: int) -> _Pattern:
    part = pattern[place]
    assert isinstance(part, tuple)
    return part


def _options(pattern: _Pattern) -> frozenset[_Pattern]:
    if pattern[0] != "or":
        return frozenset([pattern])
    options = pattern[1]
    assert isinstance(options, frozenset)
    return options


def _has_empty(pattern: _Pattern) -> bool:
    """Whether the empty word is matched."""
    kind = pattern[0]
    if kind == "then":
        return _has_empty(_part(pattern, 1)) and _has_empty(_part(pattern, 2))
    if kind == "or":
        return any(map(_has_empty, _options(pattern)))
    return kind in ("empty", "any")


def _derivative(pattern: _Pattern, symbol: str) -> _Pattern:
    """What may follow the symbol."""
    kind = pattern[0]
    if kind == "symbol":
        symbols = pattern[1]
        assert isinstance(symbols, frozenset)
        return EMPTY if symbol in symbols else NEVER
    if kind == "then":
        a, b = _part(pattern, 1), _part(pattern, 2)
        after = _then(_derivative(a, symbol), b)
        return _or(after, _derivative(b, symbol)) if _has_empty(a) else after
    if kind == "or":
        return _or(*(_derivative(option, symbol) for option in _options(pattern)))
    if kind == "any":
        return _then(_derivative(_part(pattern, 1), symbol), pattern)
    return NEVER


@dataclass
class _Parser:
    """Text to a pattern, by recursive descent."""

    text: str
    alphabet: str
    at: int = 0

    def parsed(self) -> _Pattern:
        """The whole text."""
        found = self._choice()
        if self.at < len(self.text):
            raise self._mistake("the end, or '(' before it")
        return found

    def _choice(self) -> _Pattern:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return _or(*options)

    def _sequence(self) -> _Pattern:
        parts = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self._repeated())
        done = EMPTY
        for part in reversed(parts):
            done = _then(part, done)
        return done

    def _repeated(self) -> _Pattern:
        found = self._atom()
        while True:
            if self._take("*"):
                found = _any(found)
            elif self._take("+"):
                found = _then(found, _any(found))
            elif self._take("?"):
                found = _or(found, EMPTY)
            else:
                return found

    def _atom(self) -> _Pattern:
        if self._take("("):
            found = self._choice()
            if not self._take(")"):
                raise self._mistake("')'")
            return found
        if self._take("["):
            negated, symbols = self._take("^"), set()
            while not self._take("]"):
                symbols.add(self._symbol("a symbol of the alphabet or ']'"))
            return self._one_of(set(self.alphabet) - symbols if negated else symbols)
        if self._take("."):
            return self._one_of(set(self.alphabet))
        return self._one_of({self._symbol("a symbol of the alphabet, '.', '[' or '('")})

    def _one_of(self, symbols: set[str]) -> _Pattern:
        return ("symbol", frozenset(symbols)) if symbols else NEVER

    def _symbol(self, wanted: str) -> str:
        if self.at == len(self.text) or self.text[self.at] not in self.alphabet:
            raise self._mistake(wanted)
        self.at += 1
        return self.text[self.at - 1]

    def _take(self, sign: str) -> bool:
        """Whether the next character is a sign, which is then passed; a symbol is none."""
        there = self.text[self.at : self.at + 1] == sign and sign not in self.alphabet
        self.at += there
        return there

    def _mistake(self, wanted: str) -> UserError:
        found = repr(self.text[self.at]) if self.at < len(self.text) else "nothing"
        return UserError(
            f"the pattern {shown(self.text)} has {found} at place {self.at + 1}, where {wanted} is "
            f"needed (alphabet {self.alphabet!r})"
        )
