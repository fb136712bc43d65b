"""The linear maps at the entrance and exit of a mixer."""

from __future__ import annotations

from torch import nn


def unit_linear(inputs: int, outputs: int) -> nn.Linear:
    """A linear map that starts by keeping the variance: normal, std 1/√inputs; the bias is 0.

    Mixers that multiply several projections need this: with half the scale for each, as torch's
    default has it, their outputs would start almost at 0.
    """
    linear = nn.Linear(inputs, outputs)
    nn.init.normal_(linear.weight, std=inputs**-0.5)
    nn.init.zeros_(linear.bias)
    return linear
