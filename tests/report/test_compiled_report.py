"""How a compiled model stands beside trained ones in table, verdict, charts and page."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import vl_convert
from made_runs import write_run
from rich.console import Console

from bestiary.report import load_study, summary, verdict, write_report
from bestiary.report.charts import Chart, LeftOut, draw
from bestiary.report.charts.style import SHAPES, STAR
from bestiary.report.latex import latex_table
from bestiary.report.mark import STAR as OUTLINE
from bestiary.report.mark import look
from bestiary.report.method import facts, settings
from bestiary.report.page import page
from bestiary.report.points import trained_widths
from bestiary.report.study import Study
from bestiary.report.table import cells, row_of
from bestiary.runs.compiled_model import CompiledModel
from bestiary.runs.config import RunConfig
from bestiary.runs.job import Job
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.worker import execute
from bestiary.solvers.all_pairs import AllPairs
from bestiary.training.config import TrainingConfig

NAME = "compiled:all-pairs"


def compiled(folder: Path, filler: str = "random") -> None:
    """A real run of the solver."""
    run = RunConfig(
        task={
            "name": "mqar",
            "vocab_size": 16,
            "segments": [{"length": 16, "pairs": 2}],
            "train_examples": 4,
            "validation_examples": 8,
            "test_examples": 64,
            "filler": filler,
        },
        model=CompiledModel("all-pairs"),
        training=TrainingConfig(threads=1),
        seed=0,
    )
    status = execute(Job(run, folder / "runs" / run.run_id))
    assert status is not None and status.status == "finished"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hyena at two widths with three seeds each, and the compiled model once."""
    folder = tmp_path_factory.mktemp("beside")
    gaps = {(1, 1): 0.5, (2, 3): 0.5}
    for width in (8, 32):
        for seed in range(3):
            write_run(folder, mixers="hyena", width=width, seed=seed, test={(16, 2): 0.6},
                      vocab_size=16, gaps=gaps)  # fmt: skip
    compiled(folder)
    return folder


@pytest.fixture(scope="module")
def study(folder: Path) -> Study:
    return load_study(folder)


def test_it_is_one_row_of_its_own_width_without_rate_and_seeds(study: Study) -> None:
    (result,) = [s for s in study.segments if s.point.mixer == NAME]
    row = row_of(result)
    size = next(r for r in study.runs if r["label"] == NAME)["summary"]["compiled"]
    assert (row["weights"], row["learning_rate"], row["accuracy"]) == ("compiled", None, 1.0)
    # Four bits: 2 levels of products, and 3 layers.
    assert (row["layers"], row["width"]) == (5, size["width"])
    assert row["parameters"] < row["dense_parameters"] == size["dense"]
    assert row["state_size"] == 16 * 4
    shown = cells(result)
    assert shown[0] == NAME and shown[10:12] == ["–", "–"]
    assert trained_widths(study.points) == [8, 32]
    trained = [row_of(s)["weights"] for s in study.segments if s.point.mixer == "hyena"]
    assert trained == ["trained", "trained"]
    assert NAME in latex_table(study.segments)


def test_its_line_stands_apart_from_what_training_showed(study: Study) -> None:
    lines = verdict(study)
    (headline,) = [line.text for line in lines if line.kind == "headline"]
    assert headline == "No mixer recalls in any setting."
    (good,) = [line.text for line in lines if line.kind == "good"]
    assert good.startswith(f"{NAME} answers every query right, with weights set by hand: 5 layers")
    assert not any(NAME in line.text for line in lines if line.kind in ("bad", "caution"))


def test_its_errors_and_what_it_noted_are_said(tmp_path: Path) -> None:
    compiled(tmp_path, filler="any")
    lines = verdict(load_study(tmp_path))
    (bad,) = [line.text for line in lines if line.kind == "bad"]
    assert re.match(rf"{NAME} answers 0\.\d+ of the queries right at length 16, 2 pairs", bad)
    notes = [line.text for line in lines if line.kind == "caution"]
    assert len(notes) == 1
    assert re.match(rf"{NAME}: \d+ of 128 queries had a key that came more than once", notes[0])


