from __future__ import annotations

import re

import pytest

from bestiary.compile.bounds_table import Row
from bestiary.report.bounds_report import chart, latex, powers_of_two
from bestiary.report.write import svg_of


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [
        (1, [1, 2]),
        (2, [1, 2]),
        (3, [1, 2, 4]),
        (256, [1, 2, 4, 8, 16, 32, 64, 128, 256]),
        (257, [1, 4, 16, 64, 256, 1024]),
        (1 << 17, [1 << i for i in range(0, 19, 3)]),
    ],
)
def test_ticks_are_powers_of_two_in_equal_steps_that_hold_the_largest(
    largest: int, ticks: list[int]
) -> None:
    assert powers_of_two(largest) == ticks


def test_every_tick_of_the_plot_is_labelled_and_none_besides() -> None:
    rows = [
        Row("butterfly", 16, 4, "causal", 11, 11, 30, None, 31, 8, 1308),
        Row("Hyena, order 1", 16, 4, "causal", 2, 2, 5, 1, 16, 4, 40),
    ]
    labels = re.findall(r">(\d+)</text>", svg_of(chart(rows)))
    assert labels == ["1", "2", "4", "8", "16", "32"]


def test_latex_sets_powers_and_sizes_as_mathematics() -> None:
    row = Row("(BB*)^2", 16, 4, "causal", 37, 37, 120, None, 72, 8, 100)
    text = latex([row])
    assert r"construction & $n$ & $d$ & mode" in text and r"$N'$ & $d'$" in text
    assert r"$(BB^*)^{2}$ & 16 & 4 & causal" in text
    assert "textasciicircum" not in text and "& -- &" in text
