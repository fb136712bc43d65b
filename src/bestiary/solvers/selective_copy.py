"""Selective copying: data tokens are counted in binary, moved together, and moved to the markers.

The embedding gives a token's b bits of ±1 and three channels of 0 or 1: whether it is data, noise,
or the marker. w[i] is how many tokens up to i are noise, and q how many stand before the markers.
With m = ⌈log2 N⌉, everything is exact, for all numbers are -1, 0, 1 and halves of their sums:

1. *Count*, m + 1 layers a bit. The lowest bit of a running count of events e is its parity, a
   running product of 1 - 2e over 1, 2, 4, … rows; where it turns even is an event of the next bit.
   So for noise, which gives w, and for noise and data together, whose count at the markers is q. A
   running product upwards brings q to all rows above them.
2. *Compact*, 3m layers: the data token at i goes up by w[i] rows, by 1 where the lowest bit is 1,
   then by 2, and so on; its number among the data tokens, from 0, is then its row. None is in the
   way of another: of two, the one further down goes up at least as far, and stays further down.
3. *Spread*, 2m layers: all go down by q rows, bit by bit, the first to the first marker.

Layers: at most m(m + 6) + 1, and two more where N = 2. Channels: at most 4b + 3m. Answers come
2^(m + 1) - 2 rows late. Markers stand beside each other, behind all that they ask for; how many
follow one makes no difference to it.

See docs/theory.md, 'Recall'.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from bestiary.compile.compiling import Compiled, compile_program
from bestiary.compile.expression import Value, concat, conv, input_array, mul, shift
from bestiary.compile.program import Program
from bestiary.solvers.accepted import accepted_task
from bestiary.solvers.code_model import CodeModel
from bestiary.solvers.protocol import Size
from bestiary.solvers.token_code import code_bits
from bestiary.tasks.protocol import Task
from bestiary.tasks.selective_copy import SelectiveCopy

KINDS = ("data", "noise", "marker")


def most_layers(length: int) -> int:
    """The bound on layers that is stated above."""
    m = row_bits(length)
    return m * (m + 6) + (1 if length > 2 else 3)


def most_channels(length: int, bits: int) -> int:
    """The bound on channels that is stated above."""
    return 4 * bits + 3 * row_bits(length)


def row_bits(length: int) -> int:
    """m = ⌈log2 N⌉, at least 1."""
    return max(1, (length - 1).bit_length())


def selective_copy_program(length: int, bits: int) -> Program:
    """The circuit on codes and kinds (length, bits + 3): answers (length, bits), 0 for none.

    length: at least 2, markers too.
    """
    labels = [f"code.{k}" for k in range(bits)]
    token = input_array("token", bits + len(KINDS), [*labels, *KINDS])
    code = token[:bits]
    data, noise, marker = token[bits:]
    counts = counted(concat([noise, data + noise]), length, row_bits(length))
    ahead = concat([mul(marker, count[1]) for count in counts]).named("ahead")
    ahead = 1 - products(1 - ahead, length, "behind", upwards=True)
    record = mul(data[[0] * bits], code).named("copy", labels)
    up = concat([mul(data, count[0]) for count in counts]).named("up")
    record = compacted(record, up)
    for k, bit in enumerate(ahead):
        each = bit[[0] * bits]
        stays, falls = mul(record, 1 - each), mul(record, each)
        record = stays.named(f"stay {2**k}") + shift(falls.named(f"fall {2**k}"), 2**k)
    return Program((token,), record.named("answers"), rows=length, name="selective-copy")


def products(signs: Value, length: int, name: str = "", upwards: bool = False) -> Value:
    """Running products over the rows up to each one, or (``upwards``) from each one on.

    signs: 1 in the rows before 0 and from ``length`` on. ⌈log2 length⌉ layers.
    """
    step = 1
    while step < length:
        signs = mul(signs, shift(signs, -step if upwards else step)).named(name)
        step *= 2
    return signs


def counted(events: Value, length: int, bits: int) -> list[Value]:
    """For each bit from the lowest on, that bit of the running counts of events: 0 or 1.

    events: 0 or 1 in each channel, counted by itself; a row's own event is counted there.
    """
    found = []
    for number in range(bits):
        even = products(1 - 2 * events, length, f"parity {number}")
        found.append(0.5 - 0.5 * even)
        if number + 1 < bits:
            # Two events of a bit are one of the next: at the second of them the count is even.
            events = mul(events, 0.5 + 0.5 * even).named(f"carry {number}")
    return found


def compacted(record: Value, by: Value) -> Value:
    """Rows of ``record`` moved up, each by the number whose bits, the lowest first, are in ``by``.

    Both are 0 in rows that hold nothing. What further bits say moves with its row.
    """
    for number in range(by.width):
        width = record.width
        together = concat([record, by[1:]]) if by.width > 1 else record
        moved = mul(by[[0] * together.width], together).named(f"move {2**number}")
        together = (together + conv({0: -1, -(2**number): 1}, moved)).named(f"compact {2**number}")
        record, by = together[:width], together[width:]
    return record


class SelectiveCopySolver:
    """The solver: BaseConv layers that count, compact and spread.

    task: selective copying of up to 2^16 tokens, with examples of up to 1,024.
    """

    def __init__(self, task: Task) -> None:
        self.task = accepted_task("selective-copy", task, (SelectiveCopy,))

    def build(self) -> SelectiveCopyModel:
        """The whole model."""
        program = selective_copy_program(self.task.max_length, code_bits(self.task.vocab_size))
        return SelectiveCopyModel(compile_program(program), self.task)


class SelectiveCopyModel(CodeModel):
    """The circuit between codes with kinds and head."""

    meanings: ClassVar[Mapping[str, str]] = {
        "code": "the bits of a token's number, −1 or 1",
        "data": "1 where the token is one to be copied, 0 elsewhere",
        "noise": "1 where the token is noise, 0 elsewhere",
        "marker": "1 where the token is the marker, 0 elsewhere",
        "parity": "1 where that bit of a count up to here is 0 over so many rows, −1 where it is 1",
        "carry": "1 where that bit of a count turns from 1 to 0",
        "up": "the bits of how many tokens before a data token are noise, 0 elsewhere",
        "ahead": "the bits of how many tokens stand before the markers, 0 elsewhere",
        "behind": "0 where that bit is 1 at a marker further down, 1 elsewhere",
        "copy": "the bits of a data token, 0 elsewhere",
        "move": "what goes up by so many rows",
        "compact": "data tokens, and what they have yet to go, after moves up to so many rows",
        "stay": "the bits of data tokens that do not go down by so many rows",
        "fall": "the bits of data tokens that go down by so many rows",
        "answers": "the bits of the token to be said, 0 for none",
    }

    def __init__(self, compiled: Compiled, task: SelectiveCopy) -> None:
        super().__init__(compiled, task.vocab_size)
        number = torch.arange(task.vocab_size)
        kinds = (number > task.marker, number < task.marker, number == task.marker)
        self.kinds = nn.Parameter(torch.stack(kinds, 1).float(), requires_grad=False)

    @property
    def embedding(self) -> Tensor:
        """Codes, and the three kinds beside them."""
        return torch.cat([self.codes, self.kinds], 1)

    @property
    def size(self) -> Size:
        """See ``CodeModel``; a token has one of the kinds."""
        size, kinds = super().size, self.kinds
        return dataclasses.replace(
            size,
            parameters=size.parameters + int(kinds.count_nonzero()),
            dense=size.dense + kinds.numel(),
        )

    def state_size(self, length: int) -> int:
        """The codes of all tokens so far: each may be data."""
        return length * self.bits

    def _answers(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """See ``CodeModel``; rows that are read ahead are there in shorter sequences too."""
        length = tokens.shape[1]
        found = self.stack(self.stack_input(tokens))
        example = torch.div(rows, length, rounding_mode="floor")
        return found.flatten(0, 1).index_select(0, example * self.max_length + rows % length)
