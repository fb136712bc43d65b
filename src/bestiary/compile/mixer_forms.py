"""The gated forms of the mixers that come with Bestiary."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from bestiary.compile.constants import Array
from bestiary.compile.gated_form import GatedForm, GatedStep, HasGatedForm, Projection
from bestiary.errors import UserError
from bestiary.mixers.h3 import H3
from bestiary.mixers.hyena import Hyena
from bestiary.mixers.short_conv import ShortConv


def gated_form_of(module: nn.Module, length: int) -> GatedForm:
    """The gated form of a float64 mixer over ``length`` rows.

    ``UserError`` for one that is no gated convolution, such as attention.
    """
    if isinstance(module, HasGatedForm):
        return module.gated_form(length)
    if isinstance(module, Hyena):
        return hyena_form(module, length)
    if isinstance(module, H3):
        return h3_form(module, length)
    if isinstance(module, ShortConv):
        return short_conv_form(module, length)
    raise UserError(
        f"{type(module).__name__} cannot be compiled: it is no gated convolution with kernels that "
        "do not depend on the input (accepted: Hyena, H3, ShortConv, BaseConv, and any mixer with "
        "gated_form(length))"
    )


def hyena_form(module: Hyena, length: int) -> GatedForm:
    """z^ℓ = p^ℓ ⊙ (h^ℓ * z^(ℓ-1)), from the arrays that the module gives (Poli et al. 2023)."""
    weights, biases = module.projections()
    short = module.short_filters()
    value, *gates = (
        Projection(
            array(weight),
            array(bias),
            None if short is None else array(short.taps[i]),
            None if short is None else array(short.bias[i]),
        )
        for i, (weight, bias) in enumerate(zip(weights, biases, strict=True))
    )
    kernels = module.long_filters(length)
    steps = tuple(GatedStep(gate, array(h)) for gate, h in zip(gates, kernels, strict=True))
    output = module.output_map()
    if output is None:
        return GatedForm(value, steps)
    return GatedForm(value, steps, array(output.weight), array(output.bias))


def h3_form(module: H3, length: int) -> GatedForm:
    """q ⊙ (SSM_diag * (v ⊙ (SSM_shift * k))) (Fu et al. 2023, algorithm 1).

    In a head of size m every pair (i, j) has a channel, d·m in all: keys are repeated over j,
    values over i; the output adds q_i times the memory of (i, j) over i.
    """
    weight, bias = array(module.projection.weight), array(module.projection.bias)
    query, key, value = (
        Projection(w.T, b) for w, b in zip(np.split(weight, 3), np.split(bias, 3), strict=True)
    )
    m = module.head_dim
    channel = np.arange(module.d_model).reshape(-1, m)
    slower = np.repeat(channel, m, axis=1).ravel()
    faster = np.tile(channel, (1, m)).ravel()
    kernels = module.kernels(length)
    shift, diagonal = array(kernels.shift), array(kernels.diagonal)
    steps = (
        GatedStep(picked(value, faster), shift[:, slower]),
        GatedStep(picked(query, slower), np.repeat(diagonal, m * m, axis=1)),
    )
    total = np.zeros((module.d_model * m, module.d_model))
    total[np.arange(len(faster)), faster] = 1
    if module.output is None:
        return GatedForm(picked(key, slower), steps, None if m == 1 else total)
    output, constant = array(module.output.weight).T, array(module.output.bias)
    return GatedForm(picked(key, slower), steps, total @ output, constant)


def short_conv_form(module: ShortConv, length: int) -> GatedForm:
    """((x W1 + b1) ⊙ (h * (x W2) + b2)) W3."""
    gate, value = np.split(array(module.inward.weight), 2)
    b1 = None if module.gate_bias is None else array(module.gate_bias)
    b2 = None if module.conv_bias is None else array(module.conv_bias)
    step = GatedStep(Projection(gate.T, b1), array(module.filter), b2)
    return GatedForm(Projection(value.T), (step,), array(module.outward.weight).T)


def picked(projection: Projection, channels: Array) -> Projection:
    """Some channels of a projection without taps, any of them any number of times."""
    bias = None if projection.bias is None else projection.bias[channels]
    return Projection(projection.weight[:, channels], bias)


def array(values: Tensor) -> Array:
    """A tensor as a float64 array."""
    return values.detach().to("cpu", torch.float64).numpy()
