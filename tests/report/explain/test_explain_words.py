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
    numbers_sentence,
)


@pytest.mark.parametrize(
    ("name", "group", "distance"),
    [
        ("code.0", "code", None),
        ("alike −12.0·2", "alike", 12),
        ("match −9", "match", 9),
        ("no match −3 of 8", "no match", 3),
        ("sort 3 order.1", "sort 3 order", None),
        ("level 4 to 0, moved", "level 4 to 0, moved", None),
        ("depth 1, left 2 to 4, 0.1", "depth 1, left 2", None),
        ("depth 1, left 2 to 4, 0 moved", "depth 1, left 2 moved", None),
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


def test_a_number_times_a_row_of_a_wire_is_written_without_brackets():
    u = input_array("u", 1)
    late = shift(0.5 * u, 2).named("late")
    assert formulas(Program((u,), late, rows=6, name="p"))["late"] == "0.5·u of 2 rows above"


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


def test_a_sentence_of_many_groups_names_what_fits_and_counts_the_rest():
    many = [line(f"{letter * 20}.0", how="(a) × (b)") for letter in "abcdefg"]
    told = layer_sentence(many)
    assert told == (
        f"Makes {'a' * 20}.0 = (a) × (b); {'b' * 20}.0 = (a) × (b); also {'c' * 20}.0 and 4 more."
    )
    kept = [line(f"{letter * 20}.0", "carried") for letter in "abcde"]
    assert layer_sentence(kept) == f"Makes nothing new; keeps {'a' * 20}, {'b' * 20} and 3 more."


def test_a_list_after_a_formula_does_not_read_as_part_of_it():
    long = "a formula of many words " * 5
    sums = [line("sort.0", how="late.0 + u"), line("sort.1"), line("a", how=long)]
    assert layer_sentence([*sums, line("b", how=long), line("x", "copied")]) == (
        "Makes sort (2 channels), such as sort.0 = late.0 + u; also a and b; keeps x."
    )


def test_what_is_made_from_too_much_is_named_alone_and_the_last_is_named_in_place_of_1_more():
    long = "a formula of many words " * 5
    lines = [line("move.0", how=long), line("move.1", how=long), line("u", how=long)]
    assert layer_sentence(lines) == "Makes move (2 channels) and u."


def test_the_nameless_are_called_so_and_told_by_their_channel():
    nameless = Line("channel 3", UNNAMED, 3, "product", 0, "(a) × (b)", copies=2)
    assert layer_sentence([nameless]) == (
        "Makes intermediate values (2 channels), such as channel 3 = (a) × (b)."
    )
    kept = Line("channel 3", UNNAMED, 3, "carried", 0, "channel 3")
    assert layer_sentence([kept]) == "Makes nothing new; keeps intermediate values."


def test_numbers_are_told_by_name_as_far_as_they_fit():
    assert numbers_sentence("Out", [("a", 1.0), ("b", -0.25)]) == "Out: a = 1 and b = −0.25."
    many = numbers_sentence("Out", [(f"a[{k}]", 0.5) for k in range(50)])
    assert many.startswith("Out: a[0] = 0.5, a[1] = 0.5, ") and len(many) < 120
    named = many.count("=")
    assert many.endswith(f" and {50 - named} more.")
