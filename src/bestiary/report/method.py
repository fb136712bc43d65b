"""How the numbers of a study came about: data, initialisation, rates, environment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bestiary.report.compiled import described as described_compiled
from bestiary.report.interval import MEANING
from bestiary.report.mixer_kinds import any_trained, is_compiled
from bestiary.report.study import Study
from bestiary.report.task_words import words_of
from bestiary.report.verdict import joined
from bestiary.runs.tuning import rate_text

FILLERS: Mapping[str, str] = {
    "random": "any token but the keys of the same example",
    "none": "one blank token",
    "any": "any token, keys of the same example too, as in the published generator; some filler "
    "looks like a query that is not scored",
}


COMPILED_FIELDS = ("model.compiled", "model.options")


@dataclass(frozen=True)
class Fact:
    """One thing a reader may want to know, and what it was."""

    name: str
    text: str


@dataclass(frozen=True)
class Settings:
    """Config fields by dotted name. shared: equal in all runs. varied: values in order."""

    shared: Mapping[str, str]
    varied: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Mixed:
    """One segment of the data of one split. duplicates: what is known of repeated examples.

    thing: what ``pairs`` counts, "" where it is 1 in every example.
    """

    split: str
    length: int
    pairs: int
    examples: int
    chance: float
    duplicates: str
    thing: str


@dataclass(frozen=True)
class Surroundings:
    """Where runs were trained, and how many of them there."""

    runs: int
    facts: Sequence[Fact]


def settings(study: Study) -> Settings:
    """Every config field of the trained runs, sorted into what is shared and what is not.

    Of the compiled ones where there are no others.
    """
    values: dict[str, list[str]] = {}
    seeds: set[int] = set()
    # Compiled models have few of the fields, and their own are said apart where others have more.
    trained = [run for run in study.runs if not is_compiled(run["label"])]
    for run in trained or study.runs:
        seeds.add(run["seed"])
        for name, value in run.items():
            if "." in name and not (value is None and name in COMPILED_FIELDS):
                text = value if isinstance(value, str) else json.dumps(value)
                values.setdefault(name, []).append(text)
    different = {name: list(dict.fromkeys(texts)) for name, texts in values.items()}
    shared = {name: texts[0] for name, texts in different.items() if len(texts) == 1}
    varied = {name: texts for name, texts in different.items() if len(texts) > 1}
    if trained:
        varied["seed"] = [str(seed) for seed in sorted(seeds)]
    return Settings(shared, varied)


def facts(study: Study) -> list[Fact]:
    """What decides whether a comparison is fair, in sentences."""
    known = settings(study)
    trained = any_trained(study.mixers)
    splits = "in training, validation and test" if trained else "in validation and test"
    return [
        Fact(name, text)
        for name, text in (
            ("Task", value_of(known, "task.name")),
            ("Vocabulary", value_of(known, "task.vocab_size", "{} tokens")),
            ("Filler", filler(known)),
            ("Compiled models", compiled_models(study)),
            ("Initialisation", initialisation(known) if trained else ""),
            ("Learning rates", rates(study)),
            ("Training", training(known) if trained else ""),
            ("Early stop", early_stop(known) if trained else ""),
            ("What is scored", f"Labelled positions alone, {splits} alike."),
            ("Intervals", f"{MEANING}. A single seed has none." if trained else ""),
            ("State size", "Elements one sequence carries at the length of the test segment."),
            ("Time", times(study)),
        )
        if text
    ]


def times(study: Study) -> str:
    """What the seconds of a run were spent on."""
    said = []
    if any_trained(study.mixers):
        said.append("Seconds of training, mean over the finished seeds at the rate chosen.")
    if any(map(is_compiled, study.mixers)):
        said.append("Seconds in which a compiled model was built and scored.")
    return " ".join(said)


def compiled_models(study: Study) -> str:
    """How large each compiled model is."""
    said = {
        f"{point.label}: {sizes}."
        for point in study.points
        if point.compiled and (sizes := described_compiled(point))
    }
    return " ".join(sorted(said))


def value_of(known: Settings, name: str, form: str = "{}") -> str:
    """A config field, or all its values; nothing where no run has it."""
    if name in known.shared:
        return form.format(known.shared[name])
    return form.format(" or ".join(known.varied[name])) if name in known.varied else ""


def filler(known: Settings) -> str:
    """What stands between the queries. A task that does not say has its default, ``random``."""
    names = known.varied.get("task.filler") or [known.shared.get("task.filler", "random")]
    if known.shared.get("task.name") != "mqar":
        return ""
    return "; ".join(f"{name}: {FILLERS.get(name, '')}" for name in names) + "."


def initialisation(known: Settings) -> str:
    """The deviation of embeddings at the start: attention's first steps hang on it."""
    std = value_of(known, "model.embedding_std")
    positions = value_of(known, "model.positions")
    return (
        f"Token and position embeddings start with a standard deviation of {std} "
        f"(model.embedding_std), positions: {positions}. It decides how soon attention gets off "
        "the ground, so it is part of a fair benchmark."
    )


