from __future__ import annotations

import numpy as np

from bestiary.report.explain.lines import UNNAMED, Line, chosen, order, same_values


def line(name, group="", role="product", channel=0, **options):
    return Line(name, group or name, channel, role, 0, "given", **options)


def test_channels_of_one_name_and_one_column_are_one_line_led_by_the_one_that_was_computed():
    lines = [line("u", role="carried"), line("u", role="copied"), line("u"), line("v")]
    products = np.array([[1.0, 1, 1, 1], [0.0, -0.0, 0, 0]])
    assert same_values(lines, products) == [[2, 1, 0], [3]]
    assert same_values(lines, np.array([[1.0, 1, 2, 1]])) == [[1, 0], [2], [3]]


def test_what_is_new_comes_first_then_what_has_no_name_then_what_is_kept():
    lines = [
        line("code", role="carried"),
        line("channel 1", UNNAMED),
        line("match −10", "match"),
        line("match −9", "match"),
    ]
    assert order(lines) == [3, 2, 1, 0]


def test_of_too_many_lines_those_that_matter_stay_then_one_a_group_then_the_largest():
    lines = [line("a.0", "a"), line("a.1", "a"), line("b.0", "b"), line("b.1", "b", matters=True)]
    products = np.array([[0.0, 5, 1, 0]])
    assert chosen(lines, products, 4) == [0, 1, 2, 3]
    assert chosen(lines, products, 1) == [3]
    assert chosen(lines, products, 3) == [0, 2, 3]
    # a.0 leads its group though it holds only 0; then the largest.
    assert chosen([*lines[:2], lines[0]], np.array([[0.0, 5, 1]]), 2) == [0, 1]
