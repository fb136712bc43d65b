"""docs/transforms.md is run, block after block; its table is what its script makes."""

from __future__ import annotations

import re
import runpy
import sys

from pages import DOCS, page, rows

from bestiary.structured.transforms import TRANSFORMS

PAGE = page("transforms.md")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_python_of_the_page_prints_what_it_says(capsys):
    exec(compile("\n".join(blocks("python")), "transforms.md", "exec"), {})
    assert capsys.readouterr().out == "".join(blocks("text"))


def test_the_table_of_the_page_is_the_one_its_script_makes(capsys, monkeypatch):
    table = re.search("<!-- table: begin -->\n(.*)<!-- table: end -->", PAGE, re.DOTALL)
    shown = rows(table[1])
    assert [row[0].strip("`") for row in shown] == list(TRANSFORMS)
    assert all(float(error) <= 1e-10 for row in shown for error in row[3:])
    (command,) = re.findall(r"`python docs/(\S+\.py) --write`", PAGE)
    monkeypatch.setattr(sys, "argv", [command, "--sizes", "8", "64"])
    monkeypatch.syspath_prepend(str(DOCS / "studies"))
    runpy.run_path(str(DOCS / command), run_name="__main__")
    made = rows(capsys.readouterr().out)
    for old, new in zip(shown, made, strict=True):
        assert old[:2] == new[:2]
        assert old[2].startswith(new[2])  # places of two sizes of the three
        assert all(float(error) <= 1e-10 for error in new[3:])
