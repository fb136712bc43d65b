"""One sound mixer, and one mixer for each way of being wrong."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


class Sound(nn.Module):
    """y_t = W (x_t + a x_{t-1} + b x_{t-2}): what the others break one thing of."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.linear = nn.Linear(d_model, d_model)
        self.taps = nn.Parameter(torch.randn(2, d_model))

    def mix(self, x: Tensor, past: Tensor) -> Tensor:
        """Outputs for x (batch, length, d) after the two rows of ``past``."""
        u = torch.cat([past, x], dim=1)
        return self.linear(u[:, 2:] + self.taps[0] * u[:, 1:-1] + self.taps[1] * u[:, :-2])

    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        if state is None:
            return self.mix(x, x.new_zeros(x.shape[0], 2, self.d_model))
        return self.mix(x, state), torch.cat([state, x], dim=1)[:, -2:]

    def initial_state(self, batch: int) -> Tensor:
        return self.taps.new_zeros(batch, 2, self.d_model)

    def step(self, x_t: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        y, state = self(x_t.unsqueeze(1), state)
        return y.squeeze(1), state

    def state_size(self, length: int) -> int:
        return 2 * self.d_model


class SoundWithDropout(Sound):
    """Dropout from torch's generator, in training mode only, is no fault."""

    def mix(self, x: Tensor, past: Tensor) -> Tensor:
        return nn.functional.dropout(super().mix(x, past), 0.2, self.training)


class Parallel(nn.Module):
    """The sound mixer without a recurrent form; ``change`` is what its heirs do to it."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.inner = Sound(d_model)

    def change(self, y: Tensor) -> Tensor:
        return y

    def forward(self, x: Tensor) -> Tensor:
        return self.change(self.inner(x))

    def state_size(self, length: int) -> int:
        return self.inner.state_size(length)


class PaddedFrequencyFilter(Parallel):
    """A free complex multiplier on the padded spectrum: an identity at the start, a leak after."""

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__(d_model)
        self.n = 2 * max_length
        self.real = nn.Parameter(torch.ones(self.n // 2 + 1, d_model))
        self.imaginary = nn.Parameter(torch.zeros(self.n // 2 + 1, d_model))

    def change(self, y: Tensor) -> Tensor:
        wide = torch.promote_types(y.dtype, torch.float32)
        multiplier = torch.complex(self.real.to(wide), self.imaginary.to(wide))
        spectrum = torch.fft.rfft(y.to(wide), self.n, dim=1) * multiplier
        return torch.fft.irfft(spectrum, self.n, dim=1)[:, : y.shape[1]].to(y.dtype)


class UnpaddedFrequencyFilter(Parallel):
    """Causal taps multiplied in at the sequence's own length: the end wraps to the start."""

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model)
        self.filter = nn.Parameter(torch.randn(4, d_model))

    def change(self, y: Tensor) -> Tensor:
        n = y.shape[1]
        wide = torch.promote_types(y.dtype, torch.float32)
        spectrum = torch.fft.rfft(y.to(wide), n, dim=1) * torch.fft.rfft(
            self.filter.to(wide), n, dim=0
        )
        return torch.fft.irfft(spectrum, n, dim=1).to(y.dtype)


class LooksAhead(Parallel):
    """A filter of three taps, padded on both sides."""

    def change(self, y: Tensor) -> Tensor:
        return y + 1e-3 * torch.cat([y[:, 1:], torch.zeros_like(y[:, :1])], dim=1)


class LeaksOverASeam(Parallel):
    """Works in blocks of 16 and lets the last of a block see the first of the next."""

    def change(self, y: Tensor) -> Tensor:
        ahead = nn.functional.pad(y[:, 1:], (0, 0, 0, 1))
        last = torch.arange(y.shape[1], device=y.device) % 16 == 15
        return y + 1e-3 * ahead * last[:, None]


class LeaksWhenLong(Parallel):
    """Takes another way past 40 positions, and wraps around there."""

    def change(self, y: Tensor) -> Tensor:
        return y + 1e-3 * y.roll(1, dims=1) if y.shape[1] > 40 else y


