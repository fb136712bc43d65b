"""One self-contained HTML page: everything it needs is in it, and it asks no network."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

import bestiary
from bestiary.errors import counted
from bestiary.report import method
from bestiary.report.charts import Chart, LeftOut
from bestiary.report.charts.style import config
from bestiary.report.mark import Look, look, swatch
from bestiary.report.mixer_kinds import any_trained, is_compiled
from bestiary.report.points import Point, Row, trained_widths
from bestiary.report.segments import SegmentResult
from bestiary.report.self_contained import asset, inline, libraries, script_data, source_hash
from bestiary.report.study import Study
from bestiary.report.table import (
    COLUMNS,
    cells,
    columns_of,
    guessing_line,
    once_line,
    rate,
    reading_line,
    repeated,
    row_of,
    seconds_text,
    share,
    table_frame,
)
from bestiary.report.task_words import counted_as, words_of
from bestiary.report.verdict import RECALLS, verdict
from bestiary.runs.tuning import REACH, rate_text

MARKS = {"good": "✓", "bad": "✗", "caution": "!"}
WORDS = {"good": "Recalls", "bad": "Falls short", "caution": "Caution"}
STATUS_MARKS = {"finished": "✓", "diverged": "↯", "failed": "✗"}
LOST = ("diverged", "failed", "interrupted", "running", "waiting")


def page(study: Study, charts: Sequence[Chart | LeftOut]) -> str:
    """The page as text."""
    scripts = {
        "theme_script": asset("theme.js"),
        "libraries": libraries(),
        "script": asset("page.js"),
    }
    drawn = [chart for chart in charts if isinstance(chart, Chart)]
    looks = {label: look(study.mixers, label) for label in study.mixers}
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.globals["swatch"] = swatch
    template = environment.from_string(asset("page.html"))
    return template.render(
        **{name: inline(code, "script") for name, code in scripts.items()},
        css=inline(asset("page.css"), "style"),
        script_sources=Markup(" ".join(map(source_hash, scripts.values()))),
        data=script_data(page_data(study, drawn)),
        charts=drawn,
        left_out=[chart for chart in charts if isinstance(chart, LeftOut)],
        mixers=list(looks.values()),
        marks=MARKS,
        words=WORDS,
        **heading(study),
        **filters(study),
        **table(study, looks),
        **runs(study),
        **measured(study),
    )


def heading(study: Study) -> dict[str, Any]:
    """Title, what was compared, and the verdict."""
    trained = any_trained(study.mixers)
    return {
        "name": study.name,
        "trained": trained,
        "kind": "mixer" if trained else "model",
        "lead": lead(study),
        "verdict": verdict(study),
        "recalls": RECALLS,
        "guessing": guessing_line(study.segments),
        "reading": reading_line(study.segments),
        "version": bestiary.__version__,
        "total": len(study.runs),
        "file_name": re.sub(r"[^\w.-]+", "-", study.name).strip("-.") or "table",
        "csv": "data:text/csv;charset=utf-8," + quote(table_frame(study.segments).write_csv()),
    }


def lead(study: Study) -> str:
    """What was compared, in a sentence."""
    settings = list(dict.fromkeys(s.setting for s in study.segments if s.length is not None))
    where = f" of {method.joined(settings)}" if 0 < len(settings) < 4 else ""
    trained = [point for point in study.points if not point.compiled]
    seeds = len({run["seed"] for point in trained for run in point.runs})
    widths = trained_widths(trained)
    compiled = [label for label in study.mixers if is_compiled(label)]
    mixers = [label for label in study.mixers if not is_compiled(label)]
    parts = (
        *((counted(len(mixers), "mixer"),) if mixers else ()),
        *((counted(len(compiled), "compiled model"),) if compiled else ()),
        *((counted(len(widths), "width"), counted(seeds, "seed")) if widths else ()),
    )
    leads = ". ".join(dict.fromkeys(words_of(run.get("task.name")).lead for run in study.runs))
    return (
        f"{leads}{where and ','}{where}. {method.joined(parts)}, {counted(len(study.runs), 'run')}."
    )


def filters(study: Study) -> dict[str, Any]:
    """What can be chosen."""
    segments = {segment_key(s): s.setting for s in study.segments if s.length is not None}
    return {
        "segments": [{"value": value, "text": text} for value, text in segments.items()],
        "widths": trained_widths(study.points),
        "statuses": sorted({run["status"] for run in study.runs}),
    }


def segment_key(result: SegmentResult) -> str:
    """How the page's script names a test segment."""
    return "" if result.length is None else f"{result.length}/{result.pairs}"


def statuses_of(point: Point) -> str:
    """The statuses of a point's runs, for the filter."""
    return " ".join(sorted({run["status"] for run in point.runs}))


