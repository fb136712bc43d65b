"""`bestiary data selective-copy`: tokens among noise, to be said in order at markers."""

from __future__ import annotations

from typing import Annotated

import typer

from bestiary.cli.data.options import (
    TEST,
    TRAIN,
    VALIDATION,
    AsJson,
    CountDuplicates,
    DropDuplicates,
    Examples,
    OfEach,
    Out,
    Seed,
    SplitName,
    counts,
    typed_segments,
)
from bestiary.cli.data.showing import show
from bestiary.tasks.selective_copy import CopySegment, SelectiveCopy

DEFAULTS = SelectiveCopy()


def selective_copy(
    vocab_size: Annotated[int, typer.Option(help="Tokens; noise first, then the marker.")] = (
        DEFAULTS.vocab_size
    ),
    length: Annotated[
        int | None, typer.Option(help="Tokens of an example, markers too (64).")
    ] = None,
    items: Annotated[int | None, typer.Option(help="Data tokens of an example (8).")] = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(help="LENGTH:ITEMS or LENGTH:ITEMS:EXAMPLES; again for a mixture."),
    ] = None,
    noise: Annotated[int, typer.Option(help="Tokens that are noise.")] = DEFAULTS.noise,
    seed: Seed = DEFAULTS.seed,
    split: SplitName = "test",
    examples: Examples = None,
    train_examples: OfEach = TRAIN,
    validation_examples: OfEach = VALIDATION,
    test_examples: OfEach = TEST,
    drop_duplicates: DropDuplicates = False,
    duplicates: CountDuplicates = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Selective copying: print examples, or write them.

    Example: bestiary data selective-copy --length 20 --items 4
    """
    chosen, each = counts(split, examples, train_examples, validation_examples, test_examples)
    alone = {"length": length, "items": items}
    task = SelectiveCopy(
        vocab_size,
        typed_segments(CopySegment, segment or [], alone, DEFAULTS.segments[0], chosen),
        noise,
        seed=seed,
        drop_duplicates=drop_duplicates,
        **each,
    )
    show(task, chosen, examples, duplicates, out, as_json)
