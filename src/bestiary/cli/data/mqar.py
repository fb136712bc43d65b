"""`bestiary data mqar`: multi-query associative recall."""

from __future__ import annotations

from typing import Annotated, cast

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
from bestiary.tasks.facts import measure
from bestiary.tasks.mqar import MQAR, Filler
from bestiary.tasks.segments import Segment

DEFAULTS = MQAR()


def mqar(
    vocab_size: Annotated[int, typer.Option(help="Tokens; the lower half are keys.")] = (
        DEFAULTS.vocab_size
    ),
    length: Annotated[int | None, typer.Option(help="Tokens of an example (64).")] = None,
    pairs: Annotated[int | None, typer.Option(help="Key-value pairs of an example (4).")] = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(help="LENGTH:PAIRS or LENGTH:PAIRS:EXAMPLES; again for a mixture."),
    ] = None,
    power_a: Annotated[float, typer.Option(help="Gap i has p ∝ i^(a - 1).")] = DEFAULTS.power_a,
    filler: Annotated[
        str, typer.Option(help="random (never a key of its example), none, or any (as published).")
    ] = DEFAULTS.filler,
    stats: Annotated[bool, typer.Option("--stats", help="Measure facts of the split.")] = False,
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
    """Multi-query associative recall: print examples, measure them, or write them.

    Example: bestiary data mqar --vocab-size 40 --length 32 --pairs 3
    """
    chosen, each = counts(split, examples, train_examples, validation_examples, test_examples)
    alone = {"length": length, "pairs": pairs}
    task = MQAR(
        vocab_size,
        typed_segments(Segment, segment or [], alone, DEFAULTS.segments[0], chosen),
        power_a,
        cast(Filler, filler),
        seed=seed,
        drop_duplicates=drop_duplicates,
        **each,
    )
    facts = measure(task, chosen) if stats else None
    show(task, chosen, examples, duplicates, out, as_json, facts)
