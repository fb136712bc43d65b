"""Where the two heads of ``compiled:attention`` look on one example, and what they write."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bestiary.models.block import Block
from bestiary.models.language_model import LanguageModel
from bestiary.solvers.attention_channels import Channels
from bestiary.solvers.working import Working, by_distance

LEAST = 1e-3
"""Weights below it are shown as 0."""


@torch.no_grad()
def attention_workings(
    model: LanguageModel, channels: Channels, tokens: Tensor
) -> tuple[Working, ...]:
    """Input, weights and output of each layer, head; tokens: int64 (1, length)."""
    previous, induction = (cast(Block, block) for block in model.blocks)
    x = model.embed(tokens)
    names = _names(channels)
    steps = [
        Working(
            "input",
            f"The embeddings: {channels.count} features of a token and its position, each of them "
            "in a second channel as its negative.",
            names,
            _features(x, channels),
        )
    ]
    looks, at = by_distance("back", _by_distance(attention_weights(previous, x), 0))
    steps.append(
        Working(
            "layer 1, where it looks",
            "The previous-token head: softmax puts all weight on the row before, and that of the "
            "first row on itself.",
            looks,
            at,
            {"back": "softmax of place before × place of the row so far above"},
        )
    )
    x = previous(x)
    steps.append(
        Working(
            "layer 1, what it writes",
            "Adds the bits of the token that it looks at to the channels of the previous token.",
            names,
            _features(x, channels),
            {"previous": "the sum over rows of weight × token"},
        )
    )
    looks, at = by_distance("match", _by_distance(attention_weights(induction, x), 1))
    steps.append(
        Working(
            "layer 2, where it looks",
            "The induction head: a row's token is compared with the previous token of every row, "
            "and the weight is on the row that follows the same token.",
            looks,
            at,
            {"match": "softmax of token × previous of the row after the one so far above"},
        )
    )
    x = induction(x)
    steps.append(
        Working(
            "layer 2, what it writes",
            "Adds four times the bits of the token that it looks at to those of the token itself.",
            names,
            _features(x, channels),
            {"token": "token + 4 × the sum over rows of weight × token"},
        )
    )
    said = model.norm(x)[0, :, channels.token].double().numpy()
    bits = tuple(f"bit.{k}" for k in range(said.shape[1]))
    told = "The norm keeps the bits of the token alone: the token whose bits these are is said."
    steps.append(Working("head", told, bits, said, {"bit": "token, normed"}))
    return tuple(steps)


def attention_weights(block: Block, x: Tensor) -> Tensor:
    """(length, length): how much of row i's attention is on row j, of x (1, length, d_model)."""
    query, key, _ = block.mixer.projections.split(block.mixer_norm(x))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -torch.inf).softmax(-1)[0, 0]


def _by_distance(weights: Tensor, after: int) -> dict[int, NDArray[np.float64]]:
    """Weights on the row ``after`` rows below the one s above, by s from ``after`` on."""
    found = weights.double().numpy()
    length = len(found)
    columns = {}
    for back in range(length):
        column = np.full(length, np.nan)
        column[back:] = np.diagonal(found, -back)
        columns[back + after] = np.where(column < LEAST, 0.0, column)
    return columns


def _names(channels: Channels) -> tuple[str, ...]:
    told = {
        "token": channels.token,
        "previous": channels.previous,
        "place": channels.place,
        "place before": channels.before,
    }
    bits = [f"{name}.{k}" for name, at in told.items() for k in range(at.stop - at.start)]
    return (*bits, "first")


def _features(x: Tensor, channels: Channels) -> NDArray[np.float64]:
    features: NDArray[np.float64] = x[0, :, : channels.count].double().numpy()
    return features
