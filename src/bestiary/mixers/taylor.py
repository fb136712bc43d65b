"""Linear attention whose kernel is the second-order Taylor polynomial of softmax's exponential.

With s = q·k / sqrt(d'), d' the width of a head's queries and keys, the weight of a key is

    1 + s + s²/2 = ((1 + s)² + 1) / 2  ≥  1/2,

so weights are positive and their sum is never near 0. The same number is φ(q)·φ(k) with
φ(x) = (1, x̂, x̂ ⊗ x̂ / sqrt 2), x̂ = x / d'^(1/4), of 1 + d' + d'² features, and all that has to be
carried from position to position is the sum of φ(k) (v, 1)ᵀ. Arora et al., "Simple linear attention
language models balance the recall-throughput tradeoff" (Based), arXiv 2402.18668, section 4.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.heads import HeadProjections, head_width


class TaylorAttention(nn.Module):
    """Causal Taylor linear attention.

    d_model: width. feature_dim: d', width of one head's queries and keys. heads: must divide the
    inner width. bias: of the projections. inner: width of all heads' values together (None:
    d_model). symmetric: carry x̂_i x̂_j once in place of twice; the outputs are the same and the
    state is about half as large as the paper counts it.

    The state is kept in float32 at least: bfloat16 could not add up a few hundred positions.
    """

    def __init__(
        self,
        d_model: int,
        feature_dim: int = 16,
        heads: int = 1,
        bias: bool = False,
        inner: int | None = None,
        symmetric: bool = False,
    ) -> None:
        super().__init__()
        if feature_dim < 1:
            raise UserError(f"feature_dim is {feature_dim}; it must be at least 1")
        dim = head_width(d_model if inner is None else inner, heads)
        self.heads = heads
        self.symmetric = symmetric
        self.projections = HeadProjections(d_model, heads, feature_dim, dim, bias)

    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        """x: (batch, length, d_model), the same back; with a state, (outputs, new state)."""
        query, key, value = self.projections.split(x)
        y, new_state = taylor_attention(query, key, value, state, self.symmetric)
        outputs = self.projections.merge(y)
        return outputs if state is None else (outputs, new_state)

    def initial_state(self, batch: int) -> Tensor:
        """Zeros, (batch, heads, features, value width + 1); the last column is the normaliser's."""
        weight = self.projections.inward.weight
        return weight.new_zeros(
            batch,
            self.heads,
            feature_count(self.projections.key_dim, self.symmetric),
            self.projections.value_dim + 1,
            dtype=torch.promote_types(weight.dtype, torch.float32),
        )

    def step(self, x_t: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One position, (batch, d_model) to the same."""
        y, state = self(x_t.unsqueeze(1), state)
        return y.squeeze(1), state

    def state_size(self, length: int) -> int:
        """heads · features · (value width + 1), whatever the length."""
        features = feature_count(self.projections.key_dim, self.symmetric)
        return self.heads * features * (self.projections.value_dim + 1)


def feature_count(dim: int, symmetric: bool) -> int:
    """1 + d' + d'², or 1 + d' + d'(d' + 1)/2 with equal products carried once."""
    return 1 + dim + (dim * (dim + 1) // 2 if symmetric else dim * dim)


def features(scaled: Tensor, symmetric: bool) -> Tensor:
    """φ of x̂ (…, d'): (…, feature_count), with φ(a)·φ(b) = 1 + a·b + (a·b)²/2 in both forms."""
    dim = scaled.shape[-1]
    one = scaled.new_ones(()).expand(*scaled.shape[:-1], 1)
    if symmetric:
        row, column = torch.triu_indices(dim, dim, device=scaled.device)
        weight = torch.where(row == column, 0.5, 1.0).to(scaled.dtype).sqrt()
        products = scaled[..., row] * scaled[..., column] * weight
    else:
        products = (scaled.unsqueeze(-1) * (scaled.unsqueeze(-2) * 0.5**0.5)).flatten(-2)
    return torch.cat([one, scaled, products], dim=-1)


def taylor_attention(
    query: Tensor, key: Tensor, value: Tensor, state: Tensor | None, symmetric: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Causal attention with weights 1 + s + s²/2, going on from ``state`` where there is one.

    query, key: (batch, heads, length, d'); value: (batch, heads, length, dim); state as made by
    ``TaylorAttention.initial_state``. Returns what each position reads, in value's shape and dtype,
    and the new state (None when there was none).

    A short sequence is one product over all pairs. A long one is cut into chunks: pairs within a
    chunk as before, everything earlier through the features summed up to the chunk, so that time
    and memory grow linearly.
    """
    length, dim = query.shape[2], query.shape[3]
    wide = torch.promote_types(value.dtype, torch.float32)
    scale = dim**-0.25
    queries, keys = query.to(wide) * scale, key.to(wide) * scale
    values = F.pad(value.to(wide), (0, 1), value=1.0)
    chunk = chunk_length(length, feature_count(dim, symmetric))
    if chunk < length:
        chunks = -(-length // chunk)
        # A padded value is 0 in the normaliser's column too, so padding adds nothing to the sums.
        queries, keys, values = (
            F.pad(part, (0, 0, 0, chunks * chunk - length)).unflatten(2, (chunks, chunk))
            for part in (queries, keys, values)
        )
    else:
        queries, keys, values = (part.unsqueeze(2) for part in (queries, keys, values))
    read = _weights(queries, keys) @ values
    new_state = None
    if state is not None or chunk < length:
        added = features(keys, symmetric).mT @ values
        before, new_state = _sums(added, state)
        read = read + features(queries, symmetric) @ before
    read = read.flatten(2, 3)[:, :, :length]
    return (read[..., :-1] / read[..., -1:]).to(value.dtype), new_state


def chunk_length(length: int, count: int) -> int:
    """Chunk for ``length`` positions and ``count`` features; ``length`` where a cut costs more."""
    return 64 if length > max(256, count) else length


def _weights(queries: Tensor, keys: Tensor) -> Tensor:
    """1 + s + s²/2 for each query and the keys up to it, 0 beyond; autograd keeps s alone."""
    scores = queries @ keys.mT
    return torch.addcmul(scores + 1, scores, scores, value=0.5).tril()


def _sums(added: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    """State before each chunk, and after the last, of what each adds, (b, h, chunks, F, dim)."""
    start = torch.zeros_like(added[:, :, 0]) if state is None else state
    after = added.cumsum(dim=2) + start.unsqueeze(2)
    return torch.cat([start.unsqueeze(2), after[:, :, :-1]], dim=2), after[:, :, -1]
