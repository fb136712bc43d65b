"""`bestiary data induction`: the token after a trigger, which comes again at the end."""

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
from bestiary.tasks.induction import Induction, LengthSegment

DEFAULTS = Induction()


def induction(
    vocab_size: Annotated[int, typer.Option(help="Tokens; 0 is the trigger.")] = (
        DEFAULTS.vocab_size
    ),
    length: Annotated[int | None, typer.Option(help="Tokens of an example (64).")] = None,
    segment: Annotated[
        list[str] | None, typer.Option(help="LENGTH or LENGTH:EXAMPLES; again for a mixture.")
    ] = None,
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
    """Induction heads: print examples, or write them.

    Example: bestiary data induction --length 20
    """
    chosen, each = counts(split, examples, train_examples, validation_examples, test_examples)
    alone = {"length": length}
    task = Induction(
        vocab_size,
        typed_segments(LengthSegment, segment or [], alone, DEFAULTS.segments[0], chosen),
        seed=seed,
        drop_duplicates=drop_duplicates,
        **each,
    )
    show(task, chosen, examples, duplicates, out, as_json)
