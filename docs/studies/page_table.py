"""Put a table that a script of this folder has made on its page of the documentation."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1]
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"


def put_on_page(table: str, name: str) -> None:
    """Replace the table on the page ``name`` by ``table``, lines of Markdown."""
    page = DOCS / name
    before, rest = page.read_text("utf-8").split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}{table}{END}{after}", "utf-8")
