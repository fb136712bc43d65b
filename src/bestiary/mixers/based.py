"""Based: Taylor linear attention for what is far away, exact attention for what is near.

Arora et al., arXiv 2402.18668. The paper alternates layers of the two; that is a model whose
pattern of mixers is ``[{name: based, window: 0}, {name: sliding_window, window: 64}]``. Here both
can also stand in one layer and be added, so that one layer has one far and one near memory.
"""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.attention import Positions
from bestiary.mixers.sliding_window import SlidingWindow, WindowState
from bestiary.mixers.taylor import TaylorAttention

BasedState = tuple[Tensor, WindowState | None]


class Based(nn.Module):
    """y = linear(x) + near(x), each with its own queries, keys, values and output map.

    d_model: width. feature_dim: width of a head's queries and keys in the linear part, whose state
    is (1 + feature_dim + feature_dim²)(d_model + heads) elements. heads: of both parts.
    window: positions the near part reads, the present one included; 0: linear attention alone.
    combine: ``sum`` gives each part values as wide as the model; ``split`` gives each half of it,
    which is the two side by side under one output map, at about half the state and parameters.
    positions: of the near part, ``rotary`` or ``none``. bias: of all projections.
    symmetric: carry equal products of features once (see ``TaylorAttention``).
    """

    def __init__(
        self,
        d_model: int,
        feature_dim: int = 16,
        heads: int = 1,
        window: int = 16,
        combine: Literal["sum", "split"] = "sum",
        positions: Positions = "none",
        bias: bool = False,
        symmetric: bool = False,
    ) -> None:
        super().__init__()
        if window < 0:
            raise UserError(f"window is {window}; it must be 0 (no window) or more")
        if combine not in ("sum", "split"):
            raise UserError(f"combine is {combine!r}; accepted: 'sum', 'split'")
        split = combine == "split" and window > 0
        if split and d_model % 2:
            raise UserError(f"combine 'split' needs an even d_model, not {d_model}")
        inner = d_model // 2 if split else d_model
        self.linear = TaylorAttention(d_model, feature_dim, heads, bias, inner, symmetric)
        self.near = (
            SlidingWindow(d_model, window, heads, positions, bias, inner) if window else None
        )

    def forward(self, x: Tensor, state: BasedState | None = None) -> Any:
        """x: (batch, length, d_model), the same back; with a state, (outputs, new state)."""
        if state is None:
            return self.linear(x) if self.near is None else self.linear(x) + self.near(x)
        far, near = state
        y, far = self.linear(x, far)
        if self.near is not None:
            y_near, near = self.near(x, near)
            y = y + y_near
        return y, (far, near)

    def initial_state(self, batch: int) -> BasedState:
        """The states of both parts; None for a near part that isn't there."""
        near = None if self.near is None else self.near.initial_state(batch)
        return self.linear.initial_state(batch), near

    def step(self, x_t: Tensor, state: BasedState) -> tuple[Tensor, BasedState]:
        """One position, (batch, d_model) to the same."""
        y, state = self(x_t.unsqueeze(1), state)
        return y.squeeze(1), state

    def state_size(self, length: int) -> int:
        """The feature sums of the linear part and the cache of the near one."""
        near = 0 if self.near is None else self.near.state_size(length)
        return self.linear.state_size(length) + near
