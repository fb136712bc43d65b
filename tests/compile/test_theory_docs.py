"""docs/theory.md is run, its tables are counted again, and what is cited from it is there."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from bestiary.compile.bounds_table import SIZES, Size, table
from bestiary.structured.transforms import TRANSFORMS, place_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory.md").read_text("utf-8")
TITLES = re.findall(r"^##+ (.*)$", PAGE, re.MULTILINE)
CITED = re.compile(r"docs/theory\.md, '([^']+)'")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def cells(rows: str) -> list[list[str]]:
    """Of a table's rows, without escapes."""
    lines = [line for line in rows.splitlines() if line.startswith("| ")]
    return [line.replace("\\", "").strip("| ").split(" | ") for line in lines]


def test_the_python_of_the_page_prints_what_it_says() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(blocks("python")), {})
    assert printed.getvalue() == "".join(blocks("text"))


@pytest.mark.parametrize(
    "size", [SIZES[0], *(pytest.param(size, marks=pytest.mark.slow) for size in SIZES[1:])], ids=str
)
def test_the_measured_bounds_of_the_page_are_those_that_bestiary_bounds_counts(size: Size) -> None:
    shown = re.search("<!-- bounds: begin -->\n(.*)<!-- bounds: end -->", PAGE, re.DOTALL)
    assert shown is not None
    head, _, *rows = cells(shown[1])
    assert head == ["construction", "mode", *map(str, SIZES)]
    column = head.index(str(size))
    counted = table([size])
    assert {(row[0], row[1]): row[column] for row in rows} == {
        (row.construction, row.mode): (
            f"{row.layers} ({row.paper}), {row.inner_rows:,} × {row.width}"
        )
        for row in counted
    }
    # "As many as the bound says, but for Hyena with d = 1."
    short = [row.construction for row in counted if row.layers != row.bound]
    hyena = [row.construction for row in counted if row.construction.startswith("Hyena")]
    assert short == (hyena if size[1] == 1 else [])


@pytest.mark.parametrize("n", [8, 16])
def test_named_members_stand_where_the_page_puts_them(n: int) -> None:
    start = PAGE.index("| `bestiary compile` | place |")
    rows = [row for row in cells(PAGE[start : PAGE.index("\n\n", start)]) if row[0][0] == "`"][1:]
    shown = {name.strip("`"): place for name, place, _ in rows}
    assert len(shown) > 10
    assert shown == {name: str(place_of(TRANSFORMS[name].make(n))) for name in shown}


def test_every_section_that_is_cited_is_one_of_the_page() -> None:
    cited = {}
    for folder, kind in (("src", "*.py"), ("tests", "*.py"), ("docs", "*.md")):
        for path in (ROOT / folder).rglob(kind):
            # Docstrings and comments are wrapped.
            text = re.sub(r"\s*\n\s*(# )?", " ", path.read_text("utf-8"))
            cited.update({title: path for title in CITED.findall(text)})
    assert {"Bounds", "Depth"} <= set(cited)
    assert {title: path for title, path in cited.items() if title not in TITLES} == {}


def test_titles_are_plain_words_so_that_links_to_them_are_the_same_everywhere() -> None:
    assert all(re.fullmatch(r"[A-Za-z]+( [A-Za-z]+)*", title) for title in TITLES)
    assert len(set(TITLES)) == len(TITLES)
