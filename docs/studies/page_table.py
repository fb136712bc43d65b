"""Put a table that a script of this folder has made on its page of the documentation."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1]


def put_on_page(table: str, name: str, which: str = "table") -> None:
    """Replace the table on the page ``name`` by ``table``, lines of Markdown.

    It stands between ``<!-- WHICH: begin -->`` and ``<!-- WHICH: end -->``.
    """
    begin, end = f"<!-- {which}: begin -->\n", f"<!-- {which}: end -->\n"
    page = DOCS / name
    before, rest = page.read_text("utf-8").split(begin)
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}{table}{end}{after}", "utf-8")
