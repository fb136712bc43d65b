"""The pages of the documentation, for the tests that hold them to what they show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def page(name: str) -> str:
    """The text of a page."""
    return (DOCS / name).read_text(encoding="utf-8")


def rows(table: str) -> list[list[str]]:
    """The cells of a table's rows that begin with a name in backticks; ``\\|`` is no border."""
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table.splitlines()
        if line.startswith("| `")
    ]


def examples_tried(name: str) -> tuple[int, int]:
    """How many examples of a page's ``pycon`` blocks were run, in one session; how many fail."""
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", page(name), re.DOTALL))
    session = doctest.DocTestParser().get_doctest(text, {}, f"docs/{name}", None, 0)
    result = doctest.DocTestRunner().run(session)
    return result.attempted, result.failed
