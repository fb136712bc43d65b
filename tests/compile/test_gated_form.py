"""Random gated forms, whose parts are of any kind together, against sums term by term."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from bestiary.compile import GatedForm, GatedStep, Projection, gated


def direct_conv(taps, x):
    y = np.zeros_like(x)
    for t in range(len(x)):
        for s in range(min(len(taps), t + 1)):
            y[t] += taps[s] * x[t - s]
    return y


def projected(projection, u):
    y = u @ projection.weight
    if projection.bias is not None:
        y = y + projection.bias
    if projection.taps is not None:
        y = direct_conv(projection.taps, y)
    return y if projection.taps_bias is None else y + projection.taps_bias


def computed(form, u):
    """The form on one sequence, as it is defined."""
    z = projected(form.value, u)
    for step in form.steps:
        mixed = direct_conv(step.kernel, z)
        if step.bias is not None:
            mixed = mixed + (step.bias if step.bias.ndim == 1 else step.bias[: len(u)])
        z = projected(step.gate, u) * mixed
    if form.output_weight is not None:
        z = z @ form.output_weight
    return z if form.output_bias is None else z + form.output_bias


class Direct(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, x):
        return torch.from_numpy(np.stack([computed(self.form, u) for u in x.numpy()]))

    def gated_form(self, length):
        return self.form


@st.composite
def forms(draw, rows, d):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def maybe(*shape):
        return rng.normal(size=shape) if draw(st.booleans()) else None

    def projection():
        taps = draw(st.sampled_from([0, 0, 1, 2, 3, rows + 1]))
        return Projection(
            rng.normal(size=(d, d)),
            maybe(d),
            rng.normal(size=(taps, d)) if taps else None,
            maybe(d),
        )

    def step():
        taps = draw(st.sampled_from([1, 2, rows, rows + 2]))
        bias = maybe(rows, d) if draw(st.booleans()) else maybe(d)
        return GatedStep(projection(), rng.normal(size=(taps, d)), bias)

    steps = tuple(step() for _ in range(draw(st.integers(1, 3))))
    return GatedForm(projection(), steps, maybe(d, d), maybe(d))


@given(data=st.data(), rows=st.integers(1, 6), d=st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_both_layouts_compute_any_gated_form(data, rows, d):
    form = data.draw(forms(rows, d))
    x = torch.randn(2, rows, d, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    expected = Direct(form)(x)
    output = form.output_weight is not None or form.output_bias is not None
    order = len(form.steps)
    for layout, most in (("channel", order + 2), ("time", 2 * order + 1)):
        stack = gated(Direct(form), rows, layout).stack
        assert len(stack.layers) <= most + output
        with torch.no_grad():
            found = stack(x)
        scale = max(1.0, float(expected.abs().max()))
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-11 * scale)
    assert stack.width == d