class NormalisesOverTime(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return y - y.mean(dim=1, keepdim=True)


class BatchNorm(Parallel):
    """Statistics over rows and time in training mode; in eval mode nothing shows."""

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model)
        self.norm = nn.BatchNorm1d(d_model)

    def change(self, y: Tensor) -> Tensor:
        return self.norm(y.transpose(1, 2)).transpose(1, 2)


class MixesRows(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return y - 0.5 * y.mean(dim=0, keepdim=True)


class Widens(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return torch.cat([y, y[..., :1]], dim=-1)


class GivesATuple(Parallel):
    def change(self, y: Tensor) -> Any:
        return y, None


class KnowsTheLength(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return y / y.shape[1]


class IgnoresAParameter(Parallel):
    def __init__(self, d_model: int) -> None:
        super().__init__(d_model)
        self.forgotten = nn.Parameter(torch.ones(d_model))


class MultipliesAParameterByZero(IgnoresAParameter):
    def change(self, y: Tensor) -> Tensor:
        return y + 0 * self.forgotten


class DetachesItsGate(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return y * y.detach().sigmoid()


class Detached(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return y.detach()


class _LeakyBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor) -> Tensor:
        return y.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad + 1e-2 * grad.roll(1, dims=1)


class LeaksInBackward(Parallel):
    """Right values, and a hand-written backward whose shift wraps around."""

    def change(self, y: Tensor) -> Tensor:
        return _LeakyBackward.apply(y)


class NeedsTwoPositions(Parallel):
    def change(self, y: Tensor) -> Tensor:
        if y.shape[1] == 1:
            raise ValueError("cannot take one position")
        return y


class NoBfloat16(Parallel):
    def change(self, y: Tensor) -> Tensor:
        if y.dtype == torch.bfloat16:
            raise NotImplementedError("no kernel for bfloat16")
        return y


class AlwaysFloat32(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return y.float()


class DropsInEval(Parallel):
    def change(self, y: Tensor) -> Tensor:
        return nn.functional.dropout(y, 0.2, training=True)


class SeedsItself(Parallel):
    """Starts from numbers that torch's seed does not control."""

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model)
        start = np.random.default_rng().normal(size=d_model)
        self.scale = nn.Parameter(torch.as_tensor(start, dtype=torch.float32))

    def change(self, y: Tensor) -> Tensor:
        return y * self.scale


class WritesItsInput(Sound):
    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        y = super().forward(x, state)
        x.data[:, 0] = 0
        return y


class RefusesLength63InTraining(Parallel):
    def change(self, y: Tensor) -> Tensor:
        if self.training and y.shape[1] == 63:
            raise RuntimeError("expected a multiple of 16")
        return y


class KeepsASecret(Parallel):
    """A drawn number that is not in its state_dict."""

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model)
        self.secret = torch.randn(()).item()

    def change(self, y: Tensor) -> Tensor:
        return y * self.secret


class SaysNoSize(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


class SaysHalfAnElement(Parallel):
    def state_size(self, length: int) -> Any:
        return length / 2


class DeclaresTooLittle(Sound):
    def state_size(self, length: int) -> int:
        return self.d_model


class StepsDifferently(Sound):
    def step(self, x_t: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        y, state = super().step(x_t, state)
        return y * 1.001, state


class ForgetsAtASplit(Sound):
    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        if state is None or x.shape[1] == 1:
            return super().forward(x, state)
        return super().forward(x, torch.zeros_like(state))


class ChangesTheStateItGot(Sound):
    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        result = super().forward(x, state)
        if state is not None:
            state.mul_(0.5)
        return result


class RaisesInSplit(Sound):
    def forward(self, x: Tensor, state: Tensor | None = None) -> Any:
        if state is not None and x.shape[1] > 1:
            raise KeyError("cache")
        return super().forward(x, state)


class CannotBeMade(nn.Module):
    def __init__(self, d_model: int, depth: int = 1) -> None:
        raise RuntimeError(f"no kernel for width {d_model}")


class NotAModule:
    def __init__(self, d_model: int) -> None:
        pass
