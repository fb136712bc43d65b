from pathlib import Path

import pytest
from made_runs import write_run

from bestiary.models.config import ModelConfig
from bestiary.report import load_study, verdict
from bestiary.runs import documents
from bestiary.runs.config import RunConfig
from bestiary.runs.job import Job
from bestiary.runs.tuning import Point, Tuning, tune
from bestiary.runs.worker import execute
from bestiary.training.config import TrainingConfig


def said(folder: Path, kind: str) -> list[str]:
    return [line.text for line in verdict(load_study(folder)) if line.kind == kind]


def seeds(folder: Path, values: tuple[float, ...], **fields: object) -> list[RunConfig]:
    segment = fields.pop("segment", (32, 4))
    return [
        write_run(folder, seed=seed, test={segment: value}, **fields)  # type: ignore[arg-type, dict-item]
        for seed, value in enumerate(values)
    ]


def test_the_headline_names_who_recalls_and_who_does_not(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.98, 1.0), mixers="attention")
    seeds(tmp_path, (0.97, 0.96, 0.99), mixers="based")
    seeds(tmp_path, (0.4, 0.3, 0.5), mixers="hyena")
    assert said(tmp_path, "headline") == [
        "At width 16, length 32, 4 pairs: attention and based recall; hyena does not."
    ]


def test_the_headline_of_a_sweep_sorts_mixers_by_how_far_they_get(tmp_path: Path) -> None:
    for width in (16, 64):
        seeds(tmp_path, (0.99, 0.99, 1.0), mixers="attention", width=width)
        seeds(tmp_path, (0.99 if width == 64 else 0.4,) * 3, mixers="based", width=width)
        seeds(tmp_path, (0.3,) * 3, mixers="hyena", width=width)
    assert said(tmp_path, "headline") == [
        "attention recalls in every setting; based recalls in some settings; hyena recalls in none."
    ]


def test_a_width_under_the_length_explains_a_gated_convolution(tmp_path: Path) -> None:
    seeds(tmp_path, (0.4, 0.5, 0.45), mixers="base_conv", width=16)
    (text,) = said(tmp_path, "bad")
    assert text.startswith("base_conv recalls in part: 0.450 (0.326–0.574) over 3 seeds")
    assert "guessing among the pairs drawn has 0.250" in text
    assert "The width 16 is under the length 32" in text and "arXiv 2312.04927" in text


def test_a_width_of_the_length_explains_nothing(tmp_path: Path) -> None:
    seeds(tmp_path, (0.4, 0.5, 0.45), mixers="base_conv", width=32)
    (text,) = said(tmp_path, "bad")
    assert "is under the length" not in text
    assert "not under the length there, so look at rate and steps first" in text


def test_below_guessing_no_reason_is_given(tmp_path: Path) -> None:
    seeds(tmp_path, (0.1, 0.05, 0.12), mixers="base_conv", width=16)
    (text,) = said(tmp_path, "bad")
    assert "It is below guessing" in text and "train longer or tune" in text
    assert "is under the length" not in text


def test_linear_attention_that_recalls_in_part_is_told_of_its_state(tmp_path: Path) -> None:
    seeds(tmp_path, (0.7, 0.8, 0.75), mixers="based")
    (text,) = said(tmp_path, "bad")
    assert "recalls more with a larger state (arXiv 2402.18668)" in text


def test_a_hybrid_with_attention_is_no_gated_convolution(tmp_path: Path) -> None:
    seeds(tmp_path, (0.4, 0.5, 0.45), mixers=["short_conv", "attention"])
    (text,) = said(tmp_path, "bad")
    assert "under the length" not in text
    assert "look at its training: rate, steps, initialisation" in text


def test_attention_below_the_line_is_blamed_on_its_training(tmp_path: Path) -> None:
    seeds(tmp_path, (0.26, 0.25, 0.27), mixers="attention")
    (text,) = said(tmp_path, "bad")
    assert text.startswith("attention does not recall: 0.260")
    assert "look at its training" in text


def test_a_state_with_too_few_bits_is_named_with_its_ceiling(tmp_path: Path) -> None:
    # 4 out of 16 values need 4 * log2(16) = 16 bits: one element of 32 holds them, none does not.
    for elements, explained in ((1, False), (0, True)):
        folder = tmp_path / str(elements)
        seeds(folder, (0.1,) * 3, mixers="based", state_size=elements)
        assert any("state is too small" in text for text in said(folder, "bad")) is explained


def test_seeds_that_disagree_are_said_to(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.3, 0.98), mixers="attention")
    (text,) = said(tmp_path, "bad")
    assert "attention depends on the seed: 2 of 3 reach 0.95" in text


def test_an_interval_that_holds_guessing_is_not_called_recall_in_part(tmp_path: Path) -> None:
    # t with 2 degrees: 0.366 ± 4.303 * 0.095 / sqrt(3), from 0.13, and 1/4 is inside.
    seeds(tmp_path, (0.27, 0.46, 0.368), mixers="hyena")
    (text,) = said(tmp_path, "bad")
    assert text.startswith(
        "hyena may be guessing: 0.366 (0.130–0.602) over 3 seeds, and guessing among the pairs "
        "drawn, 0.250, lies inside."
    )


def test_an_interval_below_guessing_is_no_recall_in_part_for_one_seed_above(tmp_path: Path) -> None:
    # One seed in twelve is above guessing and the mean is far below: 0.027 ± 0.059.
    seeds(tmp_path, (0.31, *(0.001,) * 11), mixers="hyena")
    (text,) = said(tmp_path, "bad")
    assert text.startswith("hyena does not recall: 0.027 (0.000–0.083)")


