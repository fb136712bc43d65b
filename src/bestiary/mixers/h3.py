"""H3: a state-space memory of shifted keys times values, read by queries."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.projection import unit_linear
from bestiary.mixers.state_space import DiagonalSSM, ShiftSSM, Spectrum


class H3State(NamedTuple):
    """past: the shift's last keys, (batch, m, d_model); memory: the state of the diagonal SSM."""

    past: Tensor
    memory: Tensor


class H3Kernels(NamedTuple):
    """Convolution kernels, float64: shift (≤ length, d_model), diagonal (length, heads)."""

    shift: Tensor
    diagonal: Tensor


class H3(nn.Module):
    """o_t = q_t · SSM_diag(SSM_shift(k) vᵀ)_t in every head, then a linear map of all heads.

    Fu et al. 2023, "Hungry Hungry Hippos" (arXiv 2212.14052), algorithm 1. q, k, v are linear maps
    of the input. In a head, k vᵀ is the head_dim × head_dim outer product, every entry of which
    goes through that head's diagonal SSM; head_dim 1 makes all products elementwise.

    shift_state: states (taps) of the shift SSM. d_state: real numbers of state that the diagonal
    SSM keeps for each entry of the outer products. spectrum, dt_range: see ``DiagonalSSM``.
    """

    def __init__(
        self,
        d_model: int,
        *,
        head_dim: int = 1,
        d_state: int = 64,
        shift_state: int = 64,
        spectrum: Spectrum = "complex",
        dt_range: tuple[float, float] = (1e-3, 1e-1),
        output_projection: bool = True,
    ) -> None:
        super().__init__()
        if head_dim < 1 or d_model % head_dim:
            raise UserError(
                f"head_dim is {head_dim}; it must divide d_model, {d_model}, into whole heads"
            )
        self.d_model, self.head_dim, self.heads = d_model, head_dim, d_model // head_dim
        self.projection = unit_linear(d_model, 3 * d_model)
        self.shift = ShiftSSM(d_model, shift_state)
        self.diagonal = DiagonalSSM(
            self.heads, d_state, spectrum=spectrum, dt_range=dt_range, copies=head_dim**2
        )
        self.output = unit_linear(d_model, d_model) if output_projection else None

    def forward(self, x: Tensor, state: H3State | None = None) -> Any:
        """(batch, length, d_model) to the same; with a state, (y, new state)."""
        q, k, v = self.projection(x).chunk(3, dim=-1)
        if state is None:
            return self._read(q, self.diagonal(self._outer(self.shift.convolve(k), v)))
        k, past = self.shift.convolve_from(k, state[0])
        remembered, memory = self.diagonal.forward_from(self._outer(k, v), state[1])
        return self._read(q, remembered), H3State(past, memory)

    def initial_state(self, batch: int) -> H3State:
        """No keys, and a memory of zeros."""
        return H3State(self.shift.initial_past(batch), self.diagonal.initial_state(batch))

    def step(self, x_t: Tensor, state: H3State) -> tuple[Tensor, H3State]:
        """One position, (batch, d_model), by the recurrences of both SSMs."""
        q, k, v = self.projection(x_t[:, None]).chunk(3, dim=-1)
        k, past = self.shift.convolve_from(k, state[0])
        remembered, memory = self.diagonal.step(self._outer(k, v)[:, 0], state[1])
        return self._read(q, remembered[:, None])[:, 0], H3State(past, memory)

    def state_size(self, length: int) -> int:
        """min(length, shift_state - 1) keys, and d_model · head_dim · d_state of memory."""
        return self.shift.remembered(length) * self.d_model + self.diagonal.state_size()

    def kernels(self, length: int) -> H3Kernels:
        """Both kernels with their D terms in tap 0, exactly as ``forward`` uses them."""
        return H3Kernels(
            self.shift(length).detach().double(), self.diagonal.kernel(length).detach().double()
        )

    def _outer(self, k: Tensor, v: Tensor) -> Tensor:
        """k vᵀ by head, (batch, length, heads · head_dim · head_dim), the key's index slower."""
        if self.head_dim == 1:
            return k * v
        k, v = (z.unflatten(-1, (self.heads, self.head_dim)) for z in (k, v))
        return (k[..., :, None] * v[..., None, :]).flatten(2)

    def _read(self, q: Tensor, remembered: Tensor) -> Tensor:
        """q times the memory by head, then the output projection."""
        if self.head_dim == 1:
            y = q * remembered
        else:
            memory = remembered.unflatten(-1, (self.heads, self.head_dim, self.head_dim))
            queries = q.unflatten(-1, (self.heads, self.head_dim))
            y = torch.einsum("bthi,bthij->bthj", queries, memory).flatten(2)
        return y if self.output is None else self.output(y)