def test_alone_it_is_the_whole_report(tmp_path: Path) -> None:
    compiled(tmp_path)
    study = load_study(tmp_path)
    assert verdict(study)[0].text == f"At length 16, 2 pairs: {NAME} recalls."
    paths = write_report(study)
    text = paths.html.read_text(encoding="utf-8")
    assert "1 compiled model, 1 run." in text
    assert "AdamW" not in text and "step 0 of 0" not in text
    assert pl.read_csv(paths.csv)["accuracy"].to_list() == [1.0]


TRAINING = ("learning rate", "seed", "train", "sweep", "interval")
"""What is said of training, by words of it."""


def test_where_nothing_was_trained_no_sentence_speaks_of_training(tmp_path: Path) -> None:
    compiled(tmp_path)
    study = load_study(tmp_path)
    charts = draw(study)
    reasons = {chart.name: chart.reason for chart in charts if isinstance(chart, LeftOut)}
    of_training = ("width", "rates", "training-accuracy", "training-loss")
    assert {name: reasons[name] for name in of_training} == dict.fromkeys(
        of_training, "nothing was trained"
    )
    captions = [chart.caption for chart in charts if isinstance(chart, Chart)]
    said = [*captions, *(f"{fact.name}: {fact.text}" for fact in facts(study))]
    assert not [(word, text) for word in TRAINING for text in said if word in text]
    text = page(study, charts)
    assert "A model <em>recalls</em> where it has a test accuracy" in text
    assert "<legend>Models</legend>" in text and "What each model recalls" in text


def test_beside_trained_models_both_are_said(study: Study) -> None:
    said = {fact.name: fact.text for fact in facts(study)}
    assert said["Time"].startswith("Seconds of training, mean over")
    assert said["Time"].endswith("Seconds in which a compiled model was built and scored.")
    (recall,) = [chart for chart in draw(study) if chart.name == "recall"]
    assert isinstance(recall, Chart)
    assert "at the learning rate chosen on validation" in recall.caption
    assert "A star is a compiled model" in recall.caption
    assert "A mixer <em>recalls</em> where every finished seed has" in page(study, draw(study))


def test_without_compiled_models_no_star_is_spoken_of(tmp_path: Path) -> None:
    for width in (8, 16):
        write_run(tmp_path, width=width)
    captions = [c.caption for c in draw(load_study(tmp_path)) if isinstance(c, Chart)]
    assert captions and not any("star" in caption for caption in captions)


def test_the_notes_of_a_narrow_table_take_the_width_of_the_terminal(tmp_path: Path) -> None:
    compiled(tmp_path)
    out = io.StringIO()
    Console(file=out, width=100).print(summary(tmp_path, 100))
    lines = out.getvalue().splitlines()
    # Greedy: no line could have taken the first word of the next one too.
    start = next(i for i, line in enumerate(lines) if line.startswith("Accuracy on test."))
    first, following = lines[start : start + 2]
    assert len(first) <= 100 < len(first) + 1 + len(following.split()[0])
    assert "at the width that the construction needs" in " ".join(out.getvalue().split())


def test_every_chart_that_has_it_draws_it_as_a_star(study: Study) -> None:
    drawn = {chart.name: chart for chart in draw(study) if isinstance(chart, Chart)}
    for name in ("recall", "width", "state", "gap"):
        rows = [row for row in drawn[name].rows if row.get("mixer") == NAME]
        assert rows and all(row["accuracy"] == 1 for row in rows if row["kind"] == "mean"), name
        spec = drawn[name].vega_lite()
        assert STAR in json.dumps(spec)
        assert vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]).startswith("<svg")
    assert STAR not in SHAPES
    assert look(study.mixers, NAME).outline == OUTLINE
    assert look(study.mixers, "hyena").outline != OUTLINE


