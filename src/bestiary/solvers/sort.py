"""Sort: records are sorted by key, equal keys are neighbours, and answers are sorted back.

Position i has a record of three numbers in bits of ±1: its token u_i, i, and the token u_{i+1} that
follows. The circuit, all as one array program (``bitonic`` has the stages):

1. sort by (token, position), S = m(m + 1)/2 stages for m = ⌈log2 N⌉;
2. where the record just before has the same token, it is the latest earlier place of it, and what
   followed there is the answer; else the answer is 0;
3. sort the answers back, by position (``back=sort``), or by the swaps of 1. in reverse
   (``back=undo``: two layers a stage, and a channel for each swap until it is needed).

Layers: at most 2 + S(⌈log2(b + m)⌉ + 4) + (⌈log2 b⌉ + 3) + S(⌈log2 m⌉ + 4) with b bits a token, O(b
+ log N) channels; with ``undo``, 2S in place of the last term and S more channels. Each stage
answers 2^j rows late, some 4N in all. Sequences are filled up to a power of two with records of
token 0, which come after all others of that token and so answer none.

Zoology (arXiv 2312.04927), section 4 and appendix H; see docs/theory.md, 'Recall'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, get_args

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bestiary.compile.compiling import compile_program
from bestiary.compile.expression import Value, concat, constant_array, input_array, mul, shift
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.errors import unknown_name
from bestiary.solvers.accepted import accepted_recall
from bestiary.solvers.bitonic import exchanged, layers_of_stage, sorted_rows, stages
from bestiary.solvers.code_model import CodeModel
from bestiary.solvers.product_tree import product_over
from bestiary.solvers.token_code import code_bits
from bestiary.tasks.protocol import Task

Back = Literal["sort", "undo"]


def position_bits(length: int) -> int:
    """m = ⌈log2 N⌉, at least 1."""
    return max(1, (length - 1).bit_length())


def most_layers(length: int, bits: int, back: Back = "sort") -> int:
    """The bound on layers that is stated above."""
    m = position_bits(length)
    stages_each = m * (m + 1) // 2
    back_again = layers_of_stage(m) if back == "sort" else 2
    neighbour = (bits - 1).bit_length() + 3
    return 2 + stages_each * (layers_of_stage(bits + m) + back_again) + neighbour


def sort_program(length: int, bits: int, back: Back = "sort") -> Program:
    """The circuit on codes (length, bits), ±1 in every row: answers (length, bits), 0 for none."""
    m = position_bits(length)
    rows = 2**m
    code = input_array("code", bits)
    token: Value = code
    if rows > length:
        token = code + Rows.of(np.full((rows - length, bits), -1.0), length)
    numbers = (np.arange(rows)[:, None] >> np.arange(m)[::-1]) & 1
    position: Value = constant_array(Rows.of(numbers * 2.0 - 1), m, "position")
    records = concat([token, position, shift(token, -1)], "records")
    records, swaps = sorted_rows(records, bits + m, m)
    records = records.named("sorted")
    token, position, value = records[:bits], records[bits : bits + m], records[bits + m :]
    same = same_as_before(token, rows)
    found = mul(same[[0] * bits], shift(value, 1)).named("found")
    if back == "sort":
        back_again, _ = sorted_rows(concat([position, found]), m, m, "back")
        labels = [f"position.{k}" for k in range(m)] + [f"answers.{k}" for k in range(bits)]
        answers = back_again.named("answers", labels)[m:]
    else:
        answers = found
        for stage, swap in reversed(list(zip(stages(m), swaps, strict=True))):
            answers = exchanged(answers, swap, stage.step)
    return Program((code,), answers.named("answers"), rows=length, name="sort")


def same_as_before(token: Value, rows: int) -> Value:
    """One channel: 1 in the rows from 1 to ``rows`` - 1 that have the bits of the row above."""
    equal = mul(token, shift(token, 1)) * 0.5 + 0.5
    # What lies above row 0 is no record; one factor that is 0 there is enough.
    first = equal[0] * Rows.window(1, rows)
    return product_over(concat([first, equal[1:]]) if equal.width > 1 else first)


class SortSolver:
    """The solver: BaseConv layers that sort, compare neighbours and sort back.

    task: mqar, associative-recall or induction, of up to 2^16 tokens, with examples of up to 1,024.
    A key that came more than once before is answered by its latest place. back: how answers come
    back to their rows, by a second ``sort`` or by an ``undo`` of the first: fewer layers, more
    channels.
    """

    def __init__(self, task: Task, back: Back = "sort") -> None:
        accepted = accepted_recall("sort", task)
        if back not in get_args(Back):
            raise unknown_name("back", str(back), get_args(Back))
        self.vocab_size, self.length, self.back = accepted.vocab_size, accepted.max_length, back

    def build(self) -> SortModel:
        """The whole model."""
        program = sort_program(self.length, code_bits(self.vocab_size), self.back)
        return SortModel(compile_program(program), self.vocab_size)


class SortModel(CodeModel):
    """The circuit between codes and head; shorter sequences are filled up with token 0."""

    meanings: ClassVar[Mapping[str, str]] = {
        "code": "the bits of a token's number, −1 or 1",
        "position": "the bits of a position's number, −1 or 1",
        "records": "of each row the bits of its token, of its position and of the token after it",
        "alike": "½ where that bit of two records is the same, −½ where it is not",
        "same": "1 where all bits of two records so far are the same",
        "order": "which of two records comes first, by the first bit in which they differ",
        "swap": "1 where two records have to be exchanged",
        "move": "what is taken from one record and given to the other",
        "sort": "the records after so many rounds of exchanges by token, then position",
        "back": "position and answer after so many rounds of exchanges by position",
        "sorted": "records by token, then position: equal tokens are neighbours",
        "found": "the value of the record above where that has the same token, else 0",
        "answers": "the bits of the token to be said, back in its row; 0 for none",
    }

    def state_size(self, length: int) -> int:
        """The codes of all tokens so far: any may be asked for again."""
        return length * self.bits

    def stack_input(self, tokens: Tensor) -> Tensor:
        """(batch, max_length, bits): the rows after a shorter sequence are those of token 0."""
        return super().stack_input(self._filled(tokens))

    def _filled(self, tokens: Tensor) -> Tensor:
        return functional.pad(tokens, (0, self.max_length - tokens.shape[1]))

    def _answers(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """See ``CodeModel``."""
        length = tokens.shape[1]
        filled = self._filled(tokens)
        example = torch.div(rows, length, rounding_mode="floor")
        return super()._answers(filled, example * self.max_length + rows % length)
