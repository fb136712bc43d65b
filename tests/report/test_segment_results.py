from pathlib import Path

import polars as pl
import pytest
from made_runs import write_run

from bestiary.report import load_study
from bestiary.report.study import Study


def test_every_segment_has_a_row_and_no_mean_stands_in_its_place(tmp_path: Path) -> None:
    """B03: lengths are mixed in training, so each is reported."""
    for seed, shift in enumerate((0.0, 0.02)):
        write_run(tmp_path, seed=seed, test={(64, 4): 0.9 + shift, (128, 8): 0.3 + shift})
    rows = [(s.length, s.pairs, s.accuracies) for s in load_study(tmp_path).segments]
    assert rows == [(64, 4, (0.9, 0.92)), (128, 8, (0.3, 0.32))]


def test_numbers_are_those_of_the_parquet_files(study: Study) -> None:
    for result in study.segments:
        accuracies, chances = [], []
        for run in result.point.chosen.runs:
            frame = pl.read_parquet(Path(run["path"]) / "results.parquet")
            row = frame.filter(
                split="test", slice="segment", length=result.length, pairs=result.pairs
            )
            accuracies.append(row["accuracy"].item())
            chances.append(row["chance"].item())
        assert result.accuracies == tuple(accuracies) and len(accuracies) == 3
        assert result.chance == pytest.approx(sum(chances) / 3) == pytest.approx(1 / result.pairs)


def test_state_is_that_at_the_length_of_the_segment(study: Study) -> None:
    """Attention of one layer keeps a key and a value of the width for each position."""
    sizes = {
        (s.point.d_model, s.length): s.state_size
        for s in study.segments
        if s.point.mixer == "attention"
    }
    assert sizes == {(4, 8): 64, (4, 16): 128, (8, 8): 128, (8, 16): 256}


def test_a_task_without_segments_is_shown_as_a_whole(tmp_path: Path) -> None:
    run = write_run(tmp_path, test=0.6)
    path = tmp_path / "runs" / run.run_id / "results.parquet"
    pl.read_parquet(path).filter(slice="all").write_parquet(path)
    (result,) = load_study(tmp_path).segments
    assert result.accuracies == (0.6,)
    assert (result.length, result.pairs) == (32, 4)


def test_a_point_without_results_keeps_a_row_without_numbers(tmp_path: Path) -> None:
    write_run(tmp_path, mixers="hyena", status="failed", reason="out of memory")
    write_run(tmp_path)
    rows = {s.point.mixer: s for s in load_study(tmp_path).segments}
    assert rows["hyena"].accuracy is None and rows["hyena"].accuracies == ()
    assert rows["attention"].accuracies == (1.0,)


def test_results_that_cannot_be_read_are_results_that_are_not_there(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (tmp_path / "runs" / run.run_id / "results.parquet").write_bytes(b"cut of")
    (result,) = load_study(tmp_path).segments
    assert result.accuracy is None
