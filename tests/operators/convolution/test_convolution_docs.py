"""docs/convolution.md is run, and its borders are those of the planner."""

from __future__ import annotations

import re

from pages import examples_tried, page

from bestiary.operators.convolution.fft_size import fft_size
from bestiary.operators.convolution.plan import CROSSOVERS

PAGE = page("convolution.md")


def test_the_examples_print_what_the_page_shows():
    attempted, failed = examples_tried("convolution.md")
    assert attempted > 8
    assert failed == 0


def test_the_borders_of_the_page_are_those_of_the_planner():
    cpu = CROSSOVERS["cpu"]
    assert f"| up to {cpu.shift_taps} taps |" in PAGE
    assert f"| more taps, up to length {cpu.toeplitz_length} |" in PAGE
    assert (
        f"| from length {cpu.chunk_length:,}, at least {cpu.chunk_ratio} times the taps |" in PAGE
    )


def test_the_factors_of_the_page_are_those_of_transform_lengths():
    factors = {1, *(int(n) for n in re.findall(r"\b(\d+) · 2\^a", PAGE))}
    used = set()
    for n in range(129, 5000):
        size = fft_size(n)
        used.add(size // (size & -size))
    assert used == factors
