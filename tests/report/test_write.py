from pathlib import Path

import polars as pl
import pytest
from made_runs import write_run

from bestiary.errors import UserError
from bestiary.report import ReportPaths, load_study, write_report
from bestiary.report.charts import draw
from bestiary.report.page import page
from bestiary.report.study import Study
from bestiary.report.table import table_frame

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def written(trained: Path) -> ReportPaths:
    return write_report(trained)


def test_everything_is_written_into_the_folder(written: ReportPaths, trained: Path) -> None:
    assert written.html == trained / "report.html"
    paths = [written.html, written.csv, written.tex, written.parquet, *written.plots]
    assert all(path.is_relative_to(trained) and path.stat().st_size > 100 for path in paths)
    assert (trained / "plots" / "recall.png") in written.plots
    assert len(written.plots) == 14
    for path in written.plots:
        start = path.read_bytes()[:8]
        assert start == PNG if path.suffix == ".png" else start.startswith(b"<svg")


def test_csv_and_parquet_hold_the_table(written: ReportPaths, study: Study) -> None:
    frame = table_frame(study.segments)
    assert pl.read_parquet(written.parquet).equals(frame)
    read = pl.read_csv(written.csv, schema=frame.schema)
    assert read.with_columns(pl.col("variant").fill_null("")).equals(frame)
    assert "[" not in written.csv.read_text() and "\x1b" not in written.csv.read_text()


def test_what_can_no_longer_be_drawn_does_not_stay_behind(tmp_path: Path) -> None:
    write_run(tmp_path, width=8)
    wide = write_run(tmp_path, width=16)
    assert (tmp_path / "plots" / "width.png") in write_report(tmp_path).plots
    (tmp_path / "runs" / wide.run_id / "config.yaml").unlink()
    again = write_report(tmp_path)
    assert not (tmp_path / "plots" / "width.png").exists()
    assert not (tmp_path / "plots" / "width.svg").exists()
    assert all(path.exists() for path in again.plots)


def test_a_folder_without_runs_is_a_mistake_of_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no runs"):
        write_report(tmp_path)
    with pytest.raises(UserError, match="is not there"):
        write_report(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_a_function_of_the_folder(written: ReportPaths, trained: Path) -> None:
    study = load_study(trained)
    assert page(study, draw(study)) == written.html.read_text(encoding="utf-8")
