"""The plan of a stack: every layer as steps, from the input array to the rows that are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.evaluation.grouping import Group, Places, groups, recipes
from bestiary.mixers.evaluation.inlining import inlined, reads
from bestiary.mixers.evaluation.steps import Step, StepMaker
from bestiary.mixers.evaluation.sums import Block, State
from bestiary.mixers.evaluation.tables import NONE, Ints, LayerTable, table_of
from bestiary.mixers.evaluation.threads import threads_for, work_of
from bestiary.mixers.evaluation.windows import Windows, live_windows
from bestiary.mixers.full_precision import full_precision

MOST_GROUPS = 48
"""A layer of more groups reads what it needs as one block, so that there are fewer."""
GIVEN = 0
"""The number of the block that is the input."""


@dataclass(frozen=True)
class Join:
    """Several blocks as one, 0 in the rows that they lack."""

    blocks: tuple[int, ...]
    first: int
    last: int

    def __call__(self, state: State, like: Tensor) -> Block:
        """(channels of all blocks, batch, rows)."""
        parts = [state[number] for number in self.blocks]
        count = sum(len(part.values) for part in parts)
        out = like.new_zeros(count, like.shape[0], self.last - self.first)
        at = 0
        for part in parts:
            begin, stop = part.first - self.first, part.first - self.first + part.values.shape[2]
            out[at : at + len(part.values), :, begin:stop] = part.values
            at += len(part.values)
        return Block(out, self.first)


@dataclass(frozen=True)
class Reading:
    """Columns of the output that a block has: its channels, and the rows of both."""

    block: int
    picked: Tensor
    columns: Tensor
    first: int
    last: int


class StackPlan:
    """How to evaluate layers on inputs (batch, length, inputs) of one dtype on one device.

    shape: (length, inputs). rows: N'. read: the channels that are read; window: their rows, (first,
    after the last). like: a tensor of that dtype and device.
    """

    def __init__(
        self,
        layers: Sequence[BaseConvLayer],
        shape: tuple[int, int],
        rows: int,
        read: Sequence[int],
        window: tuple[int, int],
        like: Tensor,
    ) -> None:
        length, inputs = shape
        self.window, self.columns, self.like = window, len(read), like.new_empty(0)
        self.width = layers[0].width
        tables = [table_of(layer, rows) for layer in layers]
        given = Windows(*np.zeros((2, self.width), dtype=np.int64))
        given.last[:inputs] = length
        live = live_windows(tables, given, read, window)
        self.channels: dict[int, Ints] = {GIVEN: np.arange(inputs)}
        self.spans = {GIVEN: (0, length)}
        self.steps: dict[int, Step | Join] = {}
        self.numbers = 1
        state, before = [GIVEN], dict[int, Step]()
        for number, table in enumerate(tables):
            after = tables[number + 1] if number + 1 < len(tables) else None
            made = self._layer(table, live[number + 1], state, _uses(after, self.width))
            made, gone = inlined(made, before)
            for block in gone:
                del self.steps[block]
            self.steps |= made
            state, before = list(made), made
        self.readings = self._readings(state, read, like.device)
        self.last = self._last_uses()
        self.work = work_of(self.steps.values())

    def __call__(self, x: Tensor) -> Tensor:
        """(batch, length, inputs) to (batch, rows read, channels read), an array of its own."""
        # Arrays are made in the dtype of x, and what is written to them must have it too.
        with full_precision(x), threads_for(self.work * len(x)):
            return self._run(x)

    def _run(self, x: Tensor) -> Tensor:
        state = {GIVEN: Block(x.permute(2, 0, 1).contiguous(), 0)}
        for number, step in self.steps.items():
            state[number] = step(state, x)
            for done in self.last.get(number, ()):
                del state[done]
        out = x.new_zeros(len(x), self.window[1] - self.window[0], self.columns)
        for part in self.readings:
            block = state[part.block]
            rows = block.values[..., part.first - block.first : part.last - block.first]
            begin = part.first - self.window[0]
            view = out[:, begin : begin + part.last - part.first]
            view.index_copy_(2, part.columns, rows.index_select(0, part.picked).permute(1, 2, 0))
        return out

    def _layer(
        self, table: LayerTable, live: Windows, state: Sequence[int], uses: Ints
    ) -> dict[int, Step]:
        def found(blocks: Sequence[int]) -> tuple[StepMaker, list[Group]]:
            places = Places.of(self.width, {number: self.channels[number] for number in blocks})
            made = recipes(table, live, places)
            maker = StepMaker(table, places, self.spans, made, self.like)
            return maker, groups(table, live, places, made, uses)

        maker, every = found(state)
        if len(every) > MOST_GROUPS and len(state) > 1:
            spans = [self.spans[block] for block in state]
            first, last = min(a for a, _ in spans), max(b for _, b in spans)
            channels = np.concatenate([self.channels[block] for block in state])
            joined = self._number(channels, (first, last))
            self.steps[joined] = Join(tuple(state), first, last)
            maker, every = found([joined])
        steps = {}
        for group in every:
            step = maker.step(group)
            steps[self._number(step.channels, (step.first, step.last))] = step
        return steps

    def _number(self, channels: Ints, span: tuple[int, int]) -> int:
        number = self.numbers
        self.numbers += 1
        self.channels[number], self.spans[number] = channels, span
        return number

    def _last_uses(self) -> dict[int, list[int]]:
        """By step, the blocks that none after it reads."""
        last: dict[int, int] = {}
        for number, step in self.steps.items():
            for block in step.blocks if isinstance(step, Join) else reads(step):
                last[block] = number
        read = {part.block for part in self.readings}
        out: dict[int, list[int]] = {}
        for block, number in last.items():
            if block not in read:
                out.setdefault(number, []).append(block)
        return out

    def _readings(
        self, state: Sequence[int], read: Sequence[int], device: torch.device
    ) -> list[Reading]:
        out = []
        for number in state:
            position = {channel: i for i, channel in enumerate(self.channels[number].tolist())}
            pairs = [(position[c], i) for i, c in enumerate(read) if c in position]
            first = max(self.spans[number][0], self.window[0])
            last = min(self.spans[number][1], self.window[1])
            if pairs and first < last:
                picked, columns = torch.tensor(pairs, device=device).T
                out.append(Reading(number, picked, columns, first, last))
        return out


def _uses(after: LayerTable | None, width: int) -> Ints:
    """A number for each channel that is the same where the next layer's filter has equal powers."""
    uses = np.full(width, NONE)
    if after is None:
        return uses
    powers: dict[int, list[int]] = {}
    for channel, power in zip(after.at.tolist(), after.powers.tolist(), strict=True):
        powers.setdefault(channel, []).append(power)
    kinds: dict[tuple[int, ...], int] = {}
    for channel, own in powers.items():
        uses[channel] = kinds.setdefault(tuple(sorted(own)), len(kinds))
    return uses
