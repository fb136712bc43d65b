"""What happened, in sentences made from the numbers by stated rules.

*Recalls*: every seed that finished has a test accuracy of at least ``RECALLS``; a mixer of which
some seeds do and others do not *depends on the seed*. It *does not recall* where no seed is above
guessing (among the pairs drawn, in MQAR) by more than ``NEAR``, or the interval over seeds is below
guessing, *may be guessing* where that interval holds guessing, and *recalls in part* where it is
above. A *setting* is a width with a test segment (length and pairs). Reasons are given only where
theory has one, and all but the first and the last of MQAR alone:

* below guessing nothing has been learned of recall, so no reason is given, and none to any mixer
  where none is above guessing;
* a stack of gated convolutions alone needs a width that grows with the sequence (arXiv
  2312.04927), so that a width under the length explains a failure, and a larger one does not;
* attention recalls at a width that does not grow, so its failure is one of training;
* linear attention recalls more with a larger state (arXiv 2402.18668);
* a state with fewer bits than the answers need cannot hold them, whatever the training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bestiary.errors import counted
from bestiary.report.compiled import compiled_line, compiled_notes, compiled_results, exact
from bestiary.report.interval import ENOUGH_SEEDS
from bestiary.report.mixer_kinds import attends, convolves_only, is_compiled, linearly_attends
from bestiary.report.segments import SegmentResult
from bestiary.report.study import Study
from bestiary.report.table import accuracy_text, share
from bestiary.report.task_words import words_of
from bestiary.runs.tuning import NEAR, rate_text
from bestiary.tasks.ceiling import recall_ceiling
from bestiary.tasks.segments import setting_text

RECALLS = 0.95
MOST_NAMED = 3
"""Settings a sentence names before it counts the rest."""
BITS = 32
"""Of one element of state, as it is trained."""

Grade = Literal["recalls", "depends", "part", "unclear", "guesses"]
Kind = Literal["headline", "good", "bad", "caution"]


@dataclass(frozen=True)
class Line:
    """One sentence of the verdict, or a few that belong together, and what it is about."""

    kind: Kind
    text: str


def verdict(study: Study) -> list[Line]:
    """The headline, a line a mixer, what the seeds do not separate, and what to be careful with."""
    trained, by_hand = trained_results(study), compiled_results(study)
    if not trained and not by_hand:
        return [Line("headline", "No run has finished yet, so nothing is known."), *cautions(study)]
    lines = [mixer_line(label, of_mixer(trained, label), study) for label in labels(trained)]
    lines += [
        Line("good" if exact(results) else "bad", compiled_line(label, results))
        for label in labels(by_hand)
        for results in [of_mixer(by_hand, label)]
    ]
    return [
        headline(trained or by_hand),
        *lines,
        *alike(study),
        *separation(trained),
        *cautions(study),
    ]


def trained_results(study: Study) -> list[SegmentResult]:
    """What was measured of trained models; of compiled ones nothing is concluded by statistics."""
    return [r for r in study.segments if r.accuracies and not r.point.compiled]


def grade(result: SegmentResult) -> Grade:
    """How well a mixer recalls in one setting."""
    recalled = [accuracy >= RECALLS for accuracy in result.accuracies]
    if all(recalled):
        return "recalls"
    if any(recalled):
        return "depends"
    chance = chance_of(result)
    low, high = (0.0, 1.0) if result.accuracy is None else result.accuracy.bounds
    if max(result.accuracies) <= chance + NEAR or high < chance:
        return "guesses"
    return "unclear" if low <= chance else "part"


def labels(results: Sequence[SegmentResult]) -> list[str]:
    """The mixers of ``results``, in their order."""
    return list(dict.fromkeys(result.point.label for result in results))


def of_mixer(results: Sequence[SegmentResult], label: str) -> list[SegmentResult]:
    """The results of one mixer."""
    return [result for result in results if result.point.label == label]


def headline(results: Sequence[SegmentResult]) -> Line:
    """Which mixers recall in every setting, in some, in none."""
    everywhere: list[str] = []
    somewhere: list[str] = []
    nowhere: list[str] = []
    for label in labels(results):
        good = [grade(result) == "recalls" for result in of_mixer(results, label)]
        (everywhere if all(good) else somewhere if any(good) else nowhere).append(label)
    if len({setting(result) for result in results}) == 1:
        verb = "does" if len(nowhere) == 1 else "do"
        parts = [f"{joined(everywhere)} {recall(everywhere)}"] if everywhere else []
        parts += (
            [f"{joined(nowhere)} {verb} not{'' if everywhere else ' recall'}"] if nowhere else []
        )
        return Line("headline", f"At {setting(results[0])}: {'; '.join(parts)}.")
    places = ((everywhere, "every setting"), (somewhere, "some settings"), (nowhere, "none"))
    parts = [f"{joined(names)} {recall(names)} in {where}" for names, where in places if names]
    if len(nowhere) == len(labels(results)):
        return Line("headline", "No mixer recalls in any setting.")
    return Line("headline", "; ".join(parts) + ".")


def mixer_line(label: str, results: Sequence[SegmentResult], study: Study) -> Line:
    """What one mixer did, with the reason where theory has one."""
    grades = [grade(result) for result in results]
    good = grades.count("recalls")
    if len(results) == 1:
        text = f"{label} {said(grades[0], results[0])}."
    elif good == len(results):
        worst = min(results, key=lambda r: min(r.accuracies))
        text = f"{label} recalls in all {good} settings; its lowest seed has {lowest(worst)}."
    elif not good:
        best = max(results, key=lambda r: sum(r.accuracies) / len(r.accuracies))
        text = f"{label} recalls in none of {len(results)} settings; closest at {scored(best)}."
    else:
        failed = [r for r, g in zip(results, grades, strict=True) if g != "recalls"]
        where = listed([scored(result) for result in failed])
        text = f"{label} recalls in {good} of {len(results)} settings; not at {where}."
    failures = [r for r, g in zip(results, grades, strict=True) if g != "recalls"]
    return Line("bad" if failures else "good", f"{text}{reasons(failures, study)}")


def scored(result: SegmentResult) -> str:
    """A setting and its number."""
    return f"{setting(result)}: {accuracy_text(result.accuracy)}"


def said(what: Grade, result: SegmentResult) -> str:
    """The grade of a single setting, with its number."""
    seeds = len(result.accuracies)
    number = f"{accuracy_text(result.accuracy)} over {counted(seeds, 'seed')}"
    if what == "recalls":
        return f"recalls: {number}"
    if what == "depends":
        count = sum(accuracy >= RECALLS for accuracy in result.accuracies)
        return f"depends on the seed: {count} of {seeds} reach {RECALLS}, the mean is {number}"
    guessing = share(result.chance)
    if what == "unclear":
        inside = f"guessing among {result.words.shown}, {guessing}, lies inside"
        return f"may be guessing: {number}, and {inside}"
    how = "does not recall" if what == "guesses" else "recalls in part"
    return f"{how}: {number}, where guessing among {result.words.shown} has {guessing}"


def below_guessing(result: SegmentResult) -> bool:
    """Whether no seed does as well as guessing."""
    return max(result.accuracies) < chance_of(result)


def chance_of(result: SegmentResult) -> float:
    """The accuracy of guessing; 0 where it is not known."""
    return 0.0 if result.chance is None else result.chance


def lowest(result: SegmentResult) -> str:
    """The lowest seed of a result and its setting."""
    return f"{share(min(result.accuracies))} at {setting(result)}"


def setting(result: SegmentResult) -> str:
    """``width 64, length 64, 4 pairs``; a compiled model has no width of anyone's choice."""
    width = "" if result.point.compiled else f"width {result.point.d_model}, "
    return f"{width}{result.setting}"


