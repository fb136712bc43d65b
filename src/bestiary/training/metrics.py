"""What is measured at labelled positions, the same for training, validation and test.

A *query* is a labelled position. Token accuracy is the share of queries answered with the right
token, all-correct the share of examples whose queries are all right (an example without a label
does not count), loss the mean cross-entropy over queries in nats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from bestiary.tasks.protocol import StreamSegment
from bestiary.training.data import TensorBatch


class SliceRow(TypedDict):
    """One row of ``results.parquet``; None where the slice is over all values.

    gap_low and gap_high are inclusive. A gap's ``examples`` and ``all_correct`` are None where
    they would count examples by a part of their queries.
    """

    split: str
    slice: str
    length: int | None
    pairs: int | None
    gap_low: int | None
    gap_high: int | None
    examples: int | None
    queries: int
    loss: float
    accuracy: float
    all_correct: float | None
    chance: float


def position_losses(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy (labelled,) in nats of logits (labelled, vocab) and targets (labelled,)."""
    return F.cross_entropy(
        logits.float() if logits.dtype.itemsize < 4 else logits, targets, reduction="none"
    )


def position_hits(logits: Tensor, targets: Tensor) -> Tensor:
    """Whether the largest logit is the target's, bool (labelled,)."""
    return logits.argmax(dim=-1) == targets


def whole_examples(hits: Tensor, batch: TensorBatch) -> Tensor:
    """How many of ``batch.examples`` have every query right; a scalar int64 tensor."""
    wrong = torch.zeros(len(batch.tokens), dtype=torch.int64, device=hits.device)
    wrong.index_add_(0, batch.rows, (~hits).long())
    return batch.examples - (wrong > 0).sum()


def gap_bin(gap: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bin b holds gaps from 2^(b-1) to 2^b - 1; bin 0 holds gap 0 alone."""
    # frexp is exact: its exponent of g is the bit length of g.
    return np.frexp(gap.astype(np.float64))[1].astype(np.int64)


def gap_bounds(bin_number: int) -> tuple[int, int]:
    """Smallest and largest gap of a bin, both inclusive."""
    return (0, 0) if bin_number == 0 else (2 ** (bin_number - 1), 2**bin_number - 1)


@dataclass
class Tally:
    """Sums over queries and examples, from which the means follow."""

    queries: int = 0
    loss: float = 0.0
    hits: int = 0
    examples: int = 0
    whole: int = 0
    chance: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.queries + other.queries,
            self.loss + other.loss,
            self.hits + other.hits,
            self.examples + other.examples,
            self.whole + other.whole,
            self.chance + other.chance,
        )

    @property
    def mean_loss(self) -> float:
        """Cross-entropy a query in nats; nan without queries."""
        return self.loss / self.queries if self.queries else float("nan")

    @property
    def accuracy(self) -> float:
        """Share of queries that are right; nan without queries."""
        return self.hits / self.queries if self.queries else float("nan")

    @property
    def all_correct(self) -> float:
        """Share of labelled examples with every query right; nan without any."""
        return self.whole / self.examples if self.examples else float("nan")


@dataclass
class SegmentTally:
    """The sums of one segment, whole and by gap bin."""

    segment: StreamSegment
    total: Tally = field(default_factory=Tally)
    gaps: dict[int, Tally] = field(default_factory=dict)

    def add(self, losses: Tensor, hits: Tensor, batch: TensorBatch) -> None:
        """Count one batch of this segment; losses and hits are (labelled,)."""
        loss = losses.double().cpu().numpy()
        hit = hits.cpu().numpy()
        chance = self.segment.chance
        self.total += Tally(
            queries=len(hit),
            loss=float(loss.sum()),
            hits=int(hit.sum()),
            examples=batch.examples,
            whole=int(whole_examples(hits, batch)),
            chance=chance * len(hit),
        )
        if batch.gap is None or not len(hit):
            return
        bins = gap_bin(batch.gap)
        queries, sums, right = (np.bincount(bins, weights=w) for w in (None, loss, hit))
        for bin_number in np.flatnonzero(queries):
            count = int(queries[bin_number])
            self.gaps[int(bin_number)] = self.gaps.get(int(bin_number), Tally()) + Tally(
                queries=count,
                loss=float(sums[bin_number]),
                hits=int(right[bin_number]),
                chance=chance * count,
            )


@dataclass(frozen=True)
class Evaluation:
    """The metrics of one split, by segment and gap."""

    split: str
    segments: Sequence[SegmentTally]

    @property
    def total(self) -> Tally:
        """Sums over the whole split."""
        return _sum(s.total for s in self.segments)

    def slices(self) -> list[SliceRow]:
        """Rows over all, by segment, by length, by number of pairs and by gap.

        A row's ``chance`` is the mean over its queries of the chance of guessing.
        """
        rows = [self._row("all", self.total)]
        rows += [
            self._row("segment", s.total, s.segment.length, s.segment.pairs) for s in self.segments
        ]
        for length in sorted({s.segment.length for s in self.segments}):
            tally = _sum(s.total for s in self.segments if s.segment.length == length)
            rows.append(self._row("length", tally, length=length))
        for pairs in sorted({s.segment.pairs for s in self.segments}):
            tally = _sum(s.total for s in self.segments if s.segment.pairs == pairs)
            rows.append(self._row("pairs", tally, pairs=pairs))
        for number in sorted({number for s in self.segments for number in s.gaps}):
            tally = _sum(s.gaps[number] for s in self.segments if number in s.gaps)
            rows.append(self._row("gap", tally, gap=gap_bounds(number)))
        return rows

    def _row(
        self,
        kind: str,
        tally: Tally,
        length: int | None = None,
        pairs: int | None = None,
        gap: tuple[int, int] | None = None,
    ) -> SliceRow:
        return SliceRow(
            split=self.split,
            slice=kind,
            length=length,
            pairs=pairs,
            gap_low=gap[0] if gap else None,
            gap_high=gap[1] if gap else None,
            examples=None if gap else tally.examples,
            queries=tally.queries,
            loss=tally.mean_loss,
            accuracy=tally.accuracy,
            all_correct=None if gap else tally.all_correct,
            chance=tally.chance / tally.queries if tally.queries else float("nan"),
        )


def _sum(tallies: Iterable[Tally]) -> Tally:
    return sum(tallies, Tally())
