"""All pairs: every token is compared with every earlier one, and what followed a match is said.

    answer[i] = Σ_s chosen_s[i] · code(u[i - s + 1])
    match_s[i] = Π_k (1 + x_k[i] · x_k[i - s]) / 2

with x_k[i] = ±1 the bits of token i's number. Each distance s from 1 to N - 1 has channels of its
own: one layer copies the bits, one forms the products x_k[i] · x_k[i - s], ⌈log2 b⌉ form their
match, whose row biases are 0 in the rows i < s, and one multiplies it by the bits of the value.
The embedding gives the b bits of a token once, and *the head sums over distances* before it
correlates the sum with the codes of all tokens: ⌈log2 b⌉ + 3 layers, and (N - 1)(b + 1) channels
where N > b.

A key that came twice has two matches, and chosen = match adds up their values. To decide such
repeats, p_s = Π_{r ≤ s} (1 - match_r) is made over the distances, ⌈log2(N - 1)⌉ layers more;
chosen_s = p_{s-1} - p_s is then 1 at the nearest match alone, and with the products from the other
end at the first.

See docs/theory.md, 'Recall'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from torch import Tensor

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.expression import Value, concat, input_array, linear, mul, shift, total
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.solvers.accepted import accepted_recall
from bestiary.solvers.code_model import CodeModel
from bestiary.solvers.product_tree import product_over
from bestiary.solvers.repeats import Repeat, RepeatTally, accepted_repeat
from bestiary.solvers.token_code import code_bits
from bestiary.tasks.protocol import Task


def all_pairs_program(length: int, bits: int, repeat: Repeat | None = None) -> Program:
    """The circuit on codes (length, bits): of each distance the bits of the value it chose, or 0.

    length: at least 2. (length - 1)·bits channels out, distance by distance; without ``repeat``
    one more: how many distances matched.
    """
    code = input_array("code", bits)
    match = matches(code, length)
    chosen = match if repeat is None else decided(match, repeat)
    distances = range(match.width)
    values = mul(
        chosen[[s for s in distances for _ in range(bits)]],
        concat([shift(code, s) for s in distances]),
    ).named("value", [f"value −{s + 1}.{k}" for s in distances for k in range(bits)])
    output = values
    if repeat is None:
        output = concat([values, total([match[s] for s in distances], "matches")])
    return Program((code,), output, rows=length, name="all-pairs")


def matches(code: Value, length: int) -> Value:
    """(length - 1) channels, for each distance from 1: whether a row has the code of so far above.

    length: the rows of the program. 1 or 0, and 0 in the rows that have none so far above.
    """
    distances, bits = range(1, length), code.width
    # Bit by bit, all distances beside each other, so that a product of two bits is one of slices.
    copies = code[[k for k in range(bits) for _ in distances]]
    above = concat([shift(code, s) for s in distances])
    by_bit = [s * bits + k for k in range(bits) for s in range(len(distances))]
    labels = [f"alike −{s}.{k}" for k in range(bits) for s in distances]
    alike = mul(0.5 * copies, above[by_bit]).named("alike", labels)
    first, rest = alike[: len(distances)], alike[len(distances) :]
    # One factor that is 0 in the rows before the first is enough.
    there = np.tril(np.full((length, len(distances)), 0.5), -1)
    halves = [first + Rows.of(there), *([rest + 0.5] if bits > 1 else [])]
    factors = halves[0] if bits == 1 else concat(halves)

    def so_far(which: tuple[int, ...]) -> list[str]:
        told = "·".join(map(str, sorted(which)))
        return [f"alike −{s}.{told}" for s in distances]

    match = product_over(factors, len(distances), "alike", so_far)
    return match.named("match", [f"match −{s}" for s in distances])


def decided(match: Value, repeat: Repeat) -> Value:
    """The same with at most one match a row: the nearest (``latest``) or the farthest (``first``).

    Products of 1 - match over all distances up to each, of 2, 4, 8, … at a time.
    """
    count = match.width
    # The distances in the order in which one that matches shuts out those behind it.
    order = range(count) if repeat == "latest" else range(count - 1, -1, -1)
    none = (1 - match[list(order)]).named("no match", [f"no match −{s + 1} of 1" for s in order])
    step = 1
    while step < count:
        # Each product filters what is in its own place, so that none waits for another.
        # Names of those that are new: how far the product goes, and over how many.
        ends = [
            f"no match −{s + 1} of {min(2 * step, i + 1)}" for i, s in enumerate(order) if i >= step
        ]
        none = concat([none[:step], mul(none[:-step], none[step:]).named("no match", ends)])
        step *= 2
    differences = np.eye(count, k=1) - np.eye(count)
    chosen = linear(none, differences, np.eye(count)[0])
    return chosen[list(order)].named("chosen", [f"chosen −{s + 1}" for s in range(count)])


class AllPairs:
    """The solver: BaseConv layers that compare all pairs of positions.

    task: mqar, associative-recall or induction, of up to 2^16 tokens, with examples of up to 1,024.
    repeat: which place of a key that came more than once before is answered, ``first`` or
    ``latest``. None is for keys that come once: the values of all places are added up, and
    ``take_notes`` says how often there was more than one.
    """

    def __init__(self, task: Task, repeat: Repeat | None = None) -> None:
        accepted_recall("all-pairs", task)
        self.repeat = None if repeat is None else accepted_repeat(repeat)
        self.vocab_size, self.length = task.vocab_size, task.max_length

    def build(self) -> AllPairsModel:
        """The whole model."""
        program = all_pairs_program(self.length, code_bits(self.vocab_size), self.repeat)
        return AllPairsModel(compile_program(program), self.vocab_size)


class AllPairsModel(CodeModel):
    """The circuit between codes and head, and how often keys were seen to come again."""

    meanings: ClassVar[Mapping[str, str]] = {
        "code": "the bits of a token's number, −1 or 1",
        "alike": "½ where that bit is the same as in the token so far above, −½ where it is not; "
        "for several bits, 1 where all of them are the same and 0 elsewhere",
        "match": "1 where the token so far above is the same one, 0 elsewhere",
        "no match": "1 where none of so many distances up to this one matched",
        "chosen": "1 at the one match that decides a key that came again",
        "value": "the bits of the token that followed the match, 0 where nothing matched",
        "matches": "how many distances matched",
    }

    def __init__(self, compiled: Compiled, vocab_size: int) -> None:
        super().__init__(compiled, vocab_size)
        self._tally = RepeatTally()

    def state_size(self, length: int) -> int:
        """The codes of all tokens so far, once: what distances keep are copies of them."""
        return length * self.bits

    def take_notes(self) -> list[str]:
        """How many positions had more than one match."""
        return self._tally.take(
            "the values of all its places were added up (repeat=first or repeat=latest decides)"
        )

    def look_at(self, beside: Tensor) -> None:
        """Count rows with more than one match; the circuit that decides repeats has no count."""
        if beside.shape[1]:
            self._tally.count(beside[:, 0] > 1.5)
