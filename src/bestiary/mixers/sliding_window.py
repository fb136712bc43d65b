"""Causal softmax attention over the last few positions, in time linear in the length."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.attention import Positions, causal_attention, check_positions
from bestiary.mixers.heads import HeadProjections, head_width
from bestiary.mixers.rotary import rotate

WindowState = tuple[Tensor, Tensor, int]
"""Keys and values (batch, heads, at most window - 1, dim) and how many positions were seen."""


class SlidingWindow(nn.Module):
    """Attention of position t over positions t - window + 1 … t (Beltagy et al., 2004.05150, 3.1).

    d_model: width. window: positions read, the present one included. heads: must divide the inner
    width. positions: ``rotary`` or ``none``, as in ``Attention``. bias: of the projections.
    inner: width of all heads together (None: d_model).

    The state is the keys and values of the last window - 1 positions.
    """

    def __init__(
        self,
        d_model: int,
        window: int = 16,
        heads: int = 1,
        positions: Positions = "none",
        bias: bool = False,
        inner: int | None = None,
    ) -> None:
        super().__init__()
        if window < 1:
            raise UserError(f"window is {window}; it must be at least 1")
        self.inner = d_model if inner is None else inner
        dim = head_width(self.inner, heads)
        check_positions(positions, dim)
        self.window = window
        self.positions = positions
        self.projections = HeadProjections(d_model, heads, dim, dim, bias)

    def forward(self, x: Tensor, state: WindowState | None = None) -> Any:
        """x: (batch, length, d_model), the same back; with a state, (outputs, new state)."""
        query, key, value = self.projections.split(x)
        seen = 0 if state is None else state[2]
        if self.positions == "rotary":
            query, key = rotate(query, seen), rotate(key, seen)
        if state is not None:
            key, value = torch.cat([state[0], key], dim=2), torch.cat([state[1], value], dim=2)
        y = self.projections.merge(window_attention(query, key, value, self.window))
        if state is None:
            return y
        kept = max(0, key.shape[2] - (self.window - 1))
        # Copies: a view would keep the keys and values of the whole part alive.
        return y, (key[:, :, kept:].clone(), value[:, :, kept:].clone(), seen + x.shape[1])

    def initial_state(self, batch: int) -> WindowState:
        """Nothing seen yet."""
        dim = self.projections.key_dim
        return self.projections.empty(batch, dim), self.projections.empty(batch, dim), 0

    def step(self, x_t: Tensor, state: WindowState) -> tuple[Tensor, WindowState]:
        """One position, (batch, d_model) to the same."""
        y, state = self(x_t.unsqueeze(1), state)
        return y.squeeze(1), state

    def state_size(self, length: int) -> int:
        """Keys and values a later position can still read: 2 · inner · min(length, window - 1)."""
        return 2 * self.inner * min(length, self.window - 1)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Attention of the last positions of a sequence, each over ``window`` positions.

    query: (batch, heads, length, dim); key, value: (batch, heads, seen + length, dim) with seen at
    most window - 1. Up to the length where it costs no more, one masked product over everything;
    beyond, blocks of queries that each see their own stretch of keys.
    """
    total = key.shape[2]
    if total <= window:
        return causal_attention(query, key, value)
    block = max(window, 32)
    if total <= 3 * block:
        return _masked(query, key, value, window)
    return _blocked(query, key, value, window, block)


def _masked(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, total = query.shape[2], key.shape[2]
    ones = torch.ones(length, total, dtype=torch.bool, device=query.device)
    mask = ones.tril(total - length).triu(total - length - window + 1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def _blocked(query: Tensor, key: Tensor, value: Tensor, window: int, block: int) -> Tensor:
    """Queries i · block … (i + 1) · block - 1 read the window - 1 keys before them and their own.

    Keys are padded in front to window - 1 before the first query and at the end to whole blocks;
    the mask keeps out the padding in front, and the end is cut off the output.
    """
    length, total = query.shape[2], key.shape[2]
    before = window - 1
    blocks = -(-length // block)
    behind = blocks * block - length
    queries = F.pad(query, (0, 0, 0, behind)).unflatten(2, (blocks, block))
    missing = before - (total - length)
    keys, values = (
        _stretches(F.pad(part, (0, 0, missing, behind)), before, blocks, block)
        for part in (key, value)
    )
    slot = torch.arange(before + block, device=query.device)
    row = torch.arange(block, device=query.device)[:, None]
    band = (slot >= row) & (slot <= row + before)
    start = torch.arange(blocks, device=query.device)[:, None, None] * block
    mask = band & (slot + start >= missing)
    y = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    return y.flatten(2, 3)[:, :, :length]


def _stretches(padded: Tensor, before: int, blocks: int, block: int) -> Tensor:
    """Cut (batch, heads, before + blocks · block, dim) into (…, blocks, before + block, dim)."""
    earlier = padded[:, :, : blocks * block].unflatten(2, (blocks, block))[:, :, :, :before]
    own = padded[:, :, before:].unflatten(2, (blocks, block))
    return torch.cat([earlier, own], dim=3)