def reasons(failures: Sequence[SegmentResult], study: Study) -> str:
    """Why, by theory; sentences that each begin with a blank, or nothing."""
    if not failures:
        return ""
    mixers = failures[0].point.layers
    text = ""
    too_small = [r for r in failures if ceiling(r, study) < RECALLS]
    if too_small:
        worst = min(too_small, key=lambda r: ceiling(r, study))
        text += (
            f" Its state is too small at {setting(worst)}: {worst.state_size:,} elements of "
            f"{BITS} bits allow at most {share(ceiling(worst, study))}."
        )
    untrained = [r for r in failures if r not in too_small and below_guessing(r)]
    if untrained:
        which = "It is" if len(failures) == 1 else f"At {setting(untrained[0])} it is"
        text += (
            f" {which} below guessing, so it has not yet learned to answer with "
            f"{untrained[0].words.answer}: train longer or tune before asking for a reason."
        )
    explained = [r for r in failures if r not in too_small and r not in untrained]
    if not explained or not explained[0].words.theory or nothing_learned(study):
        return text
    if convolves_only(mixers):
        text += convolution_reason(explained)
    elif linearly_attends(mixers):
        text += (
            " Linear attention recalls more with a larger state (arXiv 2402.18668), so a larger "
            "feature_dim or window is the first thing to try."
        )
    elif attends(mixers):
        text += (
            " Attention can recall at a width that does not grow with the sequence (arXiv "
            "2312.04927), so look at its training: rate, steps, initialisation."
        )
    return text


