"""Autocorrelation: a filter that depends on the input, made of the distances at which it repeats.

    r[s] = Σ_i [u_i = u_{i-s}]                       how often the sequence matches itself s apart
    answer[i] = Σ_{s: r[s] > 0} [u_i = u_{i-s}] · onehot(u_{i-s+1})

r is the sum of the autocorrelations of V one-hot channels. An FFT gives it for all distances at
once, and since it counts, rounding makes it exact; sums over ±1 codes could cancel. A token that
occurs once has no part in r, so that only channels of tokens that came twice are transformed.

The distances with r[s] > 0 are the taps of the filter. Most rows match at one of them at most, so
each tap is gated row by row by whether that row matches: O(t·N·d) for t taps. Layers, 2: the taps,
and the gated convolution. r counts matches in later rows too; a tap it adds by them is gated off in
every row before, and answers depend on the past alone.

A key that came twice gets one vote for each of its values; ``repeat`` takes the largest matching
distance (``first``) or the smallest (``latest``) of a row.

Arora et al., 2023 (arXiv 2312.04927), section 4 and appendix H.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from bestiary.operators.convolution.fft_size import fft_size
from bestiary.solvers.accepted import accepted_recall
from bestiary.solvers.one_hot import OneHotHead
from bestiary.solvers.protocol import Size
from bestiary.solvers.repeats import Repeat, RepeatTally, accepted_repeat, equal_runs
from bestiary.solvers.token_code import code_bits
from bestiary.solvers.working import Working, by_distance, stacked
from bestiary.tasks.protocol import Task

CHUNK = 2**22
"""Numbers of one array, at most: of one-hot channels, or of rows at taps."""


class Autocorrelation:
    """The solver: taps by FFT over token equality, each gated row by row.

    task: mqar, associative-recall or induction, of up to 2^16 tokens, with examples of up to 1,024.
    repeat: which place of a key that came more than once before is answered, ``first`` or
    ``latest``. None is for keys that come once: the value of most places is answered, and
    ``take_notes`` says how often there was more than one place.
    """

    def __init__(self, task: Task, repeat: Repeat | None = None) -> None:
        accepted = accepted_recall("autocorrelation", task)
        self.vocab_size, self.length = accepted.vocab_size, accepted.max_length
        self.repeat = None if repeat is None else accepted_repeat(repeat)

    def build(self) -> AutocorrelationModel:
        """The whole model."""
        return AutocorrelationModel(self.vocab_size, self.length, self.repeat)


class AutocorrelationModel(nn.Module):
    """One-hot tokens, the taps, the gated convolution, and a diagonal head."""

    compiled = None
    meanings: ClassVar[Mapping[str, str]] = {
        "token": "the number of the token",
        "tap": "at how many rows the token so far above is the same, in the whole sequence",
        "match": "1 where the token so far above is the same one, 0 elsewhere",
        "value": "the token that followed the match; nothing where nothing matched",
        "answer": "the token to be said; nothing where nothing matched",
    }

    def __init__(self, vocab_size: int, length: int, repeat: Repeat | None = None) -> None:
        super().__init__()
        self.vocab_size, self.length, self.repeat = vocab_size, length, repeat
        self.head = OneHotHead(vocab_size)
        self._tally = RepeatTally()

    @property
    def size(self) -> Size:
        """See ``SolverModel``. The layers have no weights; what they convolve with is the input."""
        nonzero, dense = self.head.parameters_of_ends
        return Size(2, self.vocab_size, self.length, 0, nonzero, dense)

    def state_size(self, length: int) -> int:
        """The tokens so far, each by the bits of its number: any may be asked for again."""
        return length * code_bits(self.vocab_size)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """See ``SolverModel``."""
        batch, length = tokens.shape
        if positions is None:
            every = torch.arange(batch * length, device=tokens.device)
            return self(tokens, every).view(batch, length, self.vocab_size)
        if self.repeat is None:
            self._tally.add(tokens, positions)
        asked, query = positions.unique(return_inverse=True)
        logits = self.head(*self._answers(tokens, asked), len(asked))
        return logits if torch.equal(asked, positions) else logits.index_select(0, query)

    def workings(self, tokens: Tensor) -> tuple[Working, ...]:
        """See ``HasWorkings``."""
        row = tokens[0].double().numpy()
        counts = autocorrelation(tokens)[0].tolist()
        taps = {s: np.full(len(row), count) for s, count in enumerate(counts) if s}
        match = {s: np.zeros(len(row)) for s in taps}
        value = {s: np.full(len(row), np.nan) for s in taps}
        for rows, distances in matches(tokens):
            for i, s in zip(rows.tolist(), distances.tolist(), strict=True):
                match[s][i], value[s][i] = 1, row[i - s + 1]
        some = {s: value[s] for s in taps if match[s].any()} or value
        every = torch.arange(tokens.numel(), device=tokens.device)
        logits = self.head(*self._answers(tokens, every), len(every))
        said = np.where(logits.any(-1).numpy(), logits.argmax(-1).numpy(), np.nan)
        rule = "has a vote" if self.repeat is None else f"that is the {self.repeat} place is said"
        return (
            Working("input", "The tokens, as one-hot vectors.", ("token",), row[:, None]),
            Working(
                "layer 1",
                "Finds the taps by an FFT: the distances at which the sequence matches itself.",
                *by_distance("tap", taps),
                {"tap": "how many rows have the token so far above"},
            ),
            Working(
                "layer 2, where it matches",
                "Each row is compared with the one above it at every tap.",
                *by_distance("match", match),
                {"match": "token = token so far above"},
            ),
            Working(
                "layer 2, what it reads",
                "The convolution brings the token after each match.",
                tuple(f"value −{s}" for s in some),
                stacked(some.values()),
                {"value": "the token after the one so far above, where that one matches"},
            ),
            Working("head", f"The value of each match {rule}.", ("answer",), said[:, None]),
        )

    def take_notes(self) -> list[str]:
        """How many positions had more than one match."""
        return self._tally.take("each of its places had a vote")

    def _answers(self, tokens: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """(query, token) of every answer; asked: ascending flat rows, and query numbers them."""
        number = tokens.new_full((tokens.numel(),), -1)
        number[asked] = torch.arange(len(asked), device=asked.device)
        far, near = 0, tokens.shape[1]
        chosen = tokens.new_full((len(asked),), near if self.repeat == "latest" else far)
        votes = [(tokens.new_zeros(0), tokens.new_zeros(0))]
        for rows, distances in matches(tokens):
            query = number[rows]
            wanted = query >= 0
            query, distances = query[wanted], distances[wanted]
            if self.repeat is None:
                votes.append((query, distances))
            else:
                better = "amin" if self.repeat == "latest" else "amax"
                chosen.scatter_reduce_(0, query, distances, better)
        if self.repeat is None:
            query, distances = (torch.cat(part) for part in zip(*votes, strict=True))
        else:
            query = torch.nonzero((chosen > far) & (chosen < near))[:, 0]
            distances = chosen[query]
        return query, tokens.flatten()[asked[query] - distances + 1]


def autocorrelation(tokens: Tensor) -> Tensor:
    """r[s] for distances 0 ≤ s < length of int64 tokens (batch, length): exact counts, int64.

    0 counts the tokens that are found elsewhere in their row too.
    """
    batch, length = tokens.shape
    if not batch:
        # MKL refuses to transform nothing.
        return tokens.new_zeros(0, length)
    example, channel, place = _repeated(tokens)
    size = fft_size(2 * length)
    spectrum = torch.zeros(batch, size // 2 + 1, dtype=torch.float64, device=tokens.device)
    channels = len(example)
    at_once = max(1, CHUNK // size)
    for start in range(0, channels, at_once):
        of_part = (channel >= start) & (channel < start + at_once)
        count = min(at_once, channels - start)
        one_hot = torch.zeros(count, size, dtype=torch.float64, device=tokens.device)
        one_hot[channel[of_part] - start, place[of_part]] = 1
        power = torch.fft.rfft(one_hot).abs().square()
        spectrum.index_add_(0, example[start : start + at_once], power)
    return torch.fft.irfft(spectrum, n=size)[:, :length].round().long()


def matches(tokens: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """(flat rows, distances) at which a row's token is that of so far above, a chunk at a time.

    Each pair of an example and one of its taps is tried at all rows.
    """
    length = tokens.shape[1]
    example, tap = torch.nonzero(autocorrelation(tokens)[:, 1:], as_tuple=True)
    row = torch.arange(length, device=tokens.device)
    at_once = max(1, CHUNK // length)
    for start in range(0, len(tap), at_once):
        of, distance = example[start : start + at_once], tap[start : start + at_once] + 1
        own = tokens[of]
        above = row - distance[:, None]
        alike = (above >= 0) & (own == own.gather(1, above.clamp(min=0)))
        pair, at = torch.nonzero(alike, as_tuple=True)
        yield of[pair] * length + at, distance[pair]


def _repeated(tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The one-hot channels of tokens that occur more than once in their example.

    example: (channels,), of each channel. channel, place: where there is a 1.
    """
    order, starts = equal_runs(tokens)
    run = starts.flatten().cumsum(0) - 1
    often = torch.bincount(run) > 1
    number = often.cumsum(0) - 1
    example = torch.nonzero(starts)[:, 0][often]
    kept = often[run]
    return example, number[run[kept]], order.flatten()[kept]