def test_the_chart_of_state_sizes_says_what_is_known_of_the_elements_of_compiled_models(
    tmp_path: Path,
) -> None:
    """A label of one's own hides no kind, and of a class of one's own no kind is known."""
    task: dict[str, Any] = {"name": "mqar", "segments": [{"length": 16, "pairs": 2}]}
    said = (
        ("all-pairs", "", "Elements of compiled:all-pairs and compiled:sort are single bits"),
        ("sort", "", "are single bits, with the dashed line as their ceiling."),
        ("attention", "mine", "Elements of compiled:mine are numbers of 32 bits"),
        (f"{AllPairs.__module__}:AllPairs", "other",
         "How many bits an element of compiled:other holds is not known."),
    )  # fmt: skip
    for solver, label, _ in said:
        run = RunConfig(
            task={**task, "vocab_size": 16, "test_examples": 2, "validation_examples": 2},
            model=CompiledModel(solver, label=label),
            training=TrainingConfig(threads=1),
            seed=0,
        )
        status = execute(Job(run, tmp_path / "runs" / run.run_id))
        assert status is not None and status.status == "finished"
    (chart,) = [c for c in draw(load_study(tmp_path)) if c.name == "state"]
    assert isinstance(chart, Chart)
    for *_, sentence in said:
        assert sentence in chart.caption


def test_of_trained_models_alone_no_elements_of_compiled_ones_are_spoken_of(
    tmp_path: Path,
) -> None:
    write_run(tmp_path)
    (chart,) = [c for c in draw(load_study(tmp_path)) if c.name == "state"]
    assert isinstance(chart, Chart)
    assert "Elements of" not in chart.caption and "is not known" not in chart.caption


def test_it_is_drawn_beside_every_width_and_no_filter_of_widths_hides_it(study: Study) -> None:
    drawn = {chart.name: chart for chart in draw(study) if isinstance(chart, Chart)}
    gaps = [row for row in drawn["gap"].rows if row["mixer"] == NAME]
    assert {(row["panel"], row["d_model"]) for row in gaps} == {("width 8", 8), ("width 32", 32)}
    for name in ("recall", "width", "state"):
        assert {r["d_model"] for r in drawn[name].rows if r.get("mixer") == NAME} == {None}
    text = page(study, draw(study))
    assert re.search(rf'<tr data-mixer="{NAME}" data-width=""', text)
    assert "<option>8</option><option>32</option>" in text


def test_charts_of_training_leave_it_out_of_their_legends(study: Study) -> None:
    (curves,) = [chart for chart in draw(study) if chart.name == "training-accuracy"]
    assert isinstance(curves, Chart)
    assert {row["mixer"] for row in curves.rows} == {"hyena"}
    assert '"values": ["hyena"]' in json.dumps(curves.spec)


def test_the_page_says_how_large_it_is_and_lists_its_run_without_a_rate(study: Study) -> None:
    said = {fact.name: fact.text for fact in facts(study)}
    rows = next(r for r in study.runs if r["label"] == NAME)
    assert said["Compiled models"].startswith(f"{NAME}: 5 layers, width")
    assert f"{rows['parameters']:,} parameters other than 0" in said["Compiled models"]
    assert NAME not in said["Learning rates"]
    text = page(study, draw(study))
    assert "<span>compiled, not trained</span>" in text
    assert "compiled: all-pairs" in text


def test_settings_are_those_of_the_trained_runs(study: Study) -> None:
    known = settings(study)
    assert sorted(known.varied) == ["model.d_model", "seed"]
    assert known.varied["seed"] == ["0", "1", "2"]
    assert not any(name.startswith("model.compiled") for name in known.shared)


def test_a_run_that_was_never_built_is_a_row_without_numbers(tmp_path: Path) -> None:
    run = RunConfig(
        task={"name": "mqar"}, model=CompiledModel("all-pairs"), training=TrainingConfig(), seed=0
    )
    kept = RunFolder(tmp_path / "runs" / run.run_id)
    kept.path.mkdir(parents=True)
    kept.record_end(run, "failed", "out of memory")
    write_run(tmp_path, mixers="hyena", test={(16, 2): 0.6})
    study = load_study(tmp_path)
    (row,) = [row_of(s) for s in study.segments if s.point.mixer == NAME]
    assert (row["width"], row["accuracy"], row["failed"]) == (None, None, 1)
    assert "out of memory" in write_report(study).html.read_text(encoding="utf-8")
