from __future__ import annotations

import pytest

from bestiary.compile import Program, compile_program, conv, input_array, mul, shift
from bestiary.compile.emit import layers_of
from bestiary.report.explain.lines import UNNAMED, Line
from bestiary.report.explain.words import (
    distance_of,
    formula,
    group_of,
    layer_sentence,
    meaning_of,
)


@pytest.mark.parametrize(
    ("name", "group", "distance"),
    [
        ("code.0", "code", None),
        ("alike −12.0·2", "alike", 12),
        ("match −9", "match", 9),
        ("none −3 of 8", "none", 3),
        ("sort 3 order.1", "sort 3 order", None),
        ("level 4 to 0, moved", "level 4 to 0, moved", None),
        ("u", "u", None),
    ],
)
def test_a_name_says_its_group_and_how_far_above_it_looks(name, group, distance):
    assert group_of(name) == group
    assert distance_of(name) == distance


def test_a_group_is_found_by_its_last_word_where_it_is_one_of_many_stages():
    meanings = {"order": "which comes first", "match": "the same"}
    assert meaning_of("sort 3 order", meanings) == "which comes first"
    assert meaning_of("match", meanings) == "the same"
    assert meaning_of("other", meanings) == ""


def formulas(program):
    placed = compile_program(program).placed
    return {cell.name: formula(placed, cell) for cells in layers_of(placed) for cell in cells}


def test_a_cell_is_written_with_its_wires_weights_and_rows():
    u = input_array("u", 2)
    product = mul(u[0] * 0.5, shift(u[1], 3)).named("both")
    assert formulas(Program((u,), product, rows=6, name="p"))["both"] in (
        "(0.5·u.0) × (u.1 of 3 rows above)",
        "(u.0) × (0.5·u.1 of 3 rows above)",
    )
    moved = conv({-1: -1, 0: 2}, u[0]).named("slope")
    slope = formulas(Program((u,), moved, rows=6, name="p"))["slope"]
    assert slope == "−u.0 of 1 row below + 2·u.0"


def line(name, role="product", how="(a) × (b)", **options):
    return Line(name, group_of(name), options.pop("channel", 0), role, 0, how, **options)


def test_a_sentence_names_what_is_made_by_an_example_that_matters_and_what_is_kept():
    lines = [line("match −1"), line("match −2", how="(c) × (d)", matters=True), line("x", "copied")]
    assert layer_sentence(lines) == (
        "Makes match (2 channels), such as match −2 = (c) × (d); keeps x."
    )
    alone = [line("y", how="(c) × (d)")]
    assert layer_sentence(alone) == "Makes y = (c) × (d)."
    assert layer_sentence([line("x", "carried")]) == "Makes nothing new; keeps x."


def test_a_sentence_of_many_groups_counts_the_rest_and_calls_the_nameless_so():
    many = [line(f"{letter}.0") for letter in "abcdef"]
    assert layer_sentence(many).endswith("d.0 = (a) × (b) and 2 other groups.")
    nameless = Line("channel 3", UNNAMED, 3, "product", 0, "(a) × (b)", copies=2)
    assert layer_sentence([nameless]) == (
        "Makes channels without a name (2 channels), such as (a) × (b)."
    )
