"""How exact is each solver in float64, float32 and bfloat16, and at which lengths?

``python docs/studies/recall_precision.py`` prints the tables of ``docs/recall-by-hand.md``, in some
ten minutes on one core; with ``--write`` it replaces those on the page. All weights and all numbers
between layers are of the dtype. Scored are the queries of MQAR, whose keys come once, and tokens
drawn from four, where nearly every token came before and its latest place counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import torch
from page_table import show_table, table_parser
from torch import Tensor, nn

from bestiary.compile.rounding import bits_of
from bestiary.compile.trace import trace
from bestiary.solvers.code_model import CodeModel
from bestiary.solvers.protocol import SolverModel
from bestiary.solvers.registry import SolverSpec, build_solver
from bestiary.tasks.mqar import MQAR
from bestiary.training import evaluate

DTYPES = (torch.float64, torch.float32, torch.bfloat16)
SOLVERS = (
    SolverSpec("all-pairs"),
    SolverSpec("sort"),
    SolverSpec("attention"),
    SolverSpec("autocorrelation"),
    SolverSpec("lookup"),
)
LATEST = (
    SolverSpec("all-pairs", {"repeat": "latest"}),
    SolverSpec("sort"),
    SolverSpec("attention", {"repeat": "latest"}),
    SolverSpec("autocorrelation", {"repeat": "latest"}),
)
VOCAB_SIZE = 8192
DRAWN = 4
TOKENS = 4096
"""Tokens that are scored in one cell, at least four examples."""
STACKS = ("all-pairs", "sort")
LONGEST_OF_STACKS = 256
"""Longer ones take an hour, and what the table says of their bits does not change."""


def task_of(length: int) -> MQAR:
    """MQAR of one length, a key for each eight tokens."""
    return MQAR(
        vocab_size=VOCAB_SIZE,
        segments=({"length": length, "pairs": max(1, length // 8)},),
        test_examples=max(4, TOKENS // length),
    )


def built(spec: SolverSpec, length: int) -> SolverModel:
    """The whole model."""
    return build_solver(spec, task_of(length)).build()


def lines(lengths: list[int]) -> Iterator[str]:
    """The table of keys that come once, in Markdown, line by line."""
    yield "| solver | length | float64 | float32 | bfloat16 | bits |"
    yield "|---|---:|---:|---:|---:|---:|"
    for spec in SOLVERS:
        for length in tried(spec, lengths):
            model = built(spec, length)
            # Before the dtype is: rounded weights would say less of what the numbers need.
            bits = most_bits(model, length) if isinstance(model, CodeModel) else None
            module = cast(nn.Module, model)
            scores = [
                evaluate(module.to(dtype), task_of(length), "test", 16).total.accuracy
                for dtype in DTYPES
            ]
            yield row(spec.name, length, scores, "–" if bits is None else str(bits))


def lines_latest(lengths: list[int]) -> Iterator[str]:
    """The same for tokens that come again and again."""
    yield "| solver | length | float64 | float32 | bfloat16 |"
    yield "|---|---:|---:|---:|---:|"
    for spec in LATEST:
        for length in tried(spec, lengths):
            module = cast(nn.Module, built(spec, length))
            scores = [share_latest(module.to(dtype), length) for dtype in DTYPES]
            options = "".join(f",{name}={value}" for name, value in spec.options.items())
            yield row(spec.name + options, length, scores)


def tried(spec: SolverSpec, lengths: list[int]) -> list[int]:
    """Those of the lengths that do not take too long."""
    return [n for n in lengths if spec.name not in STACKS or n <= LONGEST_OF_STACKS]


def row(name: str, length: int, scores: list[float], *more: str) -> str:
    """A line of either table."""
    cells = [f"`{name}`", f"{length:,}", *(f"{score:.4f}" for score in scores), *more]
    return f"| {' | '.join(cells)} |"


@torch.no_grad()
def share_latest(model: nn.Module, length: int) -> float:
    """Share of tokens that came before and are answered by what followed their latest place."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(DRAWN, (4, length), generator=generator)
    answers = latest(tokens)
    positions = torch.nonzero(answers.flatten() >= 0)[:, 0]
    said = model(tokens, positions).argmax(-1)
    return float((said == answers.flatten()[positions]).double().mean())


def latest(tokens: Tensor) -> Tensor:
    """What followed the latest earlier place of each token, -1 where it did not come before."""
    answers = torch.full_like(tokens, -1)
    for example, row_of in enumerate(tokens.tolist()):
        place: dict[int, int] = {}
        for i, token in enumerate(row_of):
            if token in place:
                answers[example, i] = row_of[place[token] + 1]
            place[token] = i
    return answers


def most_bits(model: CodeModel, length: int) -> int:
    """Bits of the longest number on either side of any layer, on an example of the test."""
    stream = task_of(length).stream("test")
    tokens = torch.from_numpy(stream.examples(0, range(1)).tokens)
    most = 0
    for layer in trace(model.compiled, model.stack_input(tokens).numpy()):
        for array in (layer.gate, layer.convolution, layer.product):
            most = most if array is None else max(most, bits_of(array))
    return most


def main() -> None:
    """Print the tables, and put them on the page if asked."""
    parser = table_parser(__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[16, 64, 256, 1024])
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for which, made in (("precision", lines), ("latest", lines_latest)):
        show_table(made(asked.lengths), asked.write, "recall-by-hand.md", which)
        print()


if __name__ == "__main__":
    main()
