"""Numbers of the last few steps, read from the device together."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from bestiary.training.data import TensorBatch
from bestiary.training.metrics import Tally, position_hits, whole_examples


class PendingSteps:
    """Steps whose sums are still on the device: reading one makes the processor wait for it."""

    def __init__(self) -> None:
        self._sums: list[Tensor] = []
        self._counts: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._sums)

    def add(self, losses: Tensor, logits: Tensor, norm: Tensor, batch: TensorBatch) -> None:
        """Note one step: its losses (labelled,), logits (labelled, vocab) and gradient norm."""
        hits = position_hits(logits.detach(), batch.targets)
        sums = (losses.detach().sum(), hits.sum(), whole_examples(hits, batch), norm)
        self._sums.append(torch.stack([value.double() for value in sums]))
        self._counts.append((len(losses), batch.examples))

    def read(self) -> tuple[Tally, int | None]:
        """The sums of the noted steps, and the number (from 0) of the first not finite one.

        Steps from that one on are left out of the sums. Afterwards nothing is noted.
        """
        if not self._sums:
            return Tally(), None
        tally = Tally()
        bad = None
        for number, (loss, hits, whole, norm) in enumerate(torch.stack(self._sums).tolist()):
            if not (math.isfinite(loss) and math.isfinite(norm)):
                bad = number
                break
            queries, examples = self._counts[number]
            tally += Tally(queries, loss, int(hits), examples, int(whole))
        self._sums.clear()
        self._counts.clear()
        return tally, bad
