"""All files of a report, made from the folder of an experiment and put into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import vl_convert

from bestiary.atomic import write_parquet, write_text, write_with
from bestiary.report.charts import Chart, LeftOut, draw
from bestiary.report.latex import latex_table
from bestiary.report.page import page
from bestiary.report.png import packed_png
from bestiary.report.study import Study, load_study
from bestiary.report.table import table_frame

PNG_SCALE = 2
"""Pixels a unit of the drawing, so that pictures stay sharp on dense screens."""


@dataclass(frozen=True)
class ReportPaths:
    """Where the parts of a report are; plots are in the order of the page, PNG before SVG."""

    html: Path
    csv: Path
    tex: Path
    parquet: Path
    plots: tuple[Path, ...]


def write_report(folder: Path | str | Study) -> ReportPaths:
    """Write report.html, table.csv, table.tex, table.parquet and plots/ into the folder.

    Everything is made anew from the runs that are there, each file atomically. Raises
    ``UserError`` where there are no runs, ``OSError`` where the folder cannot be written.
    """
    study = folder if isinstance(folder, Study) else load_study(folder)
    charts = draw(study)
    paths = ReportPaths(
        html=study.folder / "report.html",
        csv=study.folder / "table.csv",
        tex=study.folder / "table.tex",
        parquet=study.folder / "table.parquet",
        plots=tuple(write_plots(study.folder / "plots", charts)),
    )
    write_tables(paths, study)
    write_text(paths.html, page(study, charts))
    return paths


def write_tables(paths: ReportPaths, study: Study) -> None:
    """The table for spreadsheets, papers and programs."""
    frame = table_frame(study.segments)
    write_with(paths.csv, frame.write_csv)
    write_text(paths.tex, latex_table(study.segments))
    write_parquet(paths.parquet, frame)


def write_plots(folder: Path, charts: Sequence[Chart | LeftOut]) -> list[Path]:
    """A PNG and an SVG a chart; what an earlier report drew and this one leaves out is removed."""
    folder.mkdir(exist_ok=True)
    written = []
    for chart in charts:
        png, svg = folder / f"{chart.name}.png", folder / f"{chart.name}.svg"
        if isinstance(chart, LeftOut):
            png.unlink(missing_ok=True)
            svg.unlink(missing_ok=True)
            continue
        drawing = svg_of(chart)
        write_with(png, partial(Path.write_bytes, data=png_of(drawing)))
        write_text(svg, drawing)
        written += [png, svg]
    return written


def write_plot(path: Path, chart: Chart) -> None:
    """The chart as SVG, or as PNG by the ending of the path."""
    write_drawing(path, svg_of(chart))


def write_drawing(path: Path, drawing: str) -> None:
    """An SVG as it is, or as PNG by the ending of the path."""
    if path.suffix == ".svg":
        write_text(path, drawing)
    else:
        write_with(path, partial(Path.write_bytes, data=png_of(drawing)))


def svg_of(chart: Chart) -> str:
    """The chart as an SVG."""
    # No address is allowed: a picture never waits for a network.
    return vl_convert.vegalite_to_svg(chart.vega_lite(), allowed_base_urls=[])


def png_of(drawing: str) -> bytes:
    """An SVG as a PNG."""
    return packed_png(vl_convert.svg_to_png(drawing, scale=PNG_SCALE))
