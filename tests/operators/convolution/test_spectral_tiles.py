"""Transforms in tiles of any rows, channels and blocks: the cuts must not show."""

from __future__ import annotations

import numpy as np
import torch
from convolution_oracle import direct_sum
from hypothesis import given, settings
from hypothesis import strategies as st

from bestiary.operators import conv
from bestiary.operators.convolution import MODES, Plan
from bestiary.operators.convolution.differentiable import convolve
from bestiary.operators.convolution.fft_size import fft_size
from bestiary.operators.convolution.geometry import geometry_for


def draw(seed: int, *shape: int) -> torch.Tensor:
    made = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return made.requires_grad_()


@settings(max_examples=60, deadline=None)
@given(
    mode=st.sampled_from(MODES),
    length=st.integers(1, 60),
    taps=st.integers(1, 60),
    centre=st.integers(0, 59),
    block=st.integers(1, 20),
    tile=st.tuples(st.integers(1, 4), st.integers(1, 4)),
)
def test_values_and_gradients_are_the_same_however_the_work_is_cut(
    mode, length, taps, centre, block, tile
):
    centre = min(centre, taps - 1) if mode == "bidirectional" else None
    geometry = geometry_for(length, taps, mode, centre)
    if geometry != geometry.trimmed():
        return
    plan = Plan("chunked", "", fft_size(block + taps - 1), block, *tile)
    u, h, g = draw(1, 3, length, 3), draw(2, taps, 3), draw(3, 3, length, 3)
    y = convolve(u.mT, h.mT, geometry, plan).mT
    wanted = direct_sum(u.detach().numpy(), h.detach().numpy(), mode, centre)
    np.testing.assert_allclose(y.detach().numpy(), wanted, atol=1e-10, rtol=0)
    # The direct path has its gradients checked by finite differences and written-out sums.
    other = conv(u, h, mode, centre=centre, path="direct")
    for a, b in zip(
        torch.autograd.grad(y, (u, h), g), torch.autograd.grad(other, (u, h), g), strict=True
    ):
        torch.testing.assert_close(a, b, atol=1e-10, rtol=0)


def test_blocks_cut_a_half_precision_gradient_only_once():
    """Overlaps are summed in float32: the rounded whole, not a sum of rounded parts."""
    u, h = draw(4, 2, 50, 3).detach().bfloat16(), draw(5, 9, 3).detach().float()
    geometry = geometry_for(50, 9, "causal")
    grads = []
    for block in (50, 5):
        plan = Plan("chunked", "", 64, block, 2, 3)
        x = u.clone().requires_grad_()
        convolve(x.mT, h.mT, geometry, plan).sum().backward()
        grads.append(x.grad)
    assert torch.equal(*grads)
