"""Which layer carries the match? Linear probes on compiled, fine-tuned and trained models.

``python docs/studies/probe_recall.py`` prints the table of ``docs/recall-by-hand.md`` in a few
minutes on one core; with ``--write`` it replaces the one on the page. For every layer a linear map
is fitted, on queries of the validation examples, to say at which distance the key came before
(*match*) and which token followed it (*answer*); it is scored on queries of the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from page_table import show_table, table_parser
from small_mqar import add_sizes, small_task
from torch import Tensor, nn
from torch.nn import functional

from bestiary.models import LanguageModel, ModelConfig, build_model
from bestiary.solvers.all_pairs import AllPairs
from bestiary.solvers.trainable import TrainableRecall, add_noise, draw_anew, trainable
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import Split
from bestiary.training import TrainingConfig, evaluate, train
from bestiary.training.data import TensorBatch, to_tensors
from bestiary.training.probe import choice_accuracy, fit_probe, layer_outputs

SEED = 0
NOISE = 0.03
HEADS = ("model", "accuracy", "after", "match", "answer")


@dataclass(frozen=True)
class Probed:
    """A model and its parts in order."""

    name: str
    model: nn.Module
    parts: Mapping[str, nn.Module]


def models(task: MQAR, updates: int) -> Iterator[Probed]:
    """The models of the table; the compiled one as it is, and all others trained."""
    solver = AllPairs(task).build()
    yield stack_of("compiled all-pairs", trainable(solver))
    tuned = trainable(solver)
    add_noise(tuned, NOISE, SEED)
    yield stack_of(f"the same, noise {NOISE}, trained", trained(tuned, task, updates, 1e-3))
    random = trainable(solver)
    draw_anew(random, SEED)
    yield stack_of("the same, random start, trained", trained(random, task, updates, 1e-2))
    for mixer in ({"name": "attention", "positions": "rotary"}, {"name": "base_conv"}):
        config = ModelConfig(d_model=32, n_layers=2, mixers=(mixer,), positions="none")
        model = build_model(config, task.vocab_size, task.max_length, SEED)
        yield blocks_of(f"{mixer['name']}, trained", trained(model, task, updates, 1e-2))


def trained(model: nn.Module, task: MQAR, updates: int, rate: float) -> nn.Module:
    """The model after so many updates."""
    config = TrainingConfig(
        epochs=1, learning_rate=rate, weight_decay=0.0, validate_every=updates, stop_at=None
    )
    outcome = train(model, task, config, SEED)
    if outcome.status == "interrupted":
        raise SystemExit(outcome.reason)
    return model


def stack_of(name: str, model: nn.Module) -> Probed:
    """The layers of the BaseConv stack."""
    assert isinstance(model, TrainableRecall)
    layers = {f"layer {n}": layer for n, layer in enumerate(model.stack.layers, 1)}
    return Probed(name, model, layers)


def blocks_of(name: str, model: nn.Module) -> Probed:
    """The blocks, each with what it adds to."""
    assert isinstance(model, LanguageModel)
    return Probed(name, model, {f"layer {n}": block for n, block in enumerate(model.blocks, 1)})


def queries(task: MQAR, split: Split) -> TensorBatch:
    """All examples of a split as one batch."""
    stream = task.stream(split)
    (segment,) = stream.segments
    return to_tensors(stream.examples(0, range(segment.examples)), torch.device("cpu"))


def match_distances(batch: TensorBatch) -> Tensor:
    """For each query how far above it its key came before; int64 (queries,)."""
    tokens = batch.tokens[batch.rows]
    place = batch.positions % tokens.shape[1]
    alike = tokens == tokens.gather(1, place[:, None])
    return place - alike.long().argmax(1)


def guessed(task: MQAR) -> Iterator[str]:
    """What a probe scores that sees nothing: of distances and of answers."""
    fit, test = queries(task, "validation"), queries(task, "test")
    for seen, new in (
        (match_distances(fit), match_distances(test)),
        (fit.targets, test.targets),
    ):
        yield f"{float((new == seen.mode().values).double().mean()):.2f}"


def rows(probed: Probed, task: MQAR) -> Iterator[tuple[str, ...]]:
    """A row of the table for each layer."""
    fit, test = queries(task, "validation"), queries(task, "test")
    accuracy = evaluate(probed.model, task, "test").total.accuracy
    outputs = [layer_outputs(probed.model, probed.parts, batch.tokens) for batch in (fit, test)]
    where = [match_distances(batch) for batch in (fit, test)]
    for number, part in enumerate(probed.parts):
        seen, new = (
            one[part].flatten(0, 1)[batch.positions]
            for one, batch in zip(outputs, (fit, test), strict=True)
        )
        distance = functional.one_hot(where[0], task.max_length)
        match = choice_accuracy(fit_probe(seen, distance)(new), where[1])
        token = functional.one_hot(fit.targets, task.vocab_size)
        answer = choice_accuracy(fit_probe(seen, token)(new), test.targets)
        told = (probed.name, f"{accuracy:.3f}") if not number else ("", "")
        yield (*told, part, f"{match:.2f}", f"{answer:.2f}")


def lines(task: MQAR, updates: int) -> Iterator[str]:
    """The table in Markdown, line by line."""
    yield f"| {' | '.join(HEADS)} |"
    yield "|---|---:|---|---:|---:|"
    yield f"| {' | '.join(('the most frequent', '', '', *guessed(task)))} |"
    for probed in models(task, updates):
        for row in rows(probed, task):
            yield f"| {' | '.join(row)} |"


def main() -> None:
    """Print the table, and put it on the page if asked."""
    parser = table_parser(__doc__)
    add_sizes(parser)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--examples", type=int, default=2000, help="of validation and test each")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    task = small_task(asked, asked.updates, asked.examples, asked.examples)
    show_table(lines(task, asked.updates), asked.write, "recall-by-hand.md", "probes")


if __name__ == "__main__":
    main()
