import json
import re
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import pytest
import vl_convert
from made_runs import write_run

from bestiary.report import load_study
from bestiary.report.charts import Chart, LeftOut, draw
from bestiary.report.charts.recall import LABEL_LETTERS, in_lines
from bestiary.report.charts.state import ceiling_rows
from bestiary.report.charts.style import BACKGROUND, COLOURS
from bestiary.report.charts.training import MOST_POINTS, thinned
from bestiary.report.study import Study

NAMES = ["recall", "width", "state", "gap", "rates", "training-accuracy", "training-loss"]


@pytest.fixture(scope="module")
def charts(study: Study) -> dict[str, Chart]:
    drawn = {chart.name: chart for chart in draw(study)}
    assert all(isinstance(chart, Chart) for chart in drawn.values())
    return drawn  # type: ignore[return-value]


def left_out(folder: Path) -> dict[str, str]:
    return {c.name: c.reason for c in draw(load_study(folder)) if isinstance(c, LeftOut)}


def of_kind(chart: Chart, kind: str) -> list[dict[str, Any]]:
    return [dict(row) for row in chart.rows if row["kind"] == kind]


def test_a_sweep_over_width_and_rate_fills_every_chart(charts: dict[str, Chart]) -> None:
    assert list(charts) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_valid_vega_lite_that_draws_without_a_network(
    charts: dict[str, Chart], name: str
) -> None:
    spec = charts[name].vega_lite()
    # Without the rows, which the schema would be tried on one by one.
    alt.Chart.from_dict({**spec, "datasets": {"rows": []}}, validate=True)
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    assert svg.startswith("<svg") and charts[name].title in svg
    assert "NaN" not in svg and "undefined" not in svg and "null" not in svg


def test_the_dark_theme_is_valid_and_draws_in_its_colours(charts: dict[str, Chart]) -> None:
    spec = charts["recall"].vega_lite("dark")
    alt.Chart.from_dict({**spec, "datasets": {"rows": []}}, validate=True)
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    assert all(colour in svg for colour in (BACKGROUND["dark"], *COLOURS["dark"][:2]))
    assert not any(colour in svg for colour in (BACKGROUND["light"], *COLOURS["light"][:2]))


def test_recall_shows_means_seeds_and_chance_of_the_runs(
    charts: dict[str, Chart], study: Study
) -> None:
    means, seeds = of_kind(charts["recall"], "mean"), of_kind(charts["recall"], "seed")
    assert len(means) == 8 and len(seeds) == 24
    for row in means:
        own = [
            s["accuracy"] for s in seeds if (s["panel"], s["name"]) == (row["panel"], row["name"])
        ]
        assert row["accuracy"] == pytest.approx(np.mean(own)) and len(own) == 3
        assert row["low"] <= row["accuracy"] <= row["high"]
        assert row["chance"] == pytest.approx(1 / row["pairs"])
    stored = study.results.filter(split="test", slice="segment")["accuracy"].to_list()
    assert all(row["accuracy"] in stored for row in seeds)


def test_width_has_a_panel_a_segment_and_a_mark_a_width(charts: dict[str, Chart]) -> None:
    rows = charts["width"].rows
    found = {(row["panel"], row["mixer"], row["d_model"]) for row in rows}
    panels = ("length 8, 1 pair", "length 16, 2 pairs")
    assert found == {(p, m, d) for p in panels for m in ("attention", "base_conv") for d in (4, 8)}


def test_the_ceiling_is_that_of_information_theory(study: Study) -> None:
    """2 answers out of 8 values need 6 bits; below 1/8 nothing need be stored."""
    result = next(r for r in study.segments if r.pairs == 2)
    rows = ceiling_rows(result, choices=8, smallest=1, largest=1)
    assert {row["bits"] for row in rows} == {
        "ceiling, 32 bits an element",
        "ceiling, 1 bit an element",
    }
    rising = 0
    for row in rows:
        bits = row["state_size"] * (32 if "32" in row["bits"] else 1)
        if bits > 6.001:
            assert row["accuracy"] == 1
        elif bits < 5.999:
            rising += 1
            a = row["accuracy"]
            entropy = -(a * np.log2(a) + (1 - a) * np.log2(1 - a))
            needed = 2 * (3 - entropy - (1 - a) * np.log2(7))
            assert needed == pytest.approx(bits, rel=0.01)
            assert 1 / 8 <= a < 1
    assert rising > 20


def test_the_ceiling_begins_at_the_smallest_state_and_spans_what_was_measured(
    charts: dict[str, Chart],
) -> None:
    measured = [row["state_size"] for row in of_kind(charts["state"], "mean")]
    drawn = [row["state_size"] for row in of_kind(charts["state"], "ceiling")]
    assert min(drawn) == min(measured) >= 1 and max(drawn) >= max(measured)


