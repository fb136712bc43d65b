"""Oracles: convolutions summed term by term in numpy, and walks through a mixer's state."""

import numpy as np
import torch


def direct_conv(u, h, circular=False):
    """(h * u)[t] = sum_j h[j] u[t - j] for u (length, channels) and h (taps, channels)."""
    y = np.zeros_like(u)
    for t in range(len(u)):
        for j in range(len(h)):
            if circular:
                y[t] += h[j] * u[(t - j) % len(u)]
            elif j <= t:
                y[t] += h[j] * u[t - j]
    return y


def array(x):
    return x.detach().numpy()


def noise(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def stepwise(mixer, x):
    """All outputs, one position at a time, and the state at the end."""
    state, rows = mixer.initial_state(x.shape[0]), []
    for t in range(x.shape[1]):
        y_t, state = mixer.step(x[:, t], state)
        rows.append(y_t)
    return torch.stack(rows, 1), state


def elements(state):
    """Floating-point elements a sequence in a state."""
    if isinstance(state, torch.Tensor):
        return state[0].numel() if state.is_floating_point() else 0
    if isinstance(state, (list, tuple)):
        return sum(map(elements, state))
    return 0


def assert_stepping_is_the_whole_pass(mixer, d_model, length):
    """Step by step, and in two halves cut anywhere, equals the whole; the state has its size."""
    x = noise(2, length, d_model, seed=length)
    whole = mixer(x)
    rows, state = stepwise(mixer, x)
    torch.testing.assert_close(rows, whole, rtol=0, atol=1e-10)
    assert elements(state) == mixer.state_size(length)
    for cut in {1, length // 2, length - 1} - {0, length}:
        first, state = mixer(x[:, :cut], mixer.initial_state(2))
        assert elements(state) == mixer.state_size(cut)
        second, state = mixer(x[:, cut:], state)
        torch.testing.assert_close(torch.cat([first, second], 1), whole, rtol=0, atol=1e-10)
        assert elements(state) == mixer.state_size(length)
