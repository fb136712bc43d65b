"""docs/circuits.md is run, prints what it shows, and names what there is."""

from __future__ import annotations

import re
from dataclasses import fields

from pages import examples_tried, page

from bestiary import circuits
from bestiary.circuits.files.arith import REFUSED


def test_the_examples_print_what_the_page_shows():
    attempted, failed = examples_tried("circuits.md")
    assert attempted > 15
    assert failed == 0


def test_every_function_of_the_tables_is_there():
    tables = "\n".join(line for line in page("circuits.md").splitlines() if line.startswith("|"))
    names = re.findall(r"`([a-z_]+)(?:\([a-z, ]*\))?`", tables.replace("`circuit.`", ""))
    assert len(names) > 30
    there = {*dir(circuits), *dir(circuits.Circuit), *REFUSED}
    there |= {field.name for kind in (circuits.Circuit, circuits.Port) for field in fields(kind)}
    assert set(names) <= there
