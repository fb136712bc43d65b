"""What a report says of compiled models: their sizes, their score, what they noted of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bestiary.errors import counted
from bestiary.report.points import Point
from bestiary.report.segments import SegmentResult
from bestiary.report.study import Study
from bestiary.report.table import share, whole


def compiled_results(study: Study) -> list[SegmentResult]:
    """What was measured of compiled models."""
    return [r for r in study.segments if r.accuracies and r.point.compiled]


def exact(results: Sequence[SegmentResult]) -> bool:
    """Whether every answer is right: a compiled model that errs at all is worth a word."""
    return all(accuracy == 1 for result in results for accuracy in result.accuracies)


def compiled_line(label: str, results: Sequence[SegmentResult]) -> str:
    """One compiled model in a sentence: its score and its sizes."""
    if exact(results):
        where = "" if len(results) == 1 else f" in all {len(results)} settings"
        score = f"answers every query{where} right"
    else:
        worst = min(results, key=lambda result: min(result.accuracies))
        score = f"answers {share(min(worst.accuracies))} of the queries right at {worst.setting}"
    sizes = dict.fromkeys(sizes_of(result.point) for result in results)
    return f"{label} {score}, with weights set by hand: {'; '.join(sizes)}."


def sizes_of(point: Point) -> str:
    """``6 layers, width 377``."""
    size = details(point.runs[0])
    layers = size.get("layers", 0)
    return f"{counted(layers, 'layer')}, width {whole(size.get('width'))}"


def described(point: Point) -> str:
    """All sizes of a compiled model, for those who want to know."""
    run = point.runs[0]
    size = details(run)
    if not size:
        return ""
    delay = f", answers {counted(size['delay'], 'row')} late" if size["delay"] else ""
    return (
        f"{sizes_of(point)}, {counted(size['rows'], 'row')}{delay}; {whole(run['parameters'])} "
        f"parameters other than 0, {whole(size['dense'])} as whole arrays"
    )


def compiled_notes(study: Study) -> list[str]:
    """What compiled models noted of the test examples, each with its model."""
    return [
        f"{point.label}: {note}."
        for point in study.points
        if point.compiled
        for run in point.runs
        for note in details(run).get("notes", [])
    ]


def details(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the summary of a run holds of a compiled model; nothing before it was built."""
    return run.get("summary", {}).get("compiled") or {}
