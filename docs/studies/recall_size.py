"""How large is each solver, against the length N and the vocabulary V, and what does theory say?

``python docs/studies/recall_size.py`` builds every solver at several sizes and prints the table of
``docs/recall-by-hand.md``, in some minutes on one core; with ``--write`` it replaces the one on the
page. Exponents are fitted by least squares: e of N^e and (log2 N)^e at one V, of V^e and (log2 V)^e
at one N.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import numpy as np
import torch
from page_table import show_table, table_parser

from bestiary.solvers.registry import SolverSpec, build_solver
from bestiary.tasks.mqar import MQAR

QUANTITIES = ("layers", "channels", "parameters", "state")
STATED = {
    "all-pairs": ("⌈log2 b⌉ + 3", "(N − 1)(b + 1)", "–", "N·b"),
    "sort": ("Õ(1), here O(log² N)", "O(b + log N)", "Õ(N·d)", "N·b"),
    "attention": ("2", "2(2b + 2⌈log2 N⌉ + 1)", "–", "4·N·channels"),
    "autocorrelation": ("O(1), here 2", "V", "–", "N·b"),
    "lookup": ("1", "its bits of state", "–", "S pairs in S·(2b − 1) + b bits, S = N/2"),
}
"""Of each quantity what docs/theory.md says, 'Recall', of a vocabulary of V = 2^b tokens."""

Sizes = dict[str, int]


def sizes(name: str, vocab_size: int, length: int) -> Sizes:
    """Layers, channels, parameters other than 0 and elements of state of a solver."""
    segment = {"length": length, "pairs": 1}
    model = build_solver(SolverSpec(name), MQAR(vocab_size=vocab_size, segments=(segment,))).build()
    size = model.size
    numbers = (size.layers, size.width, size.parameters, model.state_size(length))
    return dict(zip(QUANTITIES, numbers, strict=True))


def exponent(x: list[float], y: list[float]) -> float:
    """e of the y = c·x^e that fits best in logarithms."""
    # Rounded so that 0 has no sign.
    return round(float(np.polyfit(np.log(x), np.log(y), 1)[0]), 6) + 0.0


def lines(lengths: list[int], vocabularies: list[int]) -> Iterator[str]:
    """The table in Markdown, line by line; one list varies at the middle of the other."""
    n, v = (one[len(one) // 2] for one in (lengths, vocabularies))
    ends = f"N = {lengths[0]} … {lengths[-1]}"
    across = f"V = {vocabularies[0]} … {vocabularies[-1]:,}"
    yield (
        f"| solver | of | {ends}, V = {v} | N^ | (log N)^ | {across}, N = {n} | V^ | (log V)^ "
        "| theory |"
    )
    yield "|---|---|---|---:|---:|---|---:|---:|---|"
    for name, stated in STATED.items():
        by_length = [sizes(name, v, one) for one in lengths]
        by_vocabulary = [sizes(name, one, n) for one in vocabularies]
        for quantity, theory in zip(QUANTITIES, stated, strict=True):
            cells = [f"`{name}`", quantity]
            for x, found in ((lengths, by_length), (vocabularies, by_vocabulary)):
                y = [float(one[quantity]) for one in found]
                logs = [log2(one) for one in x]
                cells += [
                    f"{y[0]:,.0f} … {y[-1]:,.0f}",
                    f"{exponent([float(one) for one in x], y):.2f}",
                    f"{exponent(logs, y):.2f}",
                ]
            yield f"| {' | '.join([*cells, theory])} |"


def main() -> None:
    """Print the table, and put it on the page if asked."""
    parser = table_parser(__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[8, 16, 32, 64, 128])
    parser.add_argument("--vocab-sizes", type=int, nargs="+", default=[16, 64, 256, 1024, 4096])
    asked = parser.parse_args()
    torch.set_num_threads(1)
    made = lines(asked.lengths, asked.vocab_sizes)
    show_table(made, asked.write, "recall-by-hand.md", "sizes")


if __name__ == "__main__":
    main()
