"""How a report speaks of a task: what it asks for, what is counted in it, what is guessed among."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bestiary.tasks.registry import TASKS


@dataclass(frozen=True)
class TaskWords:
    """The words of one task.

    lead: what it is, as a sentence goes on behind it. thing: what an example has a number of, in
    the singular, "" where each has one. shown: what guessing is among. answer: one of those.
    theory: whether what is known of widths and mixers is about this task.
    """

    lead: str
    thing: str
    shown: str
    answer: str
    theory: bool = False

    @property
    def things(self) -> str:
        """The title of their number."""
        return f"{self.thing}s" if self.thing else ""


WORDS = {
    "mqar": TaskWords(
        "Multi-query associative recall: a sequence of key–value pairs, then the keys again among "
        "filler, each to be answered with its value",
        "pair",
        "the pairs drawn",
        "a value it was shown",
        theory=True,
    ),
    "associative-recall": TaskWords(
        "Associative recall with one query: a sequence of key–value pairs, then one of the keys "
        "again, to be answered with its value",
        "pair",
        "the pairs drawn",
        "a value it was shown",
    ),
    "induction": TaskWords(
        "Induction heads: random tokens and a trigger among them, which comes again at the end, to "
        "be answered with the token that followed it",
        "",
        "the tokens shown",
        "a token it was shown",
    ),
    "selective-copy": TaskWords(
        "Selective copying: items scattered among noise, then a marker for each, to be answered "
        "with the items in order",
        "item",
        "the items shown",
        "an item it was shown",
    ),
}


def words_of(name: str | None) -> TaskWords:
    """The words of a task by its name in a config, of MQAR where a run does not say."""
    known = {path: registered for registered, path in TASKS.items()}
    name = known.get(name or "", name or "mqar")
    if name in WORDS:
        return WORDS[name]
    return TaskWords(f"Task {name}", "pair", "the answers that an example allows", "one of them")


def counted_as(words: Iterable[TaskWords]) -> str:
    """The title of a column of numbers of several tasks; "" where none of them has any."""
    titles = list(dict.fromkeys(one.things for one in words if one.thing))
    return " or ".join(titles)
