"""A compiled solver as a model that can be trained: every weight of it is a parameter.

``trainable`` copies a ``CodeModel``, so that what is learned can be compared with what was set by
hand. In the *dense* form W, h, B1 and B2 of each layer are whole arrays, zeros included, and any
entry can become anything. In the *structured* form the entries that are not 0 are trained and the
zeros stay: the wiring is given, and its weights are to be kept or found.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from bestiary.errors import UserError, unknown_name
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.solvers.code_model import CodeModel
from bestiary.solvers.token_code import SHARPNESS

Form = Literal["dense", "structured"]


class TrainableRecall(nn.Module):
    """Embedding, BaseConv stack, sum over groups of channels, head; logits as ``CodeModel`` gives.

    embedding: (vocab_size, channels in). codes: (vocab_size, bits), what the head compares with.
    The sum over groups has no weights.
    """

    def __init__(self, stack: BaseConvStack, embedding: Tensor, codes: Tensor) -> None:
        super().__init__()
        self.embedding = nn.Parameter(embedding.detach().clone())
        self.stack = stack
        self.head = nn.Parameter(SHARPNESS * codes.detach())

    @property
    def vocab_size(self) -> int:
        """Tokens and logits are of this many."""
        return len(self.embedding)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Logits (len(positions), vocab_size), or (batch, length, vocab_size) without positions.

        tokens: int64 (batch, length). positions: int64 flat indices into batch · length.
        """
        bits = self.head.shape[1]
        found = self.stack(self.embedding[tokens])
        if positions is not None:
            found = found.flatten(0, 1).index_select(0, positions)
        groups = found[..., : found.shape[-1] // bits * bits]
        return groups.unflatten(-1, (-1, bits)).sum(-2) @ self.head.T

    def parts(self) -> Iterator[tuple[str, list[nn.Parameter]]]:
        """Name and weights of the embedding, of each layer, and of the head, in this order."""
        yield "embedding", [self.embedding]
        for number, layer in enumerate(self.stack.layers, 1):
            yield f"layer {number}", list(layer.parameters())
        yield "head", [self.head]


def trainable(model: CodeModel, form: Form = "dense") -> TrainableRecall:
    """A copy of ``model`` all of whose weights are trained, in float32; the model stays as it is.

    ``UserError`` for another form, and for ``dense`` where N' is not fixed.
    """
    if form not in get_args(Form):
        raise unknown_name("form", str(form), get_args(Form))
    with torch.inference_mode(False):
        stack = model.stack.dense() if form == "dense" else copy.deepcopy(model.stack)
        return TrainableRecall(stack, model.embedding, model.codes).float().requires_grad_(True)


@torch.no_grad()
def add_noise(model: TrainableRecall, sigma: float, seed: int) -> None:
    """Add normal noise to every weight: ``sigma`` times the typical weight of its tensor.

    That is the root mean square of the entries that are not 0, or 1 where all are.
    """
    if not sigma >= 0 or math.isinf(sigma):
        raise UserError(f"sigma is {sigma}; it must be 0 or more")
    generator = torch.Generator().manual_seed(seed)
    for weights in model.parameters():
        noise = torch.randn(weights.shape, generator=generator)
        weights.add_(sigma * _typical(weights) * noise.to(weights))


@torch.no_grad()
def draw_anew(model: TrainableRecall, seed: int) -> None:
    """Forget the weights: a random start of the same architecture.

    Each tensor is drawn from a normal distribution of mean 0 and of its own root mean square over
    all entries, zeros among them: scales are those of the solution and nothing else is.
    """
    generator = torch.Generator().manual_seed(seed)
    for weights in model.parameters():
        scale = float(weights.square().mean().sqrt()) if weights.numel() else 0.0
        weights.copy_(scale * torch.randn(weights.shape, generator=generator).to(weights))


@torch.no_grad()
def distances(model: TrainableRecall, other: TrainableRecall) -> dict[str, float]:
    """‖weights - those of other‖ / ‖those of other‖ in the Frobenius norm, part by part.

    Models of one architecture; ``all`` is over all parts together.
    """
    moved = {name: _squares(mine, theirs) for (name, mine), (_, theirs) in _paired(model, other)}
    sums = torch.tensor(list(moved.values()), dtype=torch.float64).sum(0).tolist()
    moved["all"] = (sums[0], sums[1])
    return {name: math.sqrt(square / size) for name, (square, size) in moved.items()}


def _paired(
    model: TrainableRecall, other: TrainableRecall
) -> Iterator[tuple[tuple[str, list[nn.Parameter]], tuple[str, list[nn.Parameter]]]]:
    return zip(model.parts(), other.parts(), strict=True)


def _squares(mine: list[nn.Parameter], theirs: list[nn.Parameter]) -> tuple[float, float]:
    pairs = list(zip(mine, theirs, strict=True))
    moved = sum(float((a - b).double().square().sum()) for a, b in pairs)
    return moved, sum(float(b.double().square().sum()) for _, b in pairs)


def _typical(weights: Tensor) -> float:
    entries = weights[weights != 0]
    return float(entries.square().mean().sqrt()) if len(entries) else 1.0