def nothing_learned(study: Study) -> bool:
    """Whether there is more than one mixer, and none is above guessing in any setting."""
    measured = trained_results(study)
    return len(labels(measured)) > 1 and {grade(result) for result in measured} == {"guesses"}


def convolution_reason(failures: Sequence[SegmentResult]) -> str:
    """The width under the length, where it is."""
    under = [r for r in failures if r.length is not None and (r.point.d_model or 0) < r.length]
    text = ""
    if under:
        which = "The" if len(under) == len(failures) else f"In {len(under)} of these the"
        if len(failures) == 1:
            sizes = f"width {under[0].point.d_model} is under the length {under[0].length}"
        else:
            sizes = "width is under the length"
        text += (
            f" {which} {sizes}, and a gated convolution needs a width that grows with the "
            "sequence (arXiv 2312.04927)."
        )
    wide = len(failures) - len(under)
    if wide:
        where = "there" if not under else f"in the other {wide}" if wide > 1 else "in the other"
        text += f" The width is not under the length {where}, so look at rate and steps first."
    return text


def ceiling(result: SegmentResult, study: Study) -> float:
    """The most that the state can recall; 1 where its size or the task's values are not known."""
    values = study.answers.get(result.point.number)
    if not values or not result.pairs or result.state_size is None:
        return 1.0
    return float(recall_ceiling(BITS * result.state_size, result.pairs, values))


def alike(study: Study) -> list[Line]:
    """Where mixers are all so good, or so bad, that nothing tells them apart."""
    measured = trained_results(study)
    if len(labels(measured)) > 1 and {grade(result) for result in measured} == {"recalls"}:
        said = "Every mixer recalls, so these settings are too easy to tell them apart."
        return [Line("caution", said)]
    able = [result for result in measured if ceiling(result, study) >= RECALLS]
    if not nothing_learned(study) or not able:
        return []
    which = "No mixer" if len(able) == len(measured) else "No mixer with state enough"
    said = f"{which} is above guessing, so nothing is said about any: train longer or tune."
    return [Line("caution", said)]


def separation(results: Sequence[SegmentResult]) -> list[Line]:
    """Where the seeds do not tell apart a mixer that recalls from one that does not."""
    unclear: dict[tuple[str, str], list[str]] = {}
    for where in dict.fromkeys(setting(result) for result in results):
        here = [result for result in results if setting(result) == where]
        best = max(here, key=lambda r: min(r.accuracies))
        names = [r.point.label for r in here if grade(r) != "recalls" and overlap(best, r)]
        if grade(best) == "recalls" and names:
            unclear.setdefault((joined(names), best.point.label), []).append(where)
    return [
        Line(
            "caution",
            f"The seeds do not separate {names} from {best} (their intervals overlap) at "
            f"{listed(places)}.",
        )
        for (names, best), places in unclear.items()
    ]


