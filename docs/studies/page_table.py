"""Put a table that a script of this folder has made on its page of the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parents[1]


def table_parser(doc: str | None) -> argparse.ArgumentParser:
    """Arguments of a script that makes a table, ``doc``'s first line what it does."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put what is printed on the page")
    return parser


def show_table(lines: Iterable[str], write: bool, name: str, which: str = "table") -> None:
    """Print a table line by line, as it is made, and then put it on its page if asked."""
    table = []
    for line in lines:
        print(line, flush=True)
        table.append(line + "\n")
    if write:
        put_on_page("".join(table), name, which)


def put_on_page(table: str, name: str, which: str = "table") -> None:
    """Replace the table on the page ``name`` by ``table``, lines of Markdown.

    It stands between ``<!-- WHICH: begin -->`` and ``<!-- WHICH: end -->``.
    """
    begin, end = f"<!-- {which}: begin -->\n", f"<!-- {which}: end -->\n"
    page = DOCS / name
    before, rest = page.read_text("utf-8").split(begin)
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}{table}{end}{after}", "utf-8")
