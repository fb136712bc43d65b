"""A gated convolution over the last few positions: cheap, local, and what hybrids put before
attention so that a key and its value end up at one position.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.operators.convolution import conv


class ShortConv(nn.Module):
    """y = ((x W1 + b1) ⊙ (h * (x W2) + b2)) W3, h a causal depthwise filter of ``taps`` taps.

    d_model: width. taps: filter length, from 1. Linear maps start normal with standard deviation
    1 / sqrt(fan in), taps with 1 / sqrt(taps), b1 and b2 at 0 with ``bias`` (else left out).

    This is BaseConv (Zoology, arXiv 2312.04927, section 5) with a short filter, a projection on
    the convolution side and one at the output. The state is the last taps - 1 rows of x W2.
    """

    def __init__(self, d_model: int, taps: int = 3, bias: bool = True) -> None:
        super().__init__()
        if taps < 1:
            raise UserError(f"taps is {taps}; it must be at least 1")
        self.d_model = d_model
        self.taps = taps
        self.inward = nn.Linear(d_model, 2 * d_model, bias=False)
        self.outward = nn.Linear(d_model, d_model, bias=False)
        self.filter = nn.Parameter(torch.empty(taps, d_model))
        self.gate_bias = nn.Parameter(torch.zeros(d_model)) if bias else None
        self.conv_bias = nn.Parameter(torch.zeros(d_model)) if bias else None
        nn.init.normal_(self.inward.weight, std=d_model**-0.5)
        nn.init.normal_(self.outward.weight, std=d_model**-0.5)
        nn.init.normal_(self.filter, std=taps**-0.5)

    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        """x: (batch, length, d_model), the same back; with a state, (outputs, new state)."""
        gate, signal = self.inward(x).chunk(2, dim=-1)
        if state is not None:
            signal = torch.cat([state, signal], dim=1)
        filtered = conv(signal, self.filter)[:, -x.shape[1] :]
        if self.gate_bias is not None and self.conv_bias is not None:
            gate, filtered = gate + self.gate_bias, filtered + self.conv_bias
        y = self.outward(gate * filtered)
        if state is None:
            return y
        # A copy: a view would keep all rows of this part alive.
        return y, signal[:, max(0, signal.shape[1] - (self.taps - 1)) :].clone()

    def initial_state(self, batch: int) -> Tensor:
        """No rows yet: (batch, 0, d_model); it grows to taps - 1 rows."""
        return self.filter.new_empty(batch, 0, self.d_model)

    def step(self, x_t: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One position, (batch, d_model) to the same."""
        y, state = self(x_t.unsqueeze(1), state)
        return y.squeeze(1), state

    def state_size(self, length: int) -> int:
        """d_model · min(length, taps - 1)."""
        return self.d_model * min(length, self.taps - 1)
