"""Test numbers of every point by segment, the rows of the table and of most charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import polars as pl

from bestiary.report.interval import Interval, mean_interval
from bestiary.report.points import Point, Row
from bestiary.report.task_words import TaskWords, words_of
from bestiary.tasks.segments import setting_text


@dataclass(frozen=True)
class SegmentResult:
    """One point on one test segment, at the rate chosen on validation.

    ``accuracies`` are those of its finished seeds, in the order of seeds; with none of them there
    is nothing to report, and the numbers are None. ``length`` and ``pairs`` (how many things its
    words count) are None where no run got far enough to know them.
    """

    point: Point
    length: int | None
    pairs: int | None
    chance: float | None
    accuracies: tuple[float, ...]
    all_correct: float | None
    loss: float | None

    @property
    def accuracy(self) -> Interval | None:
        """Mean and interval over seeds."""
        return mean_interval(self.accuracies) if self.accuracies else None

    @property
    def state_size(self) -> int | None:
        """Elements one sequence carries; for attention it grows with the length."""
        run = self.point.chosen.runs[0]
        sizes: dict[str, int] = run.get("summary", {}).get("state_sizes") or {}
        return sizes.get(str(self.length), run["state_size"])

    @property
    def setting(self) -> str:
        """``length 64, 4 pairs``."""
        return setting_text(self.length, self.pairs, self.words.thing)

    @property
    def words(self) -> TaskWords:
        """How to speak of its task."""
        return words_of(self.point.runs[0].get("task.name"))


def segment_results(points: Sequence[Point], results: pl.DataFrame) -> list[SegmentResult]:
    """One result a point and test segment; a point without any has one row without numbers."""
    test = results.filter(pl.col("split") == "test")
    by_run: dict[str, list[Row]] = {}
    for row in test.iter_rows(named=True):
        if row["slice"] in ("segment", "all"):
            by_run.setdefault(row["run_id"], []).append(row)
    return [result for point in points for result in results_of(point, by_run)]


def results_of(point: Point, by_run: dict[str, list[Row]]) -> list[SegmentResult]:
    """The results of one point, shortest and easiest segment first."""
    groups: dict[tuple[int, int], list[Row]] = {}
    for run in point.chosen.finished:
        rows = by_run.get(run["run_id"], [])
        # A task without segments is measured as a whole; where there are segments, a mean over
        # lengths is never shown in their place.
        segments = [row for row in rows if row["slice"] == "segment"] or rows
        for row in segments:
            length = run["length"] if row["length"] is None else row["length"]
            pairs = run["pairs"] if row["pairs"] is None else row["pairs"]
            groups.setdefault((length, pairs), []).append(row)
    if not groups:
        first = point.runs[0]
        return [SegmentResult(point, first["length"], first["pairs"], None, (), None, None)]
    return [
        SegmentResult(
            point,
            length,
            pairs,
            chance=fmean(row["chance"] for row in rows),
            accuracies=tuple(row["accuracy"] for row in rows),
            all_correct=fmean(row["all_correct"] for row in rows),
            loss=fmean(row["loss"] for row in rows),
        )
        for (length, pairs), rows in sorted(groups.items())
    ]
