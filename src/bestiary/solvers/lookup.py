"""Lookup: a recurrent table of pairs, of a size that does not grow with the sequence.

Tokens are read one by one. A key that stands in the table is answered with the value beside it. A
key followed by a value is stored. Keys and values are told apart by their numbers: from 1 to
V/2 - 1 and from V/2 up in ``mqar`` and ``associative-recall``, 0 and from 1 up in ``induction``.

The rules of the table: an entry is a key and its value. A key that is stored already keeps its
value (``repeat=first``), or takes the new one and counts as new (``latest``). When all slots are
taken the new pair is not taken in (``full=keep``), or the oldest entry is overwritten
(``full=overwrite``). Random filler has pairs too: keys beside values by chance, one in four of its
neighbours, so that ``overwrite`` forgets pairs of the context to them, and ``keep`` answers the
first ``slots`` pairs of the context whatever follows: it fails exactly where its own count of bits
says that it must.

What it stores, in bits: of k keys one, or none for a free slot, ⌈log2(k + 1)⌉, and a value of
⌈log2(values)⌉ for each slot, and one key that waits for its value. Entries stand by age, so that
their order takes none. General memories need not store keys: ``tasks.ceiling`` has what any of so
many bits can recall, which this one stays below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn

from bestiary.errors import UserError, unknown_name
from bestiary.solvers.accepted import RecallTask, accepted_recall
from bestiary.solvers.one_hot import OneHotHead
from bestiary.solvers.protocol import Size
from bestiary.solvers.repeats import Repeat, accepted_repeat
from bestiary.solvers.working import Working
from bestiary.tasks.associative_recall import AssociativeRecall
from bestiary.tasks.ceiling import bits_needed
from bestiary.tasks.protocol import Task
from bestiary.tasks.segments import whole_number

Full = Literal["overwrite", "keep"]


class Lookup:
    """The solver: a table of ``slots`` pairs, or of as many as fit in ``bits``.

    task: mqar, associative-recall with a split vocabulary, or induction, of up to 2^16 tokens, with
    examples of up to 1,024. slots, bits: the size, by one of them; without either there is a slot
    for every pair that an example can hold. repeat: whether the ``first`` value of a key counts or
    the ``latest``. full: what a full table does with a new pair, ``keep`` what it has or
    ``overwrite`` the oldest.
    """

    def __init__(
        self,
        task: Task,
        slots: int | None = None,
        bits: int | None = None,
        repeat: Repeat = "first",
        full: Full = "keep",
    ) -> None:
        self.task = accepted_recall("lookup", task)
        if isinstance(self.task, AssociativeRecall) and self.task.vocabulary == "shared":
            raise UserError(
                "compiled:lookup tells keys from values by their numbers, and vocabulary is "
                "'shared' (accepted: vocabulary 'split')"
            )
        if full not in get_args(Full):
            raise unknown_name("full", str(full), get_args(Full))
        self.repeat, self.full = accepted_repeat(repeat), full
        if slots is not None and bits is not None:
            raise UserError(
                f"slots is {slots} and bits is {bits}; the size of a table is given by one of them"
            )
        if bits is not None:
            self.slots = slots_within(whole_number("bits", bits, 0), self.task)
        else:
            self.slots = whole_number("slots", self._most if slots is None else slots, 1)

    @property
    def _most(self) -> int:
        """No two pairs share a token, nor two entries a key."""
        return min(self.task.max_length // 2, self.task.keys)

    def build(self) -> LookupModel:
        """The whole model."""
        return LookupModel(self.task, self.slots, self.repeat, self.full)


def key_bits(task: RecallTask) -> int:
    """Bits that tell the keys apart, and none from all of them."""
    return task.keys.bit_length()


def value_bits(task: RecallTask) -> int:
    """Bits that tell the values apart; at least 1."""
    return max(1, (task.values - 1).bit_length())


def table_bits(slots: int, task: RecallTask) -> int:
    """Bits of a table: keys and values of its slots, and the key that waits for its value."""
    return slots * (key_bits(task) + value_bits(task)) + key_bits(task)


def slots_within(bits: int, task: RecallTask) -> int:
    """The slots of the largest table of at most ``bits``; ``UserError`` where none fits."""
    least = table_bits(1, task)
    if bits < least:
        raise UserError(f"bits is {bits}; a table of one slot takes {least} at this vocab_size")
    return (bits - key_bits(task)) // (key_bits(task) + value_bits(task))


@dataclass(frozen=True)
class Table:
    """The state, int64: keys and values (batch, slots), newest first; waiting (batch,) a key or 0.

    Keys are numbered from 1. A free slot has the key 0, and taken ones come first.
    """

    keys: Tensor
    values: Tensor
    waiting: Tensor


class LookupModel(nn.Module):
    """The table, read token by token, and a diagonal head."""

    compiled = None
    meanings: ClassVar[Mapping[str, str]] = {
        "token": "the number of the token",
        "key": "the token that is the key of a slot, the newest first; nothing in a free one",
        "value": "the token that is the value of a slot",
        "waiting": "the key just read, stored if a value follows",
        "match": "1 where the token is the key of that slot",
        "answer": "the token to be said; nothing where no slot matches",
    }

    def __init__(self, task: RecallTask, slots: int, repeat: Repeat, full: Full) -> None:
        super().__init__()
        self.task, self.slots, self.repeat, self.full = task, slots, repeat, full
        self.vocab_size, self.first_value = task.vocab_size, task.vocab_size - task.values
        self.first_key = self.first_value - task.keys
        self.head = OneHotHead(task.vocab_size)

    @property
    def bits(self) -> int:
        """Bits of state."""
        return table_bits(self.slots, self.task)

    @property
    def size(self) -> Size:
        """See ``SolverModel``; the width is that of the state, and the table has no weights."""
        nonzero, dense = self.head.parameters_of_ends
        return Size(1, self.bits, self.task.max_length, 0, nonzero, dense)

    def state_size(self, length: int) -> int:
        """Elements of one bit each, however long the sequence."""
        return self.bits

    def initial_state(self, batch: int) -> Table:
        """The empty table."""
        # More slots than an example has pairs are never reached.
        slots = min(self.slots, max(1, min(self.task.max_length // 2, self.task.keys)))
        device = self.head.diagonal.device
        free = torch.zeros(batch, slots, dtype=torch.int64, device=device)
        return Table(free, free, free[:, 0])

    def step(self, tokens: Tensor, state: Table) -> tuple[Tensor, Table]:
        """Answers (batch,) to the tokens (batch,), -1 where there is none, and the next state."""
        is_key = (tokens >= self.first_key) & (tokens < self.first_value)
        key = torch.where(is_key, tokens - self.first_key + 1, 0)
        alike = (state.keys == key[:, None]) & is_key[:, None]
        answers = torch.where(alike.any(1), (state.values * alike).sum(1), -1)
        keys, values = self._stored(state, tokens)
        return answers, Table(keys, values, key)

    def _stored(self, state: Table, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values after the waiting key met ``tokens``."""
        pair = (state.waiting > 0) & (tokens >= self.first_value)
        same = state.keys == state.waiting[:, None]
        known = same.any(1)
        taken = pair & ~known
        if self.full == "keep":
            taken &= state.keys[:, -1] == 0
        last = torch.full_like(tokens, state.keys.shape[1] - 1)
        gap = last
        if self.repeat == "latest":
            taken |= pair & known
            gap = torch.where(known, same.long().argmax(1), last)
        # Entries move by one into the gap, which is the oldest's or that of the same key.
        slot = torch.arange(state.keys.shape[1], device=tokens.device)
        moved = taken[:, None] & (slot <= gap[:, None])

        def with_new(old: Tensor, new: Tensor) -> Tensor:
            return torch.where(moved, torch.cat([new[:, None], old[:, :-1]], 1), old)

        return with_new(state.keys, state.waiting), with_new(state.values, tokens)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """See ``SolverModel``."""
        batch, length = tokens.shape
        state = self.initial_state(batch)
        by_time = []
        for column in tokens.unbind(1):
            answers, state = self.step(column, state)
            by_time.append(answers)
        answers = torch.stack(by_time, 1).flatten()
        asked = answers if positions is None else answers.index_select(0, positions)
        queries = torch.nonzero(asked >= 0)[:, 0]
        logits = self.head(queries, asked[queries], len(asked))
        return logits.view(batch, length, self.vocab_size) if positions is None else logits

    def workings(self, tokens: Tensor) -> tuple[Working, ...]:
        """See ``HasWorkings``; tables are those that a token finds, before it is stored."""
        state, found = self.initial_state(1), []
        for column in tokens.unbind(1):
            found.append(state)
            _, state = self.step(column, state)
        keys, values, waiting = (
            torch.cat([getattr(table, part) for table in found]).double().numpy()
            for part in ("keys", "values", "waiting")
        )
        row = tokens[0].double().numpy()
        number = self.first_key - 1
        alike = (keys > 0) & (keys + number == row[:, None])
        values = np.where(keys > 0, values, np.nan)
        answer = np.where(alike.any(1), np.where(alike, values, 0).sum(1), np.nan)
        shown = np.where(keys > 0, keys + number, np.nan)
        last = np.where(waiting > 0, waiting + number, np.nan)
        slots = range(keys.shape[1])
        names = [f"{part}.{slot}" for part in ("key", "value") for slot in slots]
        return (
            Working("input", "The tokens, read one by one.", ("token",), row[:, None]),
            Working(
                "table",
                "What a token finds in the table; a key and the value after it are stored once "
                "both have been read.",
                (*names, "waiting"),
                np.concatenate([shown, values, last[:, None]], 1),
                {"key": "stored", "value": "stored", "waiting": "the token before, if it is a key"},
            ),
            Working(
                "match",
                "The token is compared with the key of every slot.",
                tuple(f"match.{slot}" for slot in slots),
                alike.astype(np.float64),
                {"match": "token = key of the slot"},
            ),
            Working(
                "head",
                "The value of the slot that matches is said.",
                ("answer",),
                answer[:, None],
                {"answer": "the sum over slots of match × value"},
            ),
        )

    def take_notes(self) -> list[str]:
        """What a table that holds all pairs would take, where this one does not."""
        pairs = max(segment.number for segment in self.task.segments)
        if self.slots >= pairs:
            return []
        count = "1 pair" if self.slots == 1 else f"{self.slots:,} pairs"
        any_memory = float(bits_needed(1.0, pairs, self.task.values))
        return [
            f"its {self.bits:,} bits of state hold {count} with their keys, where all {pairs:,} "
            f"take {table_bits(pairs, self.task):,} bits in a table with keys and "
            f"{any_memory:,.0f} in any memory"
        ]
