"""`bestiary data associative-recall`: pairs, and one key once more."""

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
from bestiary.tasks.associative_recall import AssociativeRecall, PairsSegment, Vocabulary

DEFAULTS = AssociativeRecall()


def associative_recall(
    vocab_size: Annotated[int, typer.Option(help="Tokens.")] = DEFAULTS.vocab_size,
    pairs: Annotated[int | None, typer.Option(help="Key-value pairs of an example (16).")] = None,
    segment: Annotated[
        list[str] | None, typer.Option(help="PAIRS or PAIRS:EXAMPLES; again for a mixture.")
    ] = None,
    vocabulary: Annotated[
        str, typer.Option(help="split (the lower half are keys) or shared (keys are any tokens).")
    ] = DEFAULTS.vocabulary,
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
    """Associative recall with one query: print examples, or write them.

    Example: bestiary data associative-recall --vocab-size 40 --pairs 5
    """
    chosen, each = counts(split, examples, train_examples, validation_examples, test_examples)
    alone = {"pairs": pairs}
    task = AssociativeRecall(
        vocab_size,
        typed_segments(PairsSegment, segment or [], alone, DEFAULTS.segments[0], chosen),
        cast(Vocabulary, vocabulary),
        seed=seed,
        drop_duplicates=drop_duplicates,
        **each,
    )
    show(task, chosen, examples, duplicates, out, as_json)
