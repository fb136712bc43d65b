"""The options that `bestiary data` has for every task, and segments as they are typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from bestiary.errors import UserError
from bestiary.tasks.block_task import BlockTask
from bestiary.tasks.protocol import Split, as_split
from bestiary.tasks.segments import SegmentBase

Seed = Annotated[int, typer.Option(help="Seed of the data.")]
SplitName = Annotated[str, typer.Option(help="train, validation or test.")]
Examples = Annotated[
    int | None, typer.Option(help="Examples of each segment of the split (3 are printed).")
]
OfEach = Annotated[int, typer.Option(help="Of each segment.")]
DropDuplicates = Annotated[
    bool,
    typer.Option(
        "--drop-duplicates", help="Leave out validation and test examples of earlier splits."
    ),
]
CountDuplicates = Annotated[
    bool, typer.Option("--duplicates", help="Count duplicates in and between all splits.")
]
Out = Annotated[
    Path | None, typer.Option(help="Write the split to FILE.parquet or FILE.safetensors.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

TRAIN, VALIDATION, TEST = (
    BlockTask.train_examples,
    BlockTask.validation_examples,
    BlockTask.test_examples,
)

S = TypeVar("S", bound=SegmentBase)


def counts(
    split: str, examples: int | None, train: int, validation: int, test: int
) -> tuple[Split, dict[str, int]]:
    """The split, and how many examples each has; ``examples`` counts those of the split."""
    chosen = as_split(split)
    each = {"train": train, "validation": validation, "test": test}
    if examples is not None:
        each[chosen] = examples
    return chosen, {f"{name}_examples": count for name, count in each.items()}


def typed_segments(
    kind: Callable[..., S],
    given: Sequence[str],
    alone: Mapping[str, int | None],
    default: S,
    split: Split,
) -> tuple[S, ...]:
    """Segments from such texts as ``LENGTH:PAIRS[:EXAMPLES]``, or the one of single options.

    alone: the numbers of a segment in their order, each what its own option was given or None.
    default: has the numbers that are not said.
    """
    if not given:
        numbers = {n: getattr(default, n) if v is None else v for n, v in alone.items()}
        return (kind(**numbers),)
    if any(value is not None for value in alone.values()):
        said, options = " and ".join(alone), " and ".join(f"--{name}" for name in alone)
        raise UserError(f"--segment already says {said}; leave {options} out")
    return tuple(_segment(kind, text, list(alone), split) for text in given)


def _segment(kind: Callable[..., S], text: str, names: Sequence[str], split: Split) -> S:
    parts = text.split(":")
    few = len(names)
    if len(parts) not in (few, few + 1) or not all(n.strip().isdecimal() for n in parts):
        form = ":".join(name.upper() for name in names)
        raise UserError(f"segment {text!r} is not {form} or {form}:EXAMPLES")
    numbers = [int(part) for part in parts]
    examples = {split: numbers[few]} if len(numbers) > few else {}
    return kind(**dict(zip(names, numbers, strict=False)), **examples)
