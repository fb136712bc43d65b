"""Products by merged blocks: merging once, running on any number of batches."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bestiary.operators.butterfly.layout import (
    first_product,
    last_product,
    to_batch_first,
    to_batch_last,
)
from bestiary.operators.butterfly.merge import STACK, joined, merge
from bestiary.operators.butterfly.plan import Plan
from bestiary.operators.butterfly.steps import Step, Steps, steps_of


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks (·, r, r) of every step of a plan, ready to be applied to vectors.

    ``rows`` takes vectors as rows, (batch, stack · n), ``columns`` as columns, (stack · n, batch).
    """

    plan: Plan
    stack: int
    steps: Steps
    blocks: tuple[Tensor, ...]

    def columns(self, x: Tensor) -> Tensor:
        """(stack · n, batch) → the same shape, contiguous."""
        x = x.contiguous()
        for step, blocks in zip(self.steps.steps, self.blocks, strict=True):
            x = torch.bmm(blocks, self._operand(step, x))
        return self._natural(x).reshape(-1, x.shape[-1])

    def rows(self, x: Tensor) -> Tensor:
        """(batch, stack · n) → the same shape, contiguous; transposed within the products."""
        steps, blocks = self.steps.steps, self.blocks
        if len(steps) == 1:
            runs = x.unflatten(-1, (blocks[0].shape[0], -1)).transpose(0, 1)
            return torch.bmm(runs, blocks[0].mT).transpose(0, 1).reshape(x.shape)
        if steps[0].first:
            work = torch.bmm(blocks[0], self._operand(steps[0], to_batch_last(x)))
        else:
            work = first_product(blocks[0], x)
        for step, block in zip(steps[1:-1], blocks[1:-1], strict=True):
            work = torch.bmm(block, self._operand(step, work))
        last = self._operand(steps[-1], work)
        if not self.steps.restored:
            return last_product(blocks[-1], last)
        work = torch.bmm(blocks[-1], last)
        return to_batch_first(self._natural(work))

    def _sizes(self, axes: tuple[int, ...]) -> list[int]:
        return [self.stack if axis == STACK else self.plan.radices[axis] for axis in axes]

    def _operand(self, step: Step, x: Tensor) -> Tensor:
        """The work as (numbers of blocks, r, batch)."""
        batch = x.shape[-1]
        if step.copied:
            field = step.pieces[0].field
            after = (field, *step.axes)
            before = [after[step.copied.index(place)] for place in range(len(after))]
            work = x.reshape(*self._sizes(tuple(before)), batch)
            x = work.permute(*step.copied, len(after)).contiguous()
        if step.first:
            return x.reshape(step.radix, -1, batch).transpose(0, 1)
        return x.reshape(-1, step.radix, batch)

    def _natural(self, x: Tensor) -> Tensor:
        """A view of the work with axes in their natural order, the batch last."""
        work = x.reshape(*self._sizes(self.steps.order_at_end), x.shape[-1])
        restored = self.steps.restored
        return work.permute(*restored, len(restored)) if restored else work


def merge_all(twiddle: Tensor, plan: Plan) -> Blocks:
    """Merge a twiddle (stack, m, L, 2, 2, n/2) into the blocks of every step of ``plan``."""
    stack = twiddle.shape[0]
    steps = steps_of(plan, stack > 1)
    blocks = []
    for step in steps.steps:
        pieces = [
            merge(
                twiddle[:, piece.butterfly],
                plan.orders[piece.butterfly],
                plan.radices,
                piece.field,
                step.axes,
            )
            for piece in step.pieces
        ]
        blocks.append(joined(pieces))
    return Blocks(plan, stack, steps, tuple(blocks))
