"""docs/compiled-transforms.md: all transforms stand in its table, which its script makes."""

from __future__ import annotations

import re
import runpy
import sys

from pages import DOCS, page, rows

from bestiary.structured.transforms import TRANSFORMS

SIZES = (8, 64, 256)
ERRORS = 2
"""The last columns, whose digits depend on the machine."""


def test_every_transform_was_compiled_and_verified_at_every_size():
    shown = rows(page("compiled-transforms.md"))
    assert [row[0].strip("`") for row in shown] == [name for name in TRANSFORMS for _ in SIZES]
    named = iter(shown)
    for transform in TRANSFORMS.values():
        for n in SIZES:
            row = next(named)
            assert int(row[1]) == transform.size(n)
            assert float(row[-2]) <= 1e-10
            assert float(row[-1]) <= 1e-4


def test_the_table_of_the_smallest_size_is_the_one_its_script_makes(capsys, monkeypatch):
    text = page("compiled-transforms.md")
    (command,) = re.findall(r"`python docs/(studies/\S+\.py) --write`", text)
    monkeypatch.setattr(sys, "argv", [command, "--sizes", "8"])
    monkeypatch.syspath_prepend(str(DOCS / "studies"))
    runpy.run_path(str(DOCS / command), run_name="__main__")
    made = rows(capsys.readouterr().out)
    shown = rows(text)[:: len(SIZES)]
    assert [row[:-ERRORS] for row in made] == [row[:-ERRORS] for row in shown]