def rates(study: Study) -> str:
    """How the learning rates were chosen."""
    tried: dict[str, set[float]] = {}
    for point in study.points:
        rates = {rate.learning_rate for rate in point.rates if rate.learning_rate is not None}
        if rates:
            tried.setdefault(point.label, set()).update(rates)
    known = {curve.mixer: curve for curve in study.curves}
    swept = [label for label in tried if len(tried[label]) > 1]
    filed = [label for label in tried if label in known and label not in swept]
    blind = [label for label in tried if label not in known and label not in swept]
    parts = []
    if swept:
        grid = sorted(set().union(*(tried[label] for label in swept)))
        listed = joined([rate_text(rate) for rate in grid])
        parts.append(
            f"For {joined(swept)}: the best mean validation accuracy over seeds among {listed}, at "
            "each width; a run that diverged counts as 0."
        )
    if filed:
        sources = joined(list(dict.fromkeys(known[label].source for label in filed)))
        each = ", ".join(f"{label} {rate_text(min(tried[label]))}" for label in filed)
        parts.append(f"From {sources}: {each}.")
    if blind:
        each = ", ".join(f"{label} {rate_text(min(tried[label]))}" for label in blind)
        parts.append(f"Not tuned: {each}.")
    return " ".join(parts)


def training(known: Settings) -> str:
    """Optimizer, batches and length of the training."""
    names = ("epochs", "batch_size", "weight_decay", "warmup", "clip", "dtype")
    said = [(name, value_of(known, f"training.{name}")) for name in names]
    listed = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in said if value)
    return f"AdamW with linear warm-up and cosine decay; {listed}."


def early_stop(known: Settings) -> str:
    """When a training ends before its epochs do."""
    stop = value_of(known, "training.stop_at")
    if stop in ("", "null"):
        return "None: every run trained for all its epochs, if it did not diverge."
    return f"At a validation accuracy of {stop}; the test stream is never looked at in training."


def data_mix(study: Study) -> list[Mixed]:
    """The exact mix of lengths and pairs of every split, as the runs drew it.

    Runs on different tasks each add their segments.
    """
    rows: dict[tuple[Any, ...], Mixed] = {}
    for run in study.runs:
        summary, thing = run["summary"], words_of(run.get("task.name")).thing
        repeated = {
            (row["split"], row["length"], row["pairs"]): duplicates_text(row)
            for row in summary.get("duplicates") or []
        }
        for split, segments in (summary.get("segments") or {}).items():
            for segment in segments:
                key = (split, segment["length"], segment["pairs"])
                row = Mixed(split, **segment, duplicates=repeated.get(key, ""), thing=thing)
                rows.setdefault((*key, row.examples), row)
    return list(rows.values())


def duplicates_text(row: Mapping[str, Any]) -> str:
    """``3 repeated, 12 in train``; ``none``."""
    counts = (
        (row["repeated"], "repeated"),
        (row["in_train"], "in train"),
        (row["in_validation"], "in validation"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count) or "none"


def surroundings(study: Study) -> list[Surroundings]:
    """The different environments of the runs, the most used first."""
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for run in study.runs:
        if run["environment"]:
            facts = {k: v for k, v in run["environment"].items() if k != "seed"}
            seen.setdefault(json.dumps(facts, sort_keys=True), []).append(facts)
    ordered = sorted(seen.values(), key=len, reverse=True)
    return [Surroundings(len(group), list(described(group[0]))) for group in ordered]


def described(environment: Mapping[str, Any], prefix: str = "") -> list[Fact]:
    """An environment as flat facts; what is not known is left out."""
    found = []
    for name, value in environment.items():
        if isinstance(value, Mapping):
            found += described(value, f"{prefix}{name} ")
        elif value is not None:
            text = (
                {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
            )
            found.append(Fact(f"{prefix}{name}".replace("_", " "), str(text)))
    return found