def test_a_single_size_of_state_has_an_axis_of_some_length(tmp_path: Path) -> None:
    write_run(tmp_path, state_size=4096)
    (chart,) = [c for c in draw(load_study(tmp_path)) if isinstance(c, Chart) if c.name == "state"]
    drawn = [row["state_size"] for row in of_kind(chart, "ceiling")]
    assert (min(drawn), max(drawn)) == (2048, 8192)


def test_marks_of_one_state_size_that_would_hide_one_another_stand_side_by_side(
    tmp_path: Path,
) -> None:
    for mixer, accuracy in (("attention", 1.0), ("based", 0.99), ("hyena", 0.5)):
        write_run(tmp_path, mixers=mixer, test=accuracy, state_size=100)
    write_run(tmp_path, mixers="h3", state_size=400)
    (chart,) = [c for c in draw(load_study(tmp_path)) if isinstance(c, Chart) if c.name == "state"]
    place = {row["mixer"]: row["place"] for row in of_kind(chart, "mean")}
    assert (place["hyena"], place["h3"]) == (100, 400)
    # Evenly to both sides on a logarithm, by more of the axis' 300 pixels than half a mark's 10.
    low, high = sorted((place["attention"], place["based"]))
    assert low * high == pytest.approx(100**2)
    sizes = [row["state_size"] for row in chart.rows]
    assert np.log(high / low) / np.log(max(sizes) / min(sizes)) > 5 / 300
    assert "stand side by side" in chart.caption


def test_marks_that_hide_none_stand_at_their_state_size(tmp_path: Path) -> None:
    write_run(tmp_path, state_size=100)
    write_run(tmp_path, mixers="based", state_size=300)
    (chart,) = [c for c in draw(load_study(tmp_path)) if isinstance(c, Chart) if c.name == "state"]
    assert [row["place"] for row in of_kind(chart, "mean")] == [100, 300]
    assert "side by side" not in chart.caption


def test_guessing_is_named_and_of_no_ceilings_dashes_beside_state_sizes(
    charts: dict[str, Chart],
) -> None:
    layers = charts["state"].spec["spec"]["layer"]
    marks = [layer["mark"] for layer in layers]
    (line,) = [m for m in marks if m["type"] == "rule" and "strokeDash" in m]
    (dashes,) = [
        layer["encoding"]["strokeDash"]["scale"]["range"]
        for layer in layers
        if "strokeDash" in layer["encoding"]
    ]
    assert line["strokeCap"] == "round" and line["strokeDash"][0] < 1 < min(dashes[1])
    assert any(m["type"] == "text" and m["text"] == "guessing" for m in marks)
    assert "The dotted line is guessing" in charts["state"].caption
    assert "dashed line is guessing" not in charts["state"].caption


def test_equal_accuracies_at_a_gap_stand_side_by_side(tmp_path: Path) -> None:
    mixers = ("attention", "based", "hyena")
    for mixer in mixers:
        write_run(tmp_path, mixers=mixer, gaps={(4, 7): 1.0, (8, 15): 1.0})
    (chart,) = [c for c in draw(load_study(tmp_path)) if isinstance(c, Chart) if c.name == "gap"]
    low, high = (
        [row["place"] for row in chart.rows if row["bin"] == text] for text in ("4 to 7", "8 to 15")
    )
    # An eighth of an octave apart, the middle mixer in the middle of the bin.
    assert np.diff(np.log2(low)) == pytest.approx([0.12, 0.12])
    assert low[1] == pytest.approx(28**0.5)
    assert max(low) < min(high)


def test_an_accuracy_is_written_where_there_is_more_room_beside_its_interval(
    tmp_path: Path,
) -> None:
    for seed, accuracy in enumerate((0.26, 0.38, 0.45)):
        write_run(tmp_path, mixers="hyena", seed=seed, test=accuracy)
        write_run(tmp_path, mixers="based", seed=seed, test=0.9)
    (chart,) = [c for c in draw(load_study(tmp_path)) if isinstance(c, Chart) if c.name == "recall"]
    svg = vl_convert.vegalite_to_svg(chart.vega_lite(), allowed_base_urls=[])
    aligned = dict(re.findall(r'text-anchor="(\w+)"[^>]*>(0\.363|0\.900)<', svg))
    assert aligned == {"start": "0.363", "end": "0.900"}


def test_gap_rows_are_means_over_seeds_of_the_bins(charts: dict[str, Chart], study: Study) -> None:
    rows = charts["gap"].rows
    stored = study.results.filter(split="test", slice="gap")
    for row in rows:
        low, _, high = row["bin"].partition(" to ")
        runs = [
            r["run_id"] for p in study.points if p.number == row["point"] for r in p.chosen.runs
        ]
        own = stored.filter(
            pl.col("run_id").is_in(runs), gap_low=int(low), gap_high=int(high or low)
        )
        assert row["accuracy"] == pytest.approx(own["accuracy"].mean())
        assert int(low) <= row["gap"] <= int(high or low)
    assert len(rows) == 4 * stored["gap_low"].n_unique()


