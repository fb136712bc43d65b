"""Runs with numbers of a test's choice, written by the store's own functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bestiary.models.config import ModelConfig
from bestiary.runs import documents
from bestiary.runs.config import RunConfig
from bestiary.runs.run_folder import RunFolder, RunStatus
from bestiary.training.config import TrainingConfig

Segment = tuple[int, int]
ENVIRONMENT = {"versions": {"python": "3.11"}, "host": {"cores": 2}, "seed": 0, "threads": 1}


def write_run(
    folder: Path,
    *,
    mixers: str | Sequence[str] = "attention",
    label: str = "",
    width: int = 16,
    rate: float = 1e-3,
    seed: int = 0,
    test: Mapping[Segment, float] | float = 1.0,
    validation: float | None = None,
    status: str = "finished",
    reason: str | None = None,
    gaps: Mapping[tuple[int, int], float] | None = None,
    vocab_size: int = 32,
    state_size: int = 1000,
    duplicates: int = 0,
    summary: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
) -> RunConfig:
    """Write one run; ``test`` is its accuracy, at every segment or by segment.

    A run that did not finish has neither results nor, if it failed, a summary.
    """
    accuracies = {(32, 4): test} if isinstance(test, float) else dict(test)
    segments = [{"length": length, "pairs": pairs} for length, pairs in accuracies]
    listed = (mixers,) if isinstance(mixers, str) else tuple(mixers)
    run = RunConfig(
        task={"name": "mqar", "vocab_size": vocab_size, "segments": segments},
        model=ModelConfig(d_model=width, label=label, mixers=listed, **(model or {})),
        training=TrainingConfig(learning_rate=rate),
        seed=seed,
    )
    kept = RunFolder(folder / "runs" / run.run_id)
    kept.path.mkdir(parents=True)
    kept.write_config(run)
    kept.write_environment({**ENVIRONMENT, "seed": seed})
    kept.write_status(RunStatus(status, step=100, steps=100, seconds=2.5 + seed, reason=reason))
    if status == "failed":
        return run
    kept.write_history(
        [
            {"step": step, "epoch": 0, "seconds": 1.0, "split": "validation", "loss": 1.0 / step,
             "learning_rate": rate, "accuracy": 0.5, "all_correct": 0.1}
            for step in (50, 100)
        ]
    )  # fmt: skip
    kept.write_summary(
        {
            "state_size": state_size,
            "parameters": 12345,
            "segments": {
                "test": [{**s, "examples": 200, "chance": 1 / s["pairs"]} for s in segments]
            },
            "duplicates": [
                {"split": "test", **s, "examples": 200, "repeated": 0, "in_train": duplicates,
                 "in_validation": 0}
                for s in segments
            ],
            **(summary or {}),
        }
    )  # fmt: skip
    if status == "finished":
        valid = sum(accuracies.values()) / len(accuracies) if validation is None else validation
        kept.write_results(result_rows(accuracies, valid, gaps or {}))
    return run


def result_rows(
    accuracies: Mapping[Segment, float], validation: float, gaps: Mapping[tuple[int, int], float]
) -> list[dict[str, Any]]:
    """The rows of results.parquet, as evaluation makes them."""
    shared = {"loss": 0.5, "queries": 800, "examples": 200}
    chance = sum(1 / pairs for _, pairs in accuracies) / len(accuracies)
    mean = sum(accuracies.values()) / len(accuracies)
    rows: list[dict[str, Any]] = [
        {"split": split, "slice": "all", "accuracy": value, "all_correct": value**2,
         "chance": chance, **shared}
        for split, value in (("validation", validation), ("test", mean))
    ]  # fmt: skip
    rows += [
        {"split": "test", "slice": "segment", "length": length, "pairs": pairs,
         "accuracy": value, "all_correct": value**2, "chance": 1 / pairs, **shared}
        for (length, pairs), value in accuracies.items()
    ]  # fmt: skip
    rows += [
        {"split": "test", "slice": "gap", "gap_low": low, "gap_high": high, "accuracy": value,
         "chance": chance, "queries": 100, "loss": 0.5}
        for (low, high), value in gaps.items()
    ]  # fmt: skip
    return rows


def write_experiment(folder: Path, **fields: Any) -> None:
    """Write an experiment.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    documents.write(folder / "experiment.yaml", {"task": "mqar", **fields})