def listed(names: Sequence[str]) -> str:
    """``a; b; c; d and 3 more``."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{'; '.join(names[:MOST_NAMED])}{more}"


def overlap(one: SegmentResult, other: SegmentResult) -> bool:
    """Whether the intervals of two results share a point."""
    if one.accuracy is None or other.accuracy is None:
        return False
    return one.accuracy.overlaps(other.accuracy)


def cautions(study: Study) -> list[Line]:
    """What a reader should know before trusting the numbers."""
    return [
        Line("caution", text)
        for text in (
            lost_runs(study),
            few_seeds(study),
            untuned(study),
            *edges(study),
            *duplicates(study),
            *compiled_notes(study),
        )
        if text
    ]


def lost_runs(study: Study) -> str:
    """How many runs have no result."""
    counts = {
        "diverged": [run for run in study.runs if run["status"] == "diverged"],
        "failed": [run for run in study.runs if run["status"] == "failed"],
        "not finished": [
            run for run in study.runs if run["status"] in ("running", "interrupted", "waiting")
        ],
    }
    parts = [
        f"{len(runs)} {kind} ({joined(list(dict.fromkeys(run['label'] for run in runs)))})"
        for kind, runs in counts.items()
        if runs
    ]
    if not parts:
        return ""
    total = counted(len(study.runs), "run")
    return f"Of {total} {joined(parts)}; means are over the finished ones."


def few_seeds(study: Study) -> str:
    """Points with fewer seeds than an interval is worth something with."""
    few = [p for p in study.points if not p.compiled and len(p.chosen.finished) < ENOUGH_SEEDS]
    if not few:
        return ""
    names = joined(list(dict.fromkeys(point.label for point in few)))
    return f"Fewer than {ENOUGH_SEEDS} finished seeds for {names}: a sketch, not a result."


def untuned(study: Study) -> str:
    """Mixers at one rate that nobody chose."""
    known = {curve.mixer for curve in study.curves}
    blind = [name for name in study.mixers if name not in known and not is_compiled(name)]
    if not blind:
        return ""
    return (
        f"The learning rate of {joined(blind)} was not tuned, and recall depends on it "
        "(arXiv 2508.19029)."
    )


def edges(study: Study) -> list[str]:
    """Best rates at the end of what was tried."""
    found = [curve for curve in study.curves if curve.at_edge]
    if not found:
        return []
    names = [
        f"{curve.mixer}{'' if curve.d_model is None else f' at width {curve.d_model}'}"
        f" ({rate_text(curve.tuned.rate)})"
        for curve in found
    ]
    return [
        f"The best rate is the lowest or highest tried for {listed(names)}: a wider grid may do "
        "better."
    ]


def duplicates(study: Study) -> list[str]:
    """Test examples that were also trained on."""
    seen: dict[str, float] = {}
    for run in study.runs:
        # A compiled model has seen no training data.
        rows = [] if is_compiled(run["label"]) else run["summary"].get("duplicates") or []
        for row in rows:
            if row["split"] == "test" and row["in_train"]:
                thing = words_of(run.get("task.name")).thing
                key = setting_text(row["length"], row["pairs"], thing).replace(", ", " with ")
                seen[key] = max(seen.get(key, 0.0), row["in_train"] / row["examples"])
    return [
        f"{portion:.1%} of the test examples of {setting} are also in the training data "
        "(drop_duplicates leaves them out)."
        for setting, portion in seen.items()
    ]


def joined(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def recall(names: Sequence[str]) -> str:
    """The verb as ``names`` need it."""
    return "recalls" if len(names) == 1 else "recall"
