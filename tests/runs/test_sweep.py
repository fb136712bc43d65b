from __future__ import annotations

import importlib
import itertools
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_experiment import experiment

from bestiary.errors import UserError
from bestiary.runs.sweep import expand, set_dotted, variant_name


@settings(max_examples=25, deadline=None)
@given(
    widths=st.lists(st.sampled_from([4, 8, 12, 16]), min_size=1, max_size=3, unique=True),
    rates=st.lists(st.sampled_from([1e-3, 1e-2]), min_size=1, max_size=2, unique=True),
    models=st.lists(st.sampled_from(["attention", "short_conv"]), max_size=2, unique=True),
    seeds=st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True),
)
def test_a_sweep_is_the_product_of_its_axes_each_point_once(widths, rates, models, seeds):
    grid = {"model.d_model": widths, "training.learning_rate": rates}
    runs = expand(experiment(sweep__grid=grid, sweep__models=models, seeds=seeds))
    found = [(r.model.name, r.model.d_model, r.training.learning_rate, r.seed) for r in runs]
    assert found == list(itertools.product(models or ["attention"], widths, rates, seeds))
    assert len({run.run_id for run in runs}) == len(runs)


def test_points_that_are_the_same_run_are_run_once():
    assert len(expand(experiment(sweep__grid={"model.d_model": [8, 8, 16]}))) == 2
    assert len(expand(experiment(sweep__models=["attention", {"mixers": ["attention"]}]))) == 1


def test_models_differ_in_any_field_and_have_grids_of_their_own():
    models = [
        {"label": "wide", "mixers": ["attention"], "d_model": 16},
        {"mixers": ["based"], "grid": {"model.mixers.0.feature_dim": [2, 4]}},
    ]
    runs = expand(experiment(sweep__models=models))
    assert [run.model.name for run in runs] == ["wide", "based", "based"]
    assert [run.model.d_model for run in runs] == [16, 8, 8]
    assert [run.model.mixers[0].options for run in runs[1:]] == [
        {"feature_dim": 2},
        {"feature_dim": 4},
    ]


def test_cases_set_fields_that_go_together():
    cases = [
        {"task.segments": [{"length": 16, "pairs": 2}], "training.batch_size": 32},
        {"task.segments": [{"length": 32, "pairs": 4}], "training.batch_size": 16},
    ]
    runs = expand(experiment(sweep__cases=cases, sweep__grid={"model.d_model": [4, 8]}))
    found = [(r.task["segments"][0]["length"], r.training.batch_size) for r in runs]
    assert found == [(16, 32), (16, 32), (32, 16), (32, 16)]


def test_a_tuning_gives_each_model_its_rate_unless_rates_are_swept():
    models = ["attention", "short_conv"]
    rates = {"attention": 0.5}
    tuned = expand(experiment(sweep__models=models), rates)
    assert [run.training.learning_rate for run in tuned] == [0.5, 0.001]
    swept = experiment(sweep__models=models, sweep__grid={"training.learning_rate": [0.25]})
    assert [run.training.learning_rate for run in expand(swept, rates)] == [0.25, 0.25]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sweep__grid": {"modle.d_model": [1]}}, "sweep.grid cannot vary 'modle.d_model'; did"),
        ({"sweep__cases": [{"seeds": [1]}]}, "sweep.cases.0 cannot vary 'seeds'"),
        ({"sweep__grid": {"model.d_model": []}}, "model.d_model is []; it must be a list of one"),
        ({"sweep__grid": {"model.d_modle": [1]}}, "model.d_modle=1: unknown key 'model.d_modle'"),
        ({"sweep__grid": {"model.d_model": ["x"]}}, "model.d_model is 'x'; it must be a valid"),
        ({"sweep__models": ["hyna"]}, "unknown mixer 'hyna'; did you mean 'hyena'?"),
        ({"sweep__models": [{"mixer": ["hyena"]}]}, "unknown key 'sweep.models.0.mixer'; did you"),
        ({"task__vocab_size": 2}, "task.vocab_size is 2; it must be at least 4"),
        ({"task__vocab": 2}, "has no option 'vocab'; did you mean 'vocab_size'?"),
        ({"task__name": "mqr"}, "unknown task 'mqr'; did you mean 'mqar'?"),
        ({"sweep__grid": {"model.mixers.3.heads": [1]}}, "'model.mixers.3' is not in the list"),
    ],
)
def test_what_cannot_be_swept_is_refused_in_one_sentence(changes, sentence):
    with pytest.raises(UserError) as caught:
        expand(experiment(**changes))
    assert sentence in str(caught.value)


def test_dotted_keys_reach_into_lists_and_make_what_is_missing():
    data = {"model": {"mixers": ["hyena", {"name": "based"}]}}
    set_dotted(data, "model.mixers.0.order", 3)
    set_dotted(data, "model.mixers.1.window", 4)
    set_dotted(data, "training.epochs", 2)
    assert data == {
        "model": {"mixers": [{"name": "hyena", "order": 3}, {"name": "based", "window": 4}]},
        "training": {"epochs": 2},
    }
    with pytest.raises(UserError, match=r"cannot set 'training\.epochs\.x': training\.epochs is 2"):
        set_dotted(data, "training.epochs.x", 1)
    with pytest.raises(UserError, match="is not a dotted key"):
        set_dotted(data, "model..x", 1)


def test_variants_are_named_as_tables_name_them():
    assert variant_name("hyena") == "hyena"
    assert variant_name({"mixers": ["short_conv", "attention"]}) == "short_conv+attention"
    assert variant_name({"label": "mine", "mixers": ["hyena"]}) == "mine"
    assert variant_name("package.module:Mixer") == "Mixer"


def test_classes_of_one_name_from_two_modules_are_told_apart(monkeypatch, request):
    monkeypatch.syspath_prepend(str(request.path.parent))
    monkeypatch.setitem(sys.modules, "more_mixers", importlib.import_module("odd_mixers"))
    models = ["odd_mixers:Slow", "more_mixers:Slow", "odd_mixers:Crashing"]
    runs = expand(experiment(sweep__models=models), rates={"more_mixers:Slow": 0.25, "Slow": 0.5})
    assert [run.model.name for run in runs] == ["odd_mixers:Slow", "more_mixers:Slow", "Crashing"]
    assert [run.training.learning_rate for run in runs] == [1e-3, 0.25, 1e-3]
    assert runs[0].run_id.startswith("odd_mixers-Slow-")
    # The same class at two widths is one mixer.
    models = ["odd_mixers:Slow", {"mixers": ["odd_mixers:Slow"], "d_model": 4}]
    assert {run.model.name for run in expand(experiment(sweep__models=models))} == {"Slow"}
