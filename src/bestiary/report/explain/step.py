"""What is drawn of one layer, and of one input on its way through all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bestiary.report.explain.lines import Line
from bestiary.runs.explained import Explained, Names

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """A layer, the input or the head.

    gate, convolution: (lines, rows), None for the input and the head. product: (lines, rows).
    number: of the layer, 0 for the input and the head. left_out: lines that are not here. sizes: of
    the groups that are not whole, how many lines they have. cells: names of single numbers,
    (lines, rows), where channels' names do not say all; "" for none. too_large: channels where
    float64 has no finite number.
    """

    title: str
    sentence: str
    lines: tuple[Line, ...]
    product: Array
    gate: Array | None = None
    convolution: Array | None = None
    number: int = 0
    left_out: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    cells: Names = ()
    too_large: int = 0


@dataclass(frozen=True)
class Sheet:
    """What is drawn of one input.

    rows: which are shown, ascending. steps: the input, the layers, and the head, or all outputs.
    left_out: what is not here, in sentences.
    """

    subject: Explained
    rows: tuple[int, ...]
    steps: tuple[Step, ...]
    left_out: tuple[str, ...]

    @property
    def caution(self) -> str:
        """Where numbers become too large, in a sentence; "" where none do."""
        first = next((step for step in self.steps if step.too_large), None)
        if first is None:
            return ""
        return (
            f"Numbers are too large for float64 from {first.title} on: infinite, or none at all "
            "where infinite ones meet; give a smaller input."
        )
