"""All pairs: every token is compared with every earlier one, and what followed a match is said.

    answer[i] = Σ_s match_s[i] · code(u[i - s + 1])
    match_s[i] = Π_k (1 + x_k[i] · x_k[i - s]) / 2

with x_k[i] = ±1 the bits of token i's number. Each distance s from 1 to N - 1 has channels of its
own: one layer copies the bits, one forms the products x_k[i] · x_k[i - s], ⌈log2 b⌉ form their
match, whose row biases are 0 in the rows i < s, and one multiplies it by the bits of the value.
The embedding gives the b bits of a token once, and *the head sums over distances* before it
correlates the sum with the codes of all tokens: ⌈log2 b⌉ + 3 layers, (N - 1)(b + 1) channels.

See docs/theory.md, 'Recall'. A key that came twice has two matches, whose values add up.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.expression import Value, concat, input_array, linear, mul, shift, total
from bestiary.compile.program import Program
from bestiary.compile.report import parameters_of
from bestiary.compile.rows import Rows
from bestiary.errors import UserError
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.solvers.protocol import Size
from bestiary.solvers.token_code import SHARPNESS, code_bits, token_codes
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import Task

MOST_TOKENS, MOST_LENGTH = 2**16, 1024
CHUNK = 2**26
"""Numbers of one array of a layer, at most, over the examples that are evaluated at once."""


def all_pairs_program(length: int, bits: int) -> Program:
    """The circuit on codes (length, bits), with (length - 1)·bits + 1 channels out.

    Of each distance the bits of the value where it matches, else 0; then how many matched.
    """
    code = input_array("code", bits)
    matches = [matched(code, distance, length) for distance in range(1, length)]
    values = [
        mul(
            linear(match, np.ones((1, bits))),
            shift(code, distance - 1),
            f"value at distance {distance}",
        )
        for distance, match in enumerate(matches, 1)
    ]
    output = concat([*values, total(matches, "matches")], "values by distance")
    return Program((code,), output, rows=length, name="all-pairs")


def matched(code: Value, distance: int, length: int) -> Value:
    """Whether a row's code is that of ``distance`` rows before, 1 or 0; 0 in rows without one."""
    alike = mul(code, shift(code, distance), f"alike at distance {distance}")
    # One factor that is 0 in the rows before the first is enough.
    there = np.full((max(0, length - distance), 1), 0.5)
    bits = [alike[0] * 0.5 + Rows.of(there, distance)]
    bits += [alike[k] * 0.5 + 0.5 for k in range(1, code.width)]
    while len(bits) > 1:
        pairs = [bits[i : i + 2] for i in range(0, len(bits), 2)]
        bits = [mul(pair[0], pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return bits[0].named(f"match at distance {distance}")


class AllPairs:
    """The solver: BaseConv layers that compare all pairs of positions.

    task: multi-query associative recall of up to 2^16 tokens, with examples of up to 1,024.
    """

    def __init__(self, task: Task) -> None:
        if not isinstance(task, MQAR):
            raise UserError(
                f"compiled:all-pairs cannot solve {type(task).__name__} (accepted: the task mqar)"
            )
        for name, value, most in (
            ("vocab_size", task.vocab_size, MOST_TOKENS),
            ("length", task.max_length, MOST_LENGTH),
        ):
            if value > most:
                raise UserError(
                    f"compiled:all-pairs takes a {name} of up to {most:,}; the task has {value:,}"
                )
        self.vocab_size, self.length = task.vocab_size, task.max_length

    def build(self) -> AllPairsModel:
        """The whole model."""
        program = all_pairs_program(self.length, code_bits(self.vocab_size))
        return AllPairsModel(compile_program(program), self.vocab_size)


class AllPairsModel(nn.Module):
    """Codes of tokens, the stack, and a head that sums over distances and compares with codes."""

    def __init__(self, compiled: Compiled, vocab_size: int) -> None:
        super().__init__()
        self.compiled = compiled
        self.vocab_size = vocab_size
        self.stack: BaseConvStack = compiled.stack.float()
        self.codes = nn.Parameter(token_codes(vocab_size))
        self.requires_grad_(False)
        self.asked = self.repeated = 0

    @property
    def bits(self) -> int:
        """Of a token's code."""
        return self.codes.shape[1]

    @property
    def size(self) -> Size:
        """See ``SolverModel``; the head counts as the sum over distances and the codes."""
        rows = self.stack.inner_length or 0
        of_stack = parameters_of(self.stack, rows)
        summed = len(self.stack.channels) - 1
        ends = 2 * self.codes.numel()
        return Size(
            layers=len(self.stack.layers),
            width=self.stack.width,
            rows=rows,
            delay=self.stack.delay,
            parameters=of_stack.nonzero + ends + summed,
            dense=of_stack.dense + ends + summed * self.bits,
        )

    def state_size(self, length: int) -> int:
        """The codes of all tokens so far, once: the channels of each distance hold copies."""
        return length * self.bits

    @torch.no_grad()
    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """See ``SolverModel``."""
        batch, length = tokens.shape
        flat = (
            torch.arange(batch * length, device=tokens.device) if positions is None else positions
        )
        answers = self.codes.new_zeros(len(flat), self.bits)
        at_once = max(1, CHUNK // (length * self.stack.width))
        for start in range(0, batch, at_once):
            rows = flat - start * length
            part = tokens[start : start + at_once]
            chosen = torch.nonzero((rows >= 0) & (rows < part.numel()))[:, 0]
            if len(chosen):
                answers[chosen] = self._answers(part, rows[chosen])
        logits = SHARPNESS * answers @ self.codes.T
        return logits.view(batch, length, -1) if positions is None else logits

    def take_notes(self) -> list[str]:
        """How many positions had more than one match."""
        asked, repeated = self.asked, self.repeated
        self.asked = self.repeated = 0
        if not repeated:
            return []
        return [
            f"{repeated:,} of {asked:,} queries had a key that came more than once before, and the "
            "values of all its places were added up"
        ]

    def _answers(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """(len(rows), bits): sums over distances at flat rows of a chunk."""
        found = self.stack(self.codes[tokens])
        found = found.reshape(-1, found.shape[-1]).index_select(0, rows)
        self.asked += len(rows)
        self.repeated += int((found[:, -1] > 1.5).sum())
        return found[:, :-1].unflatten(1, (-1, self.bits)).sum(1)