def test_overlapping_intervals_are_said_not_to_separate(tmp_path: Path) -> None:
    seeds(tmp_path, (0.96, 0.97, 1.0), mixers="attention")
    seeds(tmp_path, (0.9, 0.99, 0.98), mixers="hyena")
    texts = said(tmp_path, "caution")
    assert any("The seeds do not separate hyena from attention" in text for text in texts)


def test_intervals_apart_are_not_said_to_overlap(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.99, 1.0), mixers="attention")
    seeds(tmp_path, (0.4, 0.41, 0.42), mixers="hyena")
    assert not any("separate" in text for text in said(tmp_path, "caution"))


@pytest.mark.parametrize(
    ("value", "text"), [(0.99, "too easy to tell them apart"), (0.25, "No mixer is above guessing")]
)
def test_mixers_that_are_all_alike_are_said_to_be(tmp_path: Path, value: float, text: str) -> None:
    for mixer in ("attention", "hyena"):
        seeds(tmp_path, (value,) * 3, mixers=mixer)
    assert any(text in line for line in said(tmp_path, "caution"))


def test_no_reason_is_given_to_any_mixer_where_none_is_above_guessing(tmp_path: Path) -> None:
    for mixer in ("attention", "base_conv", "based"):
        seeds(tmp_path, (0.26, 0.25, 0.27), mixers=mixer)
    for text in said(tmp_path, "bad"):
        assert text.endswith("where guessing among the pairs drawn has 0.250.")
    assert "No mixer is above guessing, so nothing is said about any: train longer or tune." in (
        said(tmp_path, "caution")
    )


def test_a_state_too_small_is_said_even_where_no_mixer_is_above_guessing(tmp_path: Path) -> None:
    seeds(tmp_path, (0.2,) * 3, mixers="based", state_size=0)
    seeds(tmp_path, (0.2,) * 3, mixers="hyena", state_size=0)
    assert all("state is too small" in text for text in said(tmp_path, "bad"))
    assert not any("above guessing" in text for text in said(tmp_path, "caution"))
    seeds(tmp_path, (0.2,) * 3, mixers="attention")
    assert any("No mixer with state enough is above" in t for t in said(tmp_path, "caution"))


def test_lost_runs_are_counted_and_their_mixers_named(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.99, 0.99), mixers="attention")
    write_run(tmp_path, mixers="hyena", seed=0, status="diverged")
    write_run(tmp_path, mixers="h3", seed=0, status="failed")
    assert said(tmp_path, "caution")[0] == (
        "Of 5 runs 1 diverged (hyena) and 1 failed (h3); means are over the finished ones."
    )


def test_a_training_that_really_diverges_is_named_and_has_no_accuracy(tmp_path: Path) -> None:
    task = {
        "name": "mqar", "vocab_size": 16, "segments": [{"length": 8, "pairs": 1}],
        "train_examples": 64, "validation_examples": 16, "test_examples": 16,
    }  # fmt: skip
    run = RunConfig(
        task=task,
        model=ModelConfig(d_model=4, n_layers=1),
        training=TrainingConfig(epochs=2, batch_size=16, learning_rate=1e30),
        seed=0,
    )
    status = execute(Job(run, tmp_path / "runs" / run.run_id))
    assert status is not None and status.status == "diverged"
    assert said(tmp_path, "headline") == ["No run has finished yet, so nothing is known."]
    assert said(tmp_path, "caution")[0].startswith("Of 1 run 1 diverged (attention)")


def test_fewer_than_three_seeds_are_a_sketch(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.99), mixers="attention")
    assert "Fewer than 3 finished seeds for attention: a sketch, not a result." in said(
        tmp_path, "caution"
    )


def test_a_single_rate_is_said_to_be_untuned(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.99, 0.99))
    assert any("attention was not tuned" in text for text in said(tmp_path, "caution"))


def test_a_rate_from_a_tuning_file_is_tuned(tmp_path: Path) -> None:
    seeds(tmp_path, (0.99, 0.99, 0.99))
    trials = [
        Point(rate=rate, seed=0, validation_accuracy=score, status="finished")
        for rate, score in ((1e-4, 0.3), (1e-3, 0.9), (1e-2, 0.2))
    ]
    tuning = Tuning(command="bestiary tune", experiment={}, models={"attention": tune(trials)})
    documents.write(tmp_path / "tuning.yaml", tuning.plain())
    texts = said(tmp_path, "caution")
    assert not any("not tuned" in text or "lowest or highest" in text for text in texts)


def test_a_best_rate_at_the_end_of_the_grid_is_named(tmp_path: Path) -> None:
    for rate, score in ((1e-3, 0.2), (1e-2, 0.9)):
        for seed in range(3):
            write_run(tmp_path, rate=rate, seed=seed, validation=score)
    assert any(
        "lowest or highest tried for attention at width 16 (1e-2)" in text
        for text in said(tmp_path, "caution")
    )


def test_test_examples_seen_in_training_are_reported(tmp_path: Path) -> None:
    """D5: small vocabularies make duplicates certain."""
    write_run(tmp_path, duplicates=30)
    assert any(
        text.startswith("15.0% of the test examples of length 32 with 4 pairs are also in")
        for text in said(tmp_path, "caution")
    )


def test_nothing_is_said_before_a_run_has_finished(tmp_path: Path) -> None:
    write_run(tmp_path, status="interrupted")
    assert said(tmp_path, "headline") == ["No run has finished yet, so nothing is known."]
    assert said(tmp_path, "good") == said(tmp_path, "bad") == []