def test_rates_have_every_rate_the_best_and_the_window(charts: dict[str, Chart]) -> None:
    rows, best = of_kind(charts["rates"], "rate"), of_kind(charts["rates"], "best")
    windows = of_kind(charts["rates"], "window")
    assert len(rows) == 4 and len(best) == len(windows) == 2  # attention alone was swept
    for top, window in zip(best, windows, strict=True):
        own = [row for row in rows if row["d_model"] == top["d_model"]]
        assert top["accuracy"] == max(row["accuracy"] for row in own)
        inside = [r for r in own if window["learning_rate"] <= r["learning_rate"] <= window["to"]]
        assert all(row["accuracy"] >= 0.9 * top["accuracy"] - 1e-12 for row in inside)
        assert window["accuracy"] == pytest.approx(0.9 * top["accuracy"])


@pytest.mark.parametrize("measure", ["accuracy", "loss"])
def test_training_curves_are_the_validation_history(
    charts: dict[str, Chart], study: Study, measure: str
) -> None:
    rows = charts[f"training-{measure}"].rows
    stored = {
        (run_id, step): value
        for run_id, step, value in study.history.filter(split="validation")
        .select("run_id", "step", measure)
        .iter_rows()
    }
    assert len({row["run"] for row in rows}) == 12
    for row in rows:
        (run,) = [
            r["run_id"] for r in study.points[row["point"]].chosen.runs if r["seed"] == row["seed"]
        ]
        assert row[measure] == pytest.approx(stored[run, row["step"]], rel=1e-4, abs=1e-9)


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    curve = [(step, step / 1000) for step in range(1000)]
    kept = thinned(curve)
    assert len(kept) == MOST_POINTS
    assert (kept[0], kept[-1]) == (curve[0], curve[-1])
    assert thinned(curve[:5]) == curve[:5]


def test_rows_are_plain_json(charts: dict[str, Chart]) -> None:
    for chart in charts.values():
        json.dumps({"spec": chart.spec, "rows": list(chart.rows)}, allow_nan=False)


def test_one_run_leaves_out_what_it_cannot_fill_and_says_why(tmp_path: Path) -> None:
    write_run(tmp_path)
    reasons = left_out(tmp_path)
    assert reasons == {
        "width": "every trained run that finished has width 16; sweep model.d_model to draw it",
        "gap": "no finished run has results by gap",
        "rates": (
            "every mixer was run at one learning rate; sweep training.learning_rate to draw it"
        ),
    }


def test_a_long_label_is_broken_after_commas_and_never_cut() -> None:
    assert in_lines("attention, width 16") == ["attention, width 16"]
    label = "compiled:lookup,slots=2,bits=null, width 20"
    assert in_lines(label) == ["compiled:lookup,slots=2,", "bits=null, width 20"]
    unbroken = "compiled:" + "Name" * 12
    assert "".join(in_lines(unbroken)) == unbroken
    assert max(map(len, in_lines(unbroken))) <= LABEL_LETTERS


def test_a_long_label_stands_whole_in_the_picture(tmp_path: Path) -> None:
    write_run(tmp_path, label="mine,of=" + "m" * 20 + ",and=" + "w" * 20)
    (chart,) = [c for c in draw(load_study(tmp_path)) if c.name == "recall"]
    assert isinstance(chart, Chart)
    svg = vl_convert.vegalite_to_svg(chart.vega_lite(), allowed_base_urls=[])
    assert "w" * 20 in svg and "m" * 20 in svg and "…" not in svg


def test_no_finished_run_leaves_out_every_result(tmp_path: Path) -> None:
    write_run(tmp_path, status="failed", reason="out of memory")
    reasons = left_out(tmp_path)
    assert set(reasons) == set(NAMES)
    assert reasons["recall"] == "no run has finished yet"


def test_diverged_runs_keep_their_training_curve(tmp_path: Path) -> None:
    write_run(tmp_path, status="diverged")
    drawn = {c.name: c for c in draw(load_study(tmp_path)) if isinstance(c, Chart)}
    assert {row["status"] for row in drawn["training-loss"].rows} == {"diverged"}


def test_a_single_gap_is_no_chart_and_two_are(tmp_path: Path) -> None:
    write_run(tmp_path, gaps={(4, 7): 0.5})
    assert left_out(tmp_path)["gap"] == "every query has the same gap"
    write_run(tmp_path, seed=1, gaps={(4, 7): 0.5, (8, 15): 0.4})
    assert "gap" not in left_out(tmp_path)


def test_mixers_keep_their_colour_whatever_a_chart_leaves_out(tmp_path: Path) -> None:
    write_run(tmp_path, mixers="hyena", status="failed")
    write_run(tmp_path, mixers="attention")
    study = load_study(tmp_path)
    for chart in draw(study):
        if isinstance(chart, Chart):
            assert f'"domain": {json.dumps(study.mixers)}' in json.dumps(chart.spec)
