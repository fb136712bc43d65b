"""Multi-head causal softmax attention: every position reads all before it, and keeps them all."""

from __future__ import annotations

from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.heads import HeadProjections, head_width
from bestiary.mixers.rotary import rotate

Positions = Literal["none", "rotary"]


def check_positions(positions: str, head_dim: int) -> None:
    """Raise ``UserError`` for an unknown kind of positions, or rotary ones at an odd width."""
    if positions not in ("none", "rotary"):
        raise UserError(f"positions is {positions!r}; accepted: 'none', 'rotary'")
    if positions == "rotary" and head_dim % 2:
        raise UserError(f"rotary positions need an even width a head, not {head_dim}")


class Attention(nn.Module):
    """softmax(q kᵀ / sqrt(width of a head)) v under a causal mask (Vaswani et al., 2017).

    d_model: width. heads: must divide it. positions: ``rotary`` turns queries and keys by their
    position; ``none`` leaves order to the mask and to what the model adds at its input.
    bias: whether the projections have one.

    The state is the cache of keys and values, 2 · d_model elements a position.
    """

    def __init__(
        self, d_model: int, heads: int = 1, positions: Positions = "none", bias: bool = False
    ) -> None:
        super().__init__()
        dim = head_width(d_model, heads)
        check_positions(positions, dim)
        self.d_model = d_model
        self.positions = positions
        self.projections = HeadProjections(d_model, heads, dim, dim, bias)

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> Any:
        """x: (batch, length, d_model), the same back; with a state, (outputs, new state)."""
        query, key, value = self.projections.split(x)
        seen = 0 if state is None else state[0].shape[2]
        if self.positions == "rotary":
            query, key = rotate(query, seen), rotate(key, seen)
        if state is not None:
            key, value = torch.cat([state[0], key], dim=2), torch.cat([state[1], value], dim=2)
        y = self.projections.merge(causal_attention(query, key, value))
        return y if state is None else (y, (key, value))

    def initial_state(self, batch: int) -> tuple[Tensor, Tensor]:
        """An empty cache: keys and values, each (batch, heads, 0, width of a head)."""
        dim = self.projections.key_dim
        return self.projections.empty(batch, dim), self.projections.empty(batch, dim)

    def step(
        self, x_t: Tensor, state: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """One position, (batch, d_model) to the same."""
        y, state = self(x_t.unsqueeze(1), state)
        return y.squeeze(1), state

    def state_size(self, length: int) -> int:
        """Keys and values of all positions: 2 · d_model · length."""
        return 2 * self.d_model * length


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention of the last positions of a sequence over all of it.

    query: (batch, heads, length, dim); key, value: (batch, heads, seen + length, dim): query i
    stands at position seen + i and reads the keys up to there.
    """
    length, total = query.shape[2], key.shape[2]
    # Two calls with constants: a comparison of lengths is symbolic under torch.compile.
    if length == total:
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    if length == 1:
        return F.scaled_dot_product_attention(query, key, value)
    mask = torch.ones(length, total, dtype=torch.bool, device=query.device).tril(total - length)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
