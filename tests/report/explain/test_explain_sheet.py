"""What is drawn against the definition of a match, read off the tokens."""

from __future__ import annotations

import base64
import zlib
from functools import cache

import numpy as np
import pytest

from bestiary.report.explain.page import packed
from bestiary.report.explain.sheet import sheet_of
from bestiary.report.explain.shown import Item, lit, shown_items
from bestiary.runs.compiled_model import parse_compiled
from bestiary.runs.explained import explained_example
from bestiary.runs.named_task import read_task


@cache
def sheet(model="compiled:all-pairs", task="length=16", **options):
    subject = explained_example(parse_compiled(model), read_task(task), "test", 3)
    return sheet_of(subject, **options)


def test_a_match_lights_up_where_the_token_so_far_above_is_the_same_and_nowhere_else():
    found = sheet()
    tokens = found.subject.tokens
    seen = set()
    for step in found.steps:
        for number, line in enumerate(step.lines):
            if line.group == "match":
                s = line.distance
                same = [i >= s and tokens[i] == tokens[i - s] for i in range(16)]
                np.testing.assert_array_equal(step.product[number], same)
                seen.add(s)
    assert seen == set(range(1, 16))


def test_every_product_is_that_of_the_two_sides():
    for step in sheet().steps[1:-1]:
        np.testing.assert_array_equal(step.product, step.gate * step.convolution)
        assert step.product.shape == (len(step.lines), 16)


@pytest.mark.parametrize("model", ["compiled:all-pairs", "compiled:sort"])
def test_the_head_has_the_bits_of_every_answer(model):
    found = sheet(model)
    head = found.steps[-1]
    assert head.title == "head" and head.gate is None
    for query in found.subject.queries:
        bits = [2 * (query.label >> k & 1) - 1 for k in range(4)]
        np.testing.assert_array_equal(head.product[:, query.row], bits)


def test_the_question_is_seen_to_match_in_its_row_at_its_distance():
    found = sheet()
    query = found.subject.queries[0]
    told = {}
    for step in found.steps:
        told |= lit(step, query, found.rows)
    assert told[f"match −{query.distance}"] == 1
    bits = [2 * (query.label >> k & 1) - 1 for k in range(4)]
    assert [told[f"value −{query.distance}.{k}"] for k in range(4)] == bits


def test_a_step_shows_groups_closed_with_what_matters_to_the_question():
    found = sheet()
    query = found.subject.queries[0]
    items = shown_items(found.steps[4], query)
    names = [item.name for item in items]
    assert names[:2] == ["match (14)", f"match −{query.distance}"]
    assert items[1].match and not items[0].match
    assert [item.name for item in shown_items(found.steps[0], None)][:2] == ["code.0", "code.1"]


def test_a_group_stands_for_its_largest_numbers_in_size_and_for_nothing_where_none_is():
    array = np.array([[1.0, -3, np.nan], [-2, 2, np.nan]])
    np.testing.assert_array_equal(Item("g", (0, 1)).values(array), [-2, -3, np.nan])


def test_what_does_not_fit_is_left_out_and_said_and_what_matters_stays():
    found = sheet(most_numbers=1000)
    step = found.steps[2]
    assert len(step.lines) == 8 and step.left_out == 54
    assert sum(line.matters for line in step.lines) == 8
    assert any("channels in" in text for text in found.left_out)
    assert sheet().left_out == ()


def test_of_a_long_example_the_rows_of_every_question_stay():
    found = sheet(task="vocab_size=40,length=200,pairs=6,power_a=1")
    assert len(found.rows) == 128
    for query in found.subject.queries:
        assert {query.row, query.key, query.value} <= set(found.rows)
    assert found.left_out[0] == "72 of 200 rows"


@pytest.mark.parametrize("largest", [3.0, 1e300])
def test_numbers_are_packed_as_float32_that_a_browser_unpacks(largest):
    given = np.array([[0.5, -1, np.nan], [np.inf, 0, largest]])
    text, scale = packed(given)
    raw = zlib.decompress(base64.b64decode(text))
    back = scale * np.frombuffer(raw, dtype="<f4").astype(np.float64).reshape(2, 3)
    # Beside 1e300 the others are too small for float32, and are drawn as 0.
    small = [0.5, -1] if largest == 3 else [0, 0]
    np.testing.assert_array_equal(back, [[*small, np.nan], [np.inf, 0, largest]])
    assert packed(None) is None


def test_what_a_told_step_has_from_before_is_kept_and_the_rest_is_new():
    found = sheet("compiled:attention")
    assert [step.title for step in found.steps[::2]] == [
        "input",
        "layer 1, what it writes",
        "layer 2, what it writes",
    ] + ["head"] * (len(found.steps) % 2)
    for number, new in ((2, "previous"), (4, "token")):
        step = found.steps[number]
        assert {line.group for line in step.lines if not line.kept} == {new}
        assert all(line.copies == 1 for line in step.lines)
        assert step.gate is step.convolution is None
    places = [line for line in found.steps[4].lines if line.name == "place.2"]
    assert places[0].kept
    np.testing.assert_array_equal(
        found.steps[4].product[found.steps[4].lines.index(places[0])],
        [2 * (row >> 2 & 1) - 1 for row in range(16)],
    )


def test_of_told_steps_too_what_does_not_fit_is_left_out_and_what_matters_stays():
    found = sheet("compiled:attention", task="vocab_size=40,length=200,pairs=6,power_a=1")
    assert len(found.rows) == 128 and found.left_out[0] == "72 of 200 rows"
    small = sheet("compiled:attention", most_numbers=100)
    looks = small.steps[3]
    asked = {query.distance for query in small.subject.queries}
    assert len(looks.lines) == 8 and asked <= {line.distance for line in looks.lines}
    (lost,) = small.left_out
    assert lost.startswith(f"{sum(step.left_out for step in small.steps)} channels in ")
