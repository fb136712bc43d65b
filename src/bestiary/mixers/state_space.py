"""Linear state-space models, one input and one output a channel: a shift and a diagonal one."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor, nn

from bestiary.errors import UserError, unknown_name
from bestiary.mixers.filters import Filter
from bestiary.mixers.full_precision import full_precision
from bestiary.operators import conv

Spectrum = Literal["complex", "real"]
SPECTRA: tuple[Spectrum, ...] = ("complex", "real")


class ShiftSSM(Filter):
    """x_t = S x_{t-1} + e_1 u_t, y_t = C x_t + D u_t, where S moves every entry one place down.

    Fu et al. 2023, "Hungry Hungry Hippos" (arXiv 2212.14052), section 3.1. x_t holds the last
    ``d_state`` inputs, so the kernel is C, with D added to tap 0. Between steps only d_state - 1 of
    them need to be kept: S drops the oldest. C starts normal with std 1/√d_state, D at 0.
    """

    def __init__(self, channels: int, d_state: int) -> None:
        super().__init__()
        if d_state < 1:
            raise UserError(f"d_state of a shift SSM is {d_state}; it must be at least 1")
        self.channels, self.taps = channels, d_state
        self.c = nn.Parameter(torch.randn(channels, d_state) / math.sqrt(d_state))
        self.d = nn.Parameter(torch.zeros(channels))

    def forward(self, length: int) -> Tensor:
        """The kernel, (min(length, d_state), channels)."""
        c, d = self.c.to(self.working_dtype), self.d.to(self.working_dtype)
        return torch.cat([c[:, :1] + d[:, None], c[:, 1:length]], dim=1).mT


class DiagonalSSM(nn.Module):
    """x_t = Ā x_{t-1} + B̄ u_t, y_t = Re(C x_t) + D u_t, with Ā diagonal and of modulus below 1.

    S4D: Gu, Gupta, Goel, Ré 2022 (arXiv 2206.11893). Ā = exp(Δ A) and B̄ = A⁻¹(exp(Δ A) - 1), the
    zero-order hold of x' = A x + u over a learned time Δ a channel.

    d_state: real numbers of state an input channel. ``complex`` spectrum: d_state/2 conjugate pairs
    of which one half is kept (the other doubles the real part), A starting as -1/2 + iπn (S4D-Lin).
    ``real``: d_state real poles, A starting as -(n + 1) (S4D-Real).
    dt_range: Δ starts log-uniform in it; 1/Δ is about how many positions a channel remembers.
    copies: input channels that share a kernel; the input has channels · copies of them, in groups.

    The state is (batch, channels, copies, d_state) for a real and (…, d_state/2, 2) for a complex
    spectrum, never in less than float32. C starts standard normal, D at 1.
    """

    def __init__(
        self,
        channels: int,
        d_state: int,
        *,
        spectrum: Spectrum = "complex",
        dt_range: tuple[float, float] = (1e-3, 1e-1),
        copies: int = 1,
    ) -> None:
        super().__init__()
        if spectrum not in SPECTRA:
            raise unknown_name("spectrum of a diagonal SSM", spectrum, SPECTRA)
        self.complex = spectrum == "complex"
        if d_state < 1 or (self.complex and d_state % 2):
            accepted = "even and at least 2" if self.complex else "at least 1"
            raise UserError(f"d_state of a {spectrum} SSM is {d_state}; it must be {accepted}")
        if len(dt_range) != 2 or not 0 < dt_range[0] <= dt_range[1]:
            raise UserError(
                f"dt_range is {list(dt_range)}; it must be two numbers above 0, the smaller first"
            )
        self.channels, self.copies, self.d_state = channels, copies, d_state
        poles = d_state // 2 if self.complex else d_state
        low, high = math.log(dt_range[0]), math.log(dt_range[1])
        self.log_dt = nn.Parameter(low + (high - low) * torch.rand(channels))
        n = torch.arange(poles, dtype=torch.float32).expand(channels, poles)
        decay = torch.full_like(n, 0.5) if self.complex else n + 1
        self.log_decay = nn.Parameter(decay.log().contiguous())
        self.frequency = nn.Parameter((math.pi * n).contiguous()) if self.complex else None
        shape = (channels, poles, 2) if self.complex else (channels, poles)
        self.c = nn.Parameter(torch.randn(shape))
        self.d = nn.Parameter(torch.ones(channels))

    def discrete(self) -> tuple[Tensor, Tensor, Tensor]:
        """log Ā, B̄ and C, each (channels, poles), real or complex; C doubled where complex."""
        work = torch.promote_types(self.c.dtype, torch.float32)
        a, c = -self.log_decay.to(work).exp(), self.c.to(work)
        if self.frequency is not None:
            a = torch.complex(a, self.frequency.to(work))
            c = 2 * torch.view_as_complex(c)
        log_a = a * self.log_dt.to(work).exp()[:, None]
        return log_a, torch.expm1(log_a) / a, c

    def kernel(self, length: int) -> Tensor:
        """h[t] = Re(C Ā^t B̄), D added to h[0]: (length, channels), float32 or wider.

        With t = block · i + j the powers split into Ā^(block · i) and Ā^j, so that about √length
        powers of each kind are made instead of ``length``, and one product joins them.
        """
        log_a, b, c = self.discrete()
        block = math.isqrt(length - 1) + 1
        near = torch.exp(log_a[..., None] * torch.arange(block, device=b.device))
        blocks = block * torch.arange(-(-length // block), device=b.device)
        far = (c * b)[..., None] * torch.exp(log_a[..., None] * blocks)
        with full_precision(b):
            h = _real(far.mT @ near).flatten(1)[:, :length].mT
        return torch.cat([h[:1] + self.d.to(h.dtype), h[1:]])

    def forward(self, u: Tensor) -> Tensor:
        """(batch, length, channels · copies) to the same, by convolution with the kernel."""
        return conv(u, self.kernel(u.shape[1]).repeat_interleave(self.copies, dim=1))

    def forward_from(self, u: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """The same for positions that go on from ``state``, and the state after them."""
        log_a, b, c = self.discrete()
        x = self._unpack(state)
        steps = torch.arange(u.shape[1] + 1, device=u.device)[:, None, None]
        powers = torch.exp(log_a * steps)
        grouped = u.unflatten(-1, (self.channels, self.copies)).to(powers.dtype)
        with full_precision(b):
            old = torch.einsum("tgn,bgkn->btgk", powers[1:] * c, x)
            new = torch.einsum("btgk,tgn->bgkn", grouped, powers[:-1].flip(0) * b)
        y = self(u) + _real(old).flatten(2).to(u.dtype)
        return y, self._pack(powers[-1][:, None] * x + new)

    def initial_state(self, batch: int) -> Tensor:
        """A state of zeros."""
        shape = (self.d_state // 2, 2) if self.complex else (self.d_state,)
        work = torch.promote_types(self.c.dtype, torch.float32)
        return self.c.new_zeros(batch, self.channels, self.copies, *shape, dtype=work)

    def step(self, u_t: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One position of the recurrence: (batch, channels · copies) and the state after it."""
        log_a, b, c = self.discrete()
        u = u_t.unflatten(-1, (self.channels, self.copies)).to(self.d.dtype)
        x = torch.exp(log_a)[:, None] * self._unpack(state) + b[:, None] * u[..., None]
        y = _real((c[:, None] * x).sum(-1)) + self.d[:, None] * u
        return y.flatten(1).to(u_t.dtype), self._pack(x)

    def state_size(self) -> int:
        """d_state for every input channel, whatever the length."""
        return self.channels * self.copies * self.d_state

    def _unpack(self, state: Tensor) -> Tensor:
        return torch.view_as_complex(state) if self.complex else state

    def _pack(self, x: Tensor) -> Tensor:
        return torch.view_as_real(x) if self.complex else x


def _real(x: Tensor) -> Tensor:
    return x.real if x.is_complex() else x
