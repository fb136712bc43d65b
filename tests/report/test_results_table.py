import io
from pathlib import Path

import polars as pl
import pytest
from made_runs import write_run
from rich.console import Console
from rich.table import Table

from bestiary.report import load_study, summary, summary_table
from bestiary.report.study import Study
from bestiary.report.table import (
    SCHEMA,
    accuracy_text,
    guessing_line,
    seconds_text,
    share,
    short,
    table_frame,
)
from bestiary.runs.run_folder import RunFolder, RunStatus


def printed(table: object, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def test_the_frame_has_the_numbers_of_the_runs(study: Study) -> None:
    frame = table_frame(study.segments)
    assert frame.schema == pl.Schema(SCHEMA)
    assert len(frame) == 8  # 2 mixers, 2 widths, 2 segments
    for row in frame.iter_rows(named=True):
        runs = [
            r for r in study.runs if r["label"] == row["mixer"] and r["d_model"] == row["width"]
        ]
        best = max(
            {r["learning_rate"] for r in runs},
            key=lambda rate: (
                sum(r["validation_accuracy"] for r in runs if r["learning_rate"] == rate),
                -rate,
            ),
        )
        assert row["learning_rate"] == best
        at_best = [r for r in runs if r["learning_rate"] == best]
        tests = study.results.filter(
            pl.col("run_id").is_in([r["run_id"] for r in at_best]),
            split="test", slice="segment", length=row["length"], pairs=row["pairs"],
        )  # fmt: skip
        assert row["seeds"] == len(tests) == 3
        assert row["accuracy"] == pytest.approx(tests["accuracy"].mean())
        assert row["all_correct"] == pytest.approx(tests["all_correct"].mean())
        assert row["seconds"] == pytest.approx(sum(r["seconds"] for r in at_best) / 3)
        assert row["runs"] == len(runs) == row["finished"]
        assert row["rates_tried"] == (2 if row["mixer"] == "attention" else 1)
        assert row["chance"] == pytest.approx(1 / row["pairs"])
        assert (row["diverged"], row["failed"], row["unfinished"]) == (0, 0, 0)


def test_lost_runs_are_counted_and_not_averaged(tmp_path: Path) -> None:
    write_run(tmp_path, seed=0, test=0.8)
    write_run(tmp_path, seed=1, status="diverged", reason="loss was not finite")
    write_run(tmp_path, seed=2, status="failed", reason="out of memory")
    write_run(tmp_path, seed=3, status="interrupted")
    (row,) = table_frame(load_study(tmp_path).segments).to_dicts()
    assert (row["accuracy"], row["accuracy_low"], row["seeds"]) == (0.8, None, 1)
    assert [row[k] for k in ("runs", "finished", "diverged", "failed", "unfinished")] == [4] + [
        1
    ] * 4
    assert "lost runs 3 of 4" in " ".join(printed(summary_table(tmp_path), 200).split())


def test_the_terminal_says_once_what_is_the_same_in_every_row(tmp_path: Path) -> None:
    for mixer in ("attention", "based"):
        write_run(tmp_path, mixers=mixer)
    text = printed(summary_table(tmp_path), 100)
    header = text.splitlines()[1] + text.splitlines()[2]
    assert "width" not in header and "accuracy" in header
    once = "In every row: width 16, length 32, pairs 4, rate 1e-3, seeds 1, lost runs 0."
    assert once in " ".join(text.split())


def test_what_differs_stays_a_column(study: Study) -> None:
    header = "".join(printed(summary_table(study), 100).splitlines()[:4])
    assert all(name in header for name in ("mixer", "width", "length", "pairs", "accuracy"))


def test_numbers_stay_whole_on_a_terminal_of_eighty_columns(study: Study) -> None:
    text = printed(summary_table(study, 80), 80)
    assert max(map(len, text.splitlines())) <= 80
    for result in study.segments:
        assert result.accuracy is not None
        for part in accuracy_text(result.accuracy).split():
            assert part in text


def test_rows_stay_on_one_line_where_trainings_took_minutes(tmp_path: Path) -> None:
    """The table of the quick preset on a machine that is slow."""
    for mixer in ("attention", ("short_conv", "attention")):
        for seed, accuracy in enumerate((0.97, 0.99, 1.0)):
            rate = 1e-2 if mixer == "attention" else 3e-3
            run = write_run(tmp_path, mixers=mixer, rate=rate, seed=seed, test=accuracy)
            kept = RunFolder(tmp_path / "runs" / run.run_id)
            kept.write_status(RunStatus("finished", step=1, steps=1, seconds=82.0 + 300 * seed))
    lines = printed(summary_table(tmp_path, 80), 80).splitlines()
    rows = [line for line in lines if line.startswith(("attention ", "short_conv+attention "))]
    assert len(rows) == 2 and max(map(len, lines)) <= 80
    for row in rows:
        assert "0.987 (0.949–1.000)" in row and "6.4 min" in row
    assert [row.split()[-1] for row in rows] == ["1e-2", "3e-3"]


def test_a_wide_terminal_shows_the_rate_and_a_narrow_one_leaves_it_out(study: Study) -> None:
    assert "rate" in printed(summary_table(study, 120), 120).splitlines()[2]
    narrow = printed(summary_table(study, 60), 60)
    assert "accuracy" in narrow and "rate" not in "".join(narrow.splitlines()[:3])


@pytest.mark.parametrize(
    ("value", "text"),
    [(64, "64"), (999, "999"), (12345, "12.3k"), (262_912, "263k"), (999_700, "999k"),
     (1_050_000, "1.05M"), (3_000_000_000, "3G"), (None, "–")],
)  # fmt: skip
def test_large_numbers_are_short_on_a_terminal(value: int | None, text: str) -> None:
    assert short(value) == text


def test_a_name_like_markup_is_printed_as_it_is(tmp_path: Path) -> None:
    write_run(tmp_path, label="[red]x[/red] [link=a]")
    assert "[red]x[/red] [link=a]" in printed(summary_table(tmp_path), 120)
    assert "[red]x[/red] [link=a]" in printed(summary(tmp_path), 120)


def test_guessing_is_stated_for_every_number_of_pairs(study: Study) -> None:
    line = guessing_line(study.segments)
    assert line == "Guessing among the K pairs drawn scores 1/K: 1/1 = 1.000, 1/2 = 0.500."
    assert line in " ".join(printed(summary_table(study), 100).split())


def test_the_interval_is_named(study: Study) -> None:
    text = " ".join(printed(summary_table(study), 100).split())
    assert "mean of 3 seeds (95% Student t interval of the mean over seeds" in text


def test_the_summary_ends_with_the_verdict(tmp_path: Path) -> None:
    write_run(tmp_path, test=0.3)
    text = printed(summary(tmp_path), 200)
    assert isinstance(summary_table(tmp_path), Table)
    assert text.index("Guessing among") < text.index("✗ attention does not recall")


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.000"), (0.99996, "0.999"), (0.9994, "0.999"), (0.0, "0.000"), (None, "–")],
)
def test_only_perfect_recall_reads_as_one(value: float | None, text: str) -> None:
    assert share(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.345, "2.3 s"), (9.96, "10 s"), (42.4, "42 s"), (82, "82 s"), (99.4, "99 s"),
     (99.6, "1.7 min"), (200, "3.3 min"), (5900, "98 min"), (7500, "2.1 h"),
     (360_000, "100 h"), (None, "–")],
)  # fmt: skip
def test_times_are_written_as_people_do(seconds: float | None, text: str) -> None:
    assert seconds_text(seconds) == text
