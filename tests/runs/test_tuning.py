from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_experiment import experiment

from bestiary.errors import UserError
from bestiary.runs import documents
from bestiary.runs.tuning import (
    Point,
    Tuning,
    cautions,
    over_rates,
    parse_rates,
    rate_text,
    read_tuning,
    tune,
    tune_from_runs,
)

RATES = (1e-4, 1e-3, 1e-2, 1e-1)


def points(*means: float | None, seeds: int = 2) -> list[Point]:
    """One accuracy a rate, the seeds 0.01 apart around it."""
    spread = [0.01 * (seed - (seeds - 1) / 2) for seed in range(seeds)]
    return [
        Point(rate=rate, seed=seed, validation_accuracy=mean + off, status="finished")
        for rate, mean in zip(RATES, means, strict=False)
        if mean is not None
        for seed, off in enumerate(spread)
    ]


def test_the_rate_with_the_best_mean_over_seeds_is_chosen():
    # The single best run is at 1e-3, the best mean at 1e-2.
    lucky = [
        Point(rate=1e-3, seed=0, validation_accuracy=0.99, status="finished"),
        Point(rate=1e-3, seed=1, validation_accuracy=0.11, status="finished"),
        Point(rate=1e-2, seed=0, validation_accuracy=0.70, status="finished"),
        Point(rate=1e-2, seed=1, validation_accuracy=0.72, status="finished"),
    ]
    tuned = tune(lucky)
    assert tuned.rate == 1e-2
    assert tuned.validation_accuracy == pytest.approx(0.71)
    assert tuned.points == lucky


def test_the_window_is_the_unbroken_run_of_rates_at_nine_tenths_of_the_best():
    tuned = tune(points(0.95, 0.5, 1.0, 0.91))
    # 1e-4 reaches 0.9 too, but 1e-3 between them does not.
    assert (tuned.window.low, tuned.window.high) == (1e-2, 1e-1)
    assert tuned.window.decades == pytest.approx(1.0)
    assert (tuned.window.open_low, tuned.window.open_high) == (False, True)
    assert tuned.window.text == "1e-2 to 1e-1"
    assert tune(points(0.2, 1.0, 0.3)).window.text == "1e-3 alone"


def test_of_equals_the_lower_rate_is_chosen():
    assert tune(points(0.5, 0.8, 0.8, 0.2)).rate == 1e-3


def test_a_diverged_run_counts_as_nothing_recalled_and_a_failed_one_has_no_say():
    kept = points(None, 0.6)
    diverged = Point(rate=1e-2, seed=0, validation_accuracy=0.0, status="diverged")
    good = Point(rate=1e-2, seed=1, validation_accuracy=1.0, status="finished")
    failed = Point(rate=1e-2, seed=2, validation_accuracy=None, status="failed")
    assert tune([*kept, diverged, good, failed]).rate == 1e-3
    assert tune([*kept, good, failed]).rate == 1e-2
    with pytest.raises(UserError, match="no rate can be chosen"):
        tune([failed])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_the_window_holds_the_best_rate_and_only_rates_that_reach_it(means):
    tuned = tune(points(*means, seeds=1))
    by_rate = dict(zip(RATES, means, strict=False))
    assert by_rate[tuned.rate] == max(means)
    inside = [rate for rate in by_rate if tuned.window.low <= rate <= tuned.window.high]
    assert tuned.rate in inside
    assert all(by_rate[rate] >= 0.9 * max(means) for rate in inside)
    assert tuned.window.decades == pytest.approx(
        math.log10(tuned.window.high) - math.log10(tuned.window.low)
    )


def test_a_tuning_file_comes_back_as_it_was_and_gives_rates_by_model(tmp_path):
    rows = [
        {
            "label": label,
            "learning_rate": rate,
            "seed": 0,
            "status": status,
            "validation_accuracy": accuracy,
        }
        for label, rate, status, accuracy in [
            ("attention", 1e-2, "finished", 0.9),
            ("attention", 1e-3, "finished", 0.8),
            ("hyena", 1e-2, "diverged", 0.7),
            ("hyena", 1e-3, "finished", 0.2),
        ]
    ]
    tuning = tune_from_runs(rows, "bestiary tune x.yaml", experiment().plain())
    assert tuning.rates() == {"attention": 1e-2, "hyena": 1e-3}
    assert [point.rate for point in tuning.models["attention"].points] == [1e-3, 1e-2]
    documents.write(tmp_path / "tuning.yaml", tuning.plain())
    assert read_tuning(tmp_path / "tuning.yaml") == tuning


def test_models_of_an_earlier_search_are_kept_with_its_command():
    made = {name: tune(points(*means)) for name, means in (("a", (0.5, 0.9)), ("b", (0.8, 0.3)))}
    first = Tuning(command="bestiary tune -m a", experiment={}, models={"a": made["a"]})
    second = Tuning(command="bestiary tune -m b", experiment={}, models={"b": made["b"]})
    both = second.added_to(first)
    assert both.rates() == {"a": 1e-3, "b": 1e-4}
    assert both.command == "bestiary tune -m a && bestiary tune -m b"
    # The same search once more adds nothing; the newer word on a model counts.
    assert second.added_to(both) == both
    again = Tuning(command="bestiary tune -m a", experiment={}, models={"a": made["b"]})
    assert again.added_to(first).rates() == {"a": 1e-4}


def test_a_best_rate_at_the_end_of_the_grid_and_one_that_only_guesses_are_cautioned():
    models = {
        "low": tune(points(0.9, 0.5, 0.1)),
        "mid": tune(points(0.5, 0.9, 0.1)),
        "high": tune(points(0.1, 0.5, 0.9)),
        "guess": tune(points(0.2, 0.5, 0.54)),
        "only": tune(points(0.9)),
    }
    tuning = Tuning(command="x", experiment={}, models=models)
    rows = [{"label": name, "chance": chance} for name in models for chance in (0.5, None)]
    low, high, guess = cautions(tuning, rows)
    assert low.startswith("1e-4 is the lowest rate tried for low: a lower one")
    assert high.startswith("1e-2 is the highest rate tried for high: a higher one")
    assert guess.startswith("guess has 0.540 at its best rate, where guessing has 0.500")


@pytest.mark.parametrize(
    ("rate", "text"), [(0.003, "3e-3"), (0.01, "1e-2"), (0.00025, "2.5e-4"), (1.0, "1e0")]
)
def test_rates_are_written_as_people_do(rate, text):
    assert rate_text(rate) == text
    assert float(text) == rate


def test_a_file_that_is_no_tuning_is_refused(tmp_path):
    (tmp_path / "t.yaml").write_text("modles: {}\n")
    with pytest.raises(UserError, match="unknown key 'modles'; did you mean 'models'"):
        read_tuning(tmp_path / "t.yaml")
    with pytest.raises(UserError, match="command is missing"):
        Tuning.read({"models": {}, "experiment": {}}, "here")


def test_a_tuning_run_sweeps_the_rate_under_a_name_of_its_own():
    tuned = over_rates(experiment(tuning="old.yaml"), [1e-3, 1e-2])
    assert tuned.name == "tiny-tuning"
    assert tuned.tuning is None
    assert tuned.sweep.grid == {"training.learning_rate": [1e-3, 1e-2]}


def test_rates_are_numbers_above_zero_each_once_in_order():
    assert parse_rates("1e-2,1e-3,0.01") == [1e-3, 1e-2]
    for wrong in ("a", "1e-3,", "0", "-1", "inf", "nan"):
        with pytest.raises(UserError, match=r"--rates is"):
            parse_rates(wrong)
