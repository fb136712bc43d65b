"""Derivatives of ``conv``: exact, of any order, under transforms, and with little kept for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from bestiary.operators import conv
from bestiary.operators.convolution import MODES

PATHS = ("direct", "fft", "chunked")


def draw(seed: int, *shape: int) -> Tensor:
    made = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return made.requires_grad_()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("length", "taps"), [(1, 1), (1, 3), (7, 3), (7, 7), (6, 13), (30, 15)])
def test_first_and_second_derivatives_are_those_of_finite_differences(mode, path, length, taps):
    u, h = draw(1, 2, length, 2), draw(2, taps, 2)

    def function(u: Tensor, h: Tensor) -> Tensor:
        return conv(u, h, mode, path=path)

    assert gradcheck(function, (u, h), fast_mode=length > 10)
    assert gradgradcheck(function, (u, h), fast_mode=length > 4)


@pytest.mark.parametrize("taps", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("length", [1, 2, 4, 5, 9])
def test_short_causal_filters_have_exact_gradients_also_when_longer_than_the_sequence(taps, length):
    u, h = draw(3, 2, length, 3), draw(4, taps, 3)
    assert gradcheck(conv, (u, h))
    y = conv(u, h)
    _, grad_h = torch.autograd.grad(y.sum(), (u, h))
    assert torch.equal(grad_h[length:], torch.zeros_like(grad_h[length:]))


@settings(max_examples=40, deadline=None)
@given(
    mode=st.sampled_from(MODES),
    path=st.sampled_from(PATHS),
    length=st.integers(1, 140),
    taps=st.integers(1, 150),
)
def test_gradients_are_those_of_the_sum_written_out_under_autograd(mode, path, length, taps):
    u, h, g = draw(5, 2, length, 2), draw(6, taps, 2), draw(7, 2, length, 2)
    centre = taps // 3 if mode == "bidirectional" else None
    t, s = torch.arange(length)[:, None], torch.arange(length)[None]
    lag = t - s + (centre or 0)
    if mode == "circular":
        matrix = torch.zeros(length, length, 2, dtype=torch.float64)
        for j in range(taps):
            matrix = matrix + ((t - s - j) % length == 0)[..., None] * h[j]
    else:
        inside = (lag >= 0) & (lag < taps)
        matrix = torch.where(inside[..., None], h[lag.clamp(0, taps - 1)], 0.0)
    wanted = torch.autograd.grad(torch.einsum("tsc,bsc->btc", matrix, u), (u, h), g)
    given_ = torch.autograd.grad(conv(u, h, mode, path=path, centre=centre), (u, h), g)
    for a, b in zip(given_, wanted, strict=True):
        torch.testing.assert_close(a, b, atol=1e-10, rtol=0)


@pytest.mark.parametrize("path", PATHS)
def test_an_output_has_no_gradient_to_later_inputs(path):
    u, h = draw(8, 1, 100, 2), draw(9, 100, 2)
    (grad,) = torch.autograd.grad(conv(u, h, path=path)[:, 41].sum(), u)
    assert float(grad[:, 42:].abs().max()) < 1e-12
    assert float(grad[:, :42].abs().min()) > 0


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("wanted", ["u", "h"])
def test_the_gradient_of_one_alone_is_the_same_as_of_both(path, wanted):
    u, h = draw(10, 2, 50, 3), draw(11, 20, 3)
    grad_u, grad_h = torch.autograd.grad(conv(u, h, path=path).square().sum(), (u, h))
    if wanted == "u":
        (alone,) = torch.autograd.grad(conv(u, h.detach(), path=path).square().sum(), u)
        assert torch.equal(alone, grad_u)
    else:
        (alone,) = torch.autograd.grad(conv(u.detach(), h, path=path).square().sum(), h)
        assert torch.equal(alone, grad_h)


@pytest.mark.parametrize("path", PATHS)
def test_only_input_and_filter_are_kept_for_the_backward_pass(path):
    u, h = draw(12, 2, 50, 3), draw(13, 50, 3)
    kept: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: kept.append(x.untyped_storage().data_ptr()) or x, lambda x: x
    ):
        conv(u, h, path=path)
    assert set(kept) == {u.untyped_storage().data_ptr(), h.untyped_storage().data_ptr()}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", MODES)
def test_forward_mode_agrees_with_linearity(path, mode):
    u, h, a, b = (draw(i, *s).detach() for i, s in enumerate([(2, 9, 2), (5, 2)] * 2))
    value, slope = torch.func.jvp(lambda u, h: conv(u, h, mode, path=path), (u, h), (a, b))
    torch.testing.assert_close(value, conv(u, h, mode), atol=1e-10, rtol=0)
    wanted = conv(a, h, mode) + conv(u, b, mode)
    torch.testing.assert_close(slope, wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("path", PATHS)
def test_mapped_and_looped_calls_agree_in_values_and_gradients(path):
    u, hs = draw(14, 2, 9, 3).detach(), draw(15, 4, 5, 3).detach()

    def loss(u: Tensor, h: Tensor) -> Tensor:
        return conv(u, h, path=path).pow(3).sum()

    mapped = torch.func.vmap(torch.func.grad(loss, (0, 1)), (None, 0))(u, hs)
    looped = [torch.func.grad(loss, (0, 1))(u, h) for h in hs]
    for a, b in zip(mapped, zip(*looped, strict=True), strict=True):
        torch.testing.assert_close(a, torch.stack(b), atol=1e-10, rtol=0)
    per_example = torch.func.vmap(torch.func.grad(lambda h, x: loss(x[None], h)), (None, 0))
    looped_h = [torch.func.grad(lambda h, x=x: loss(x[None], h))(hs[0]) for x in u]
    torch.testing.assert_close(per_example(hs[0], u), torch.stack(looped_h), atol=1e-10, rtol=0)


def test_the_hessian_of_a_quadratic_in_the_filter_is_its_gram_matrix():
    u = draw(16, 1, 6, 1).detach()
    shifted = torch.stack([torch.nn.functional.pad(u[0, : 6 - j, 0], (j, 0)) for j in range(4)])
    hessian = torch.func.hessian(lambda h: conv(u, h).square().sum() / 2)(
        torch.zeros(4, 1).double()
    )
    torch.testing.assert_close(hessian[:, 0, :, 0], shifted @ shifted.T, atol=1e-10, rtol=0)


def test_a_compiled_function_may_call_it_and_holds_nothing_of_it():
    u, h = draw(17, 2, 70, 3), draw(18, 70, 3)
    compiled_calls: list[str] = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        nodes = graph.graph.nodes
        compiled_calls.extend(node.name for node in nodes if node.op.startswith("call"))
        return graph.forward

    def function(u: Tensor, h: Tensor) -> Tensor:
        return (conv(u.tanh(), h) + 2).square().sum()

    compiled = torch.compile(function, backend=backend)
    for a, b in zip(
        torch.autograd.grad(compiled(u, h), (u, h)),
        torch.autograd.grad(function(u, h), (u, h)),
        strict=True,
    ):
        assert torch.equal(a, b)
    assert compiled_calls == ["tanh", "add", "square", "sum_1"]