def table(study: Study, looks: Mapping[str, Look]) -> dict[str, Any]:
    """The rows of the table, each cell with what it is sorted by.

    As on a terminal, what all rows have is said once and is no column; guessing has a note.
    """
    said_once, columns = repeated(study.segments), columns_of(study.segments)
    chances = {result.chance for result in study.segments}
    left_out = {*said_once, *(("chance",) if len(chances) == 1 else ())}
    shown = [column for column in columns if column.key not in left_out]
    rows = []
    for result in study.segments:
        values = row_of(result)
        values["mixer"] = result.point.label
        values["failed"] = values["runs"] - values["finished"]
        texts = dict(zip((column.key for column in COLUMNS), cells(result), strict=True))
        rows.append(
            {
                "mixer": result.point.label,
                "look": looks[result.point.label],
                "width": filter_width(result.point),
                "segment": segment_key(result),
                "statuses": statuses_of(result.point),
                "chance": f"{result.chance or 0:.4f}",
                "cells": [
                    {
                        "text": texts[column.key],
                        "value": "" if values[column.key] is None else values[column.key],
                        "numeric": column.numeric,
                        "bar": bar(values[column.key]) if column.key == "accuracy" else None,
                    }
                    for column in shown
                ],
            }
        )
    return {
        "columns": shown,
        "once": once_line(said_once, columns) if said_once else "",
        "rows": rows,
    }


def filter_width(point: Point) -> int | str:
    """The width that a point is filtered by; none for a compiled model, which has its own."""
    return "" if point.compiled or point.d_model is None else point.d_model


def bar(accuracy: float | None) -> str | None:
    """The length of the bar beside an accuracy."""
    return None if accuracy is None else f"{accuracy:.4f}"


def runs(study: Study) -> dict[str, Any]:
    """Every run with its config; those without a result once more, with the reason."""
    told = [
        told_run(run, point, run in point.chosen.runs)
        for point in study.points
        for run in point.runs
    ]
    return {"runs": told, "lost": [run for run in told if run["status"] in LOST]}


def told_run(run: Row, point: Point, chosen: bool) -> dict[str, Any]:
    """What the page says of one run."""
    path = Path(run["path"]) / "config.yaml"
    accuracy = run["accuracy"]
    return {
        "run_id": run["run_id"],
        "mixer": point.label,
        "width": point.d_model,
        "filter": filter_width(point),
        "status": run["status"],
        "mark": STATUS_MARKS.get(run["status"], "…"),
        "rate": rate(run["learning_rate"]),
        "compiled": point.compiled,
        "seed": run["seed"],
        "accuracy": "no accuracy" if accuracy is None else f"accuracy {share(accuracy)}",
        "time": seconds_text(run["seconds"]),
        "steps": f"step {run['step']:,} of {run['steps']:,}" if run["steps"] else "",
        "reason": run["reason"] or "",
        "config": path.read_text(encoding="utf-8", errors="replace"),
        # Of several rates; a compiled model has none.
        "chosen": chosen and not point.compiled,
    }


def measured(study: Study) -> dict[str, Any]:
    """How it was measured."""
    known = method.settings(study)
    return {
        "facts": method.facts(study),
        "mix": method.data_mix(study),
        "things": counted_as(words_of(run.get("task.name")) for run in study.runs),
        "shared": known.shared,
        "varied": known.varied,
        "surroundings": method.surroundings(study),
        "reach": f"{round(100 * REACH)}%",
        "curves": [
            {
                "mixer": curve.mixer,
                "width": curve.d_model or "",
                "tried": ", ".join(map(rate_text, curve.means)),
                "chosen": rate_text(curve.tuned.rate),
                "accuracy": share(curve.tuned.validation_accuracy),
                "window": curve.window_text,
            }
            for curve in study.curves
        ],
    }


def page_data(study: Study, charts: Sequence[Chart]) -> dict[str, Any]:
    """What the script works with."""
    return {
        "charts": [
            {"name": chart.name, "spec": described(chart), **packed(chart.rows)} for chart in charts
        ],
        "looks": {"light": config("light"), "dark": config("dark")},
        "mixers": study.mixers,
        "statuses": {str(point.number): statuses_of(point) for point in study.points},
    }


def packed(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows as lists of values under one list of fields; a field a row lacks is null there."""
    fields = list(dict.fromkeys(name for row in rows for name in row))
    return {"fields": fields, "values": [[row.get(name) for name in fields] for row in rows]}


def described(chart: Chart) -> dict[str, Any]:
    """The specification with a description for those who do not see the chart."""
    return {**chart.spec, "description": f"{chart.title}. {chart.caption}"}
