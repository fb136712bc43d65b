"""Does gradient descent keep, find or lose recall that was set by hand?

``python docs/studies/fine_tune_recall.py`` trains all weights of the compiled all-pairs stack, from
where they were set, with noise, and from a random start of the same architecture, and prints the
table of ``docs/recall-by-hand.md``: some minutes on one core. With ``--write`` it replaces the one
on the page. ``--form structured`` trains the entries that are not 0 and leaves the zeros.
"""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from page_table import show_table, table_parser
from small_mqar import add_sizes, small_task

from bestiary.solvers.all_pairs import AllPairs
from bestiary.solvers.trainable import (
    Form,
    TrainableRecall,
    add_noise,
    distances,
    draw_anew,
    trainable,
)
from bestiary.tasks.mqar import MQAR
from bestiary.training import TrainingConfig, evaluate, train

RANDOM = "random"


@dataclass(frozen=True)
class Trained:
    """One training: accuracy on the test before and after, the best on validation, distances."""

    before: float
    best: float
    after: float
    moved_before: dict[str, float]
    moved_after: dict[str, float]


def run(set_by_hand: TrainableRecall, task: MQAR, start: str, rate: float, seed: int) -> Trained:
    """Train from ``start``, a sigma or ``random``."""
    model = copy.deepcopy(set_by_hand)
    if start == RANDOM:
        draw_anew(model, seed)
    else:
        add_noise(model, float(start), seed)
    before = evaluate(model, task, "test").total.accuracy
    moved_before = distances(model, set_by_hand)
    config = TrainingConfig(
        epochs=1, learning_rate=rate, weight_decay=0.0, validate_every=50, stop_at=None
    )
    outcome = train(model, task, config, seed)
    if outcome.status == "interrupted":
        raise SystemExit(outcome.reason)
    scores = [row["accuracy"] for row in outcome.history if row["split"] == "validation"]
    after = evaluate(model, task, "test").total.accuracy
    return Trained(
        before, max(scores, default=before), after, moved_before, distances(model, set_by_hand)
    )


def lines(
    set_by_hand: TrainableRecall,
    task: MQAR,
    starts: Sequence[str],
    rates: Sequence[float],
    seeds: int,
) -> Iterator[str]:
    """The table in Markdown, line by line: means over seeds, and the least and most of accuracy."""
    parts = [name for name, _ in set_by_hand.parts()]
    heads = ["noise σ", "rate", "before", "best", "after", "least … most", "distance"]
    yield f"| {' | '.join([*heads, *parts])} |"
    yield f"|---|{'---:|' * (len(heads) - 1 + len(parts))}"
    for start in starts:
        for rate in rates:
            made = [run(set_by_hand, task, start, rate, seed) for seed in range(seeds)]
            after = [one.after for one in made]
            cells = [
                start,
                f"{rate:.0e}".replace("e-0", "e-"),
                mean([one.before for one in made]),
                mean([one.best for one in made]),
                mean(after),
                f"{min(after):.3f} … {max(after):.3f}",
                " → ".join(
                    mean([moved["all"] for moved in by_run])
                    for by_run in (
                        [one.moved_before for one in made],
                        [one.moved_after for one in made],
                    )
                ),
                *(mean([one.moved_after[part] for one in made], 2) for part in parts),
            ]
            yield f"| {' | '.join(cells)} |"


def mean(values: list[float], digits: int = 3) -> str:
    """The mean, as text."""
    return f"{statistics.fmean(values):.{digits}f}"


def main() -> None:
    """Print the table, and put it on the page if asked."""
    parser = table_parser(__doc__)
    add_sizes(parser)
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-3, 1e-2])
    parser.add_argument("--form", choices=["dense", "structured"], default="dense")
    parser.add_argument("--starts", nargs="+", default=["0", "0.01", "0.03", "0.1", "0.3", RANDOM])
    asked = parser.parse_args()
    torch.set_num_threads(1)
    task = small_task(asked, asked.updates, 200, 500)
    form: Form = asked.form
    set_by_hand = trainable(AllPairs(task).build(), form)
    began = time.process_time()
    made = lines(set_by_hand, task, asked.starts, asked.rates, asked.seeds)
    show_table(made, asked.write, "recall-by-hand.md", form)
    print(
        f"{sum(p.numel() for p in set_by_hand.parameters()):,} weights trained, "
        f"{time.process_time() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
