from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_experiment import TINY, experiment, tiny

from bestiary.errors import UserError
from bestiary.mixers.registry import MixerSpec
from bestiary.models.config import ModelConfig
from bestiary.runs import documents
from bestiary.runs.config import Experiment, RunConfig
from bestiary.runs.sweep import expand
from bestiary.training.config import TrainingConfig

names = st.text("abcdefghij_", min_size=1, max_size=10)
options = st.dictionaries(
    names.filter(lambda name: name != "name"),
    st.integers(0, 9) | st.booleans() | st.tuples(st.integers(0, 9)) | names,
    max_size=2,
)
mixers = st.builds(MixerSpec, names, options) | names
models = st.builds(
    ModelConfig,
    d_model=st.integers(1, 512),
    n_layers=st.just(2),
    mixers=st.lists(mixers, min_size=1, max_size=2).map(tuple),
    embedding_std=st.floats(0.01, 1),
    positions=st.sampled_from(["learned", "none"]),
    label=names,
)
trainings = st.builds(
    TrainingConfig,
    epochs=st.integers(1, 99),
    learning_rate=st.floats(1e-6, 1),
    stop_at=st.none() | st.floats(0.5, 1),
    dtype=st.sampled_from(["float32", "bfloat16"]),
    compile=st.booleans(),
)


@settings(max_examples=50, deadline=None)
@given(
    model=models,
    training=trainings,
    seeds=st.lists(st.integers(0, 2**40), min_size=1, max_size=3, unique=True),
    executor=st.sampled_from([{"name": "local", "workers": 2}, {"name": "ray", "address": "a:1"}]),
)
def test_an_experiment_comes_back_from_yaml_as_it_was(model, training, seeds, executor):
    data = {**TINY, "model": model, "training": training, "seeds": seeds, "executor": executor}
    given_one = Experiment.read(data, "test")
    text = documents.dump(given_one.plain())
    assert Experiment.read(documents.parse(text, "text"), "text") == given_one


def test_a_run_comes_back_from_yaml_with_its_id():
    (run,) = expand(experiment(model__mixers=[{"name": "hyena", "order": 3}]))
    text = documents.dump(run.model_dump(mode="python"))
    again = RunConfig.model_validate(documents.parse(text, "text"))
    assert again == run
    assert again.run_id == run.run_id


def test_names_stand_for_mappings_with_a_name():
    short = experiment(model__mixers="attention", executor="ray", sinks=["tensorboard"])
    assert short.model.mixers == (MixerSpec("attention"),)
    assert short.executor.name == "ray"
    assert short.sinks[0].name == "tensorboard"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model__d_modle": 3}, "unknown key 'model.d_modle'; did you mean 'd_model'? (accepted: "),
        ({"trainning": {}}, "unknown key 'trainning'; did you mean 'training'? (accepted: "),
        ({"training__lr": 1}, "unknown key 'training.lr' (accepted: allocator, batch_size, "),
        ({"sweep__gird": {}}, "unknown key 'sweep.gird'; did you mean 'grid'?"),
        ({"executor__wrokers": 1, "executor__name": "local"}, "unknown key 'executor.wrokers'"),
        ({"model__d_model": "wide"}, "model.d_model is 'wide'; it must be a valid integer"),
        ({"model__d_model": "64"}, "model.d_model is '64'; it must be a valid integer"),
        ({"model__d_model": True}, "model.d_model is True; it must be a valid integer"),
        ({"model__d_model": 0}, "model.d_model is 0; it must be at least 1"),
        ({"model__positions": "rotary"}, "is 'rotary'; it must be 'learned' or 'none'"),
        ({"training__batch_size": 0}, "training.batch_size is 0; it must be at least 1"),
        ({"training__learning_rate": "1e-3x"}, "is '1e-3x'; it must be a valid number"),
        ({"model": "attention"}, "model is 'attention'; it must be a mapping of keys to values"),
        ({"task": 5}, "task is 5; it must be a mapping of keys to values"),
        ({"seeds": []}, "seeds is empty; it must have at least one value"),
        ({"seeds": 3}, "seeds is 3; it must be a valid list"),
        ({"seeds": [-1]}, "seed -1 is negative"),
        ({"seeds": [1, 1]}, "names a seed twice"),
        ({"executor": "slurm"}, "unknown executor 'slurm' (accepted: 'local', 'ray')"),
        ({"executor": {"name": "local", "workers": 0}}, "executor.workers is 0; it must be "),
        ({"sinks": ["mlflow"]}, "sinks.0.name is 'mlflow'; it must be 'tensorboard' or 'wandb'"),
        ({"model__mixers": [3]}, "model.mixers.0: 3 is not a mixer"),
        ({"model__mixers": []}, "model: 0 mixers cannot fill 1 layers evenly"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_dotted_key(changes, sentence):
    with pytest.raises(UserError) as caught:
        Experiment.read(tiny(**changes), "my.yaml")
    assert str(caught.value).startswith("my.yaml: ")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_task_is_named():
    with pytest.raises(UserError, match=r"my\.yaml: task is missing"):
        Experiment.read({"model": {}}, "my.yaml")


def test_a_misspelt_key_is_told_before_what_it_left_missing():
    with pytest.raises(UserError, match=r"unknown key 'tsak'; did you mean 'task'.*\(and 1 more\)"):
        Experiment.read({"tsak": "mqar"}, "my.yaml")


def run_id(**changes):
    (run,) = expand(experiment(**changes))
    return run.run_id


def test_spelling_out_a_default_is_the_same_run():
    spelt = {"name": "attention", "heads": 1}
    assert run_id() == run_id(task__seed=0, model__mixers=[spelt], training__warmup=0.1)


def test_what_cannot_change_the_result_is_not_in_the_id():
    assert run_id() == run_id(training__checkpoint_every=9, training__allocator=False)


@pytest.mark.parametrize(
    "change",
    [
        {"task__seed": 1},
        {"task__train_examples": 127},
        {"model__d_model": 16},
        {"model__mixers": [{"name": "attention", "heads": 2}]},
        {"training__threads": 2},
        {"training__learning_rate": 0.0011},
        {"training__dtype": "float64"},
        {"seeds": [1]},
    ],
)
def test_what_can_change_the_result_is_in_the_id(change):
    assert run_id() != run_id(**change)


def test_a_point_is_a_run_without_its_seed_and_rate():
    runs = expand(experiment(seeds=[0, 1], sweep__grid={"training.learning_rate": [1e-3, 1e-2]}))
    assert len({run.run_id for run in runs}) == 4
    assert len({run.point for run in runs}) == 1
    (other,) = expand(experiment(model__d_model=16))
    assert other.point != runs[0].point


def test_every_field_of_model_and_training_can_be_set_in_a_config():
    plain = experiment().plain()
    assert set(plain["model"]) == {f.name for f in dataclasses.fields(ModelConfig)}
    assert set(plain["training"]) == {f.name for f in dataclasses.fields(TrainingConfig)}


def test_a_label_with_odd_characters_still_names_a_folder():
    (run,) = expand(experiment(model__label="Hyena / order 2: best?"))
    assert run.run_id.startswith("Hyena-order-2-best-")
    assert "/" not in run.run_id
