"""From a task's stream to the tensors of one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.tasks.protocol import Batch, Stream
from bestiary.training.order import EpochOrder, batch_counts


@dataclass(frozen=True)
class TensorBatch:
    """A batch as the model and the metrics need it, all on one device.

    tokens: int64 (batch, length). positions: int64 (labelled,), ascending flat indices into
    batch · length. targets: int64 (labelled,), the right tokens there. rows: int64 (labelled,),
    the example each position belongs to. examples: how many examples have any label.
    gap: int64 (labelled,) in numpy, or None where the task has no gaps.
    """

    tokens: Tensor
    positions: Tensor
    targets: Tensor
    rows: Tensor
    examples: int
    gap: NDArray[np.int64] | None


def to_tensors(batch: Batch, device: torch.device) -> TensorBatch:
    """Move a batch to ``device``; on the CPU the arrays are shared, not copied."""
    positions = batch.positions
    rows = positions // batch.tokens.shape[1]
    gap = batch.info.get("gap")

    def tensor(array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(device, non_blocking=True)

    return TensorBatch(
        tokens=tensor(batch.tokens),
        positions=tensor(positions),
        targets=tensor(batch.labels.reshape(-1)[positions]),
        rows=tensor(rows),
        examples=int(np.count_nonzero(np.diff(rows))) + bool(len(rows)),
        gap=None if gap is None else gap.reshape(-1)[positions],
    )


class TrainingData:
    """Training batches by (epoch, batch): a function of the stream, the batch size and a seed."""

    def __init__(self, stream: Stream, batch_size: int, seed: int, device: torch.device) -> None:
        self._stream = stream
        self._sizes = tuple(segment.examples for segment in stream.segments)
        self._batch_size = batch_size
        self._seed = seed
        self._device = device
        self._order: tuple[int, EpochOrder] | None = None
        self.batches_per_epoch = sum(batch_counts(self._sizes, batch_size))

    def batch(self, epoch: int, number: int) -> TensorBatch:
        """Batch ``number`` of the epoch, on the device."""
        if self._order is None or self._order[0] != epoch:
            order = EpochOrder(self._sizes, self._batch_size, self._seed, epoch)
            self._order = (epoch, order)
        segment, indices = self._order[1].batch(number)
        return to_tensors(self._stream.examples(segment, indices), self._device)
