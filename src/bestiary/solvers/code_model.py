"""A whole model around a circuit on token codes: codes in, sums of code bits out, logits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from bestiary.compile.compiling import Compiled
from bestiary.compile.report import parameters_of
from bestiary.errors import UserError
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.solvers.protocol import Size
from bestiary.solvers.token_code import SHARPNESS, token_codes

CHUNK = 2**24
"""Numbers of one array of a layer, at most, over the examples that are evaluated at once: as few as
keep the cost of small operations low, so that a few arrays stay far below 1 GB."""


class CodeModel(nn.Module):
    """An embedding of b = ⌈log2 V⌉ bits, a compiled stack, and a head, in float32.

    The embedding gives the code of a token. The stack gives any number of groups of b channels, and
    fewer than b beside them, which ``look_at`` gets. The head adds up the groups, and the logit of
    a token is the correlation of its code with the sum. All weights are fixed.
    """

    meanings: ClassVar[Mapping[str, str]] = {}
    """What the values of the program are, by the word their names have in common."""

    def __init__(self, compiled: Compiled, vocab_size: int) -> None:
        super().__init__()
        self.compiled = compiled
        self.vocab_size = vocab_size
        self.stack: BaseConvStack = compiled.stack.float()
        self.codes = nn.Parameter(token_codes(vocab_size))
        self.requires_grad_(False)
        self._answering = len(self.stack.channels) // self.bits * self.bits

    @property
    def bits(self) -> int:
        """Of a token's code."""
        return self.codes.shape[1]

    @property
    def embedding(self) -> Tensor:
        """(vocab_size, channels): what the stack gets for each token, here its code alone."""
        return self.codes

    @property
    def max_length(self) -> int:
        """The longest sequence that the circuit was made for."""
        return self.compiled.source.rows

    @property
    def size(self) -> Size:
        """Layers, channels, rows and parameters.

        Embedding and head count as a table of codes each, and the head as its sum over groups too.
        """
        rows = self.stack.inner_length or self.max_length
        of_stack = parameters_of(self.stack, rows)
        ends = 2 * self.codes.numel()
        summed = self._answering if self._answering > self.bits else 0
        return Size(
            layers=len(self.stack.layers),
            width=self.stack.width,
            rows=rows,
            delay=self.stack.delay,
            parameters=of_stack.nonzero + ends + summed,
            dense=of_stack.dense + ends + summed * self.bits,
        )

    def state_size(self, length: int) -> int:
        """Elements that the layers carry for one sequence after ``length`` positions."""
        return self.stack.state_size(length)

    @torch.no_grad()
    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Logits (len(positions), vocab_size), or (batch, length, vocab_size) without positions.

        tokens: int64 (batch, length). positions: int64 flat indices into batch · length. Evaluated
        a few examples at a time, and without gradients. ``UserError`` for a longer sequence.
        """
        batch, length = tokens.shape
        if length > self.max_length:
            raise UserError(
                f"a sequence of {length} tokens was given to a model that was compiled for up to "
                f"{self.max_length}"
            )
        flat = torch.arange(batch * length, device=tokens.device)
        if positions is not None:
            flat = positions
        answers = self.codes.new_zeros(len(flat), self.bits, dtype=self._summed)
        at_once = max(1, CHUNK // (length * self.stack.width))
        for start in range(0, batch, at_once):
            rows = flat - start * length
            part = tokens[start : start + at_once]
            chosen = torch.nonzero((rows >= 0) & (rows < part.numel()))[:, 0]
            if len(chosen):
                answers[chosen] = self._answers(part, rows[chosen]).to(answers.dtype)
        logits = SHARPNESS * answers @ self.codes.to(answers.dtype).T
        return logits.view(batch, length, self.vocab_size) if positions is None else logits

    def stack_input(self, tokens: Tensor) -> Tensor:
        """(batch, max_length, channels): what the stack gets, 0 in the rows after a sequence.

        tokens: int64 (batch, length).
        """
        embedded = self.embedding[tokens]
        return functional.pad(embedded, (0, 0, 0, self.max_length - tokens.shape[1]))

    def answers(self, tokens: Tensor) -> Tensor:
        """(batch, length, bits): the sums over groups, from which the head reads the answer.

        tokens: int64 (batch, length).
        """
        with torch.no_grad():
            found = self._answers(tokens, torch.arange(tokens.numel(), device=tokens.device))
        return found.view(*tokens.shape, -1)

    @property
    def _summed(self) -> torch.dtype:
        """What groups are added up in: bfloat16 cannot tell more than 256 of them from one more."""
        return torch.promote_types(self.codes.dtype, torch.float32)

    def take_notes(self) -> list[str]:
        """What is to be said of the inputs since the last call: here nothing."""
        return []

    def look_at(self, beside: Tensor) -> None:
        """Given the channels beside the groups, (positions, channels), of all that was asked."""

    def _answers(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """(len(rows), bits): sums over groups at flat rows of a few examples."""
        found = self.stack(self.embedding[tokens])
        found = found.reshape(-1, found.shape[-1]).index_select(0, rows)
        self.look_at(found[:, self._answering :])
        groups = found[:, : self._answering].unflatten(1, (-1, self.bits))
        return groups.sum(1, dtype=self._summed)
