"""What ``conv`` accepts, what it refuses, and what it leaves alone."""

from __future__ import annotations

import pytest
import torch

from bestiary.errors import UserError
from bestiary.operators import conv, explain
from bestiary.operators.convolution import MODES

PATHS = ("direct", "fft", "chunked")


def draw(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float32, 1e-4), (torch.bfloat16, 0.2), (torch.float16, 0.02)]
)
def test_results_and_gradients_come_in_the_dtypes_of_what_they_belong_to(path, dtype, tolerance):
    u, h = draw(1, 2, 90, 3).to(dtype).requires_grad_(), draw(2, 20, 3).requires_grad_()
    y = conv(u, h.to(dtype), path=path)
    assert y.dtype == dtype
    y.float().sum().backward()
    assert u.grad is not None and h.grad is not None
    assert (u.grad.dtype, h.grad.dtype) == (dtype, torch.float64)
    wanted = conv(u.detach().double(), h.detach().to(dtype).double())
    torch.testing.assert_close(y.double(), wanted, atol=tolerance, rtol=tolerance / 10)


def test_bfloat16_is_computed_in_float32_and_rounded_once():
    u, h = draw(3, 2, 300, 3, dtype=torch.bfloat16), draw(4, 300, 3, dtype=torch.bfloat16)
    assert torch.equal(conv(u, h), conv(u.float(), h.float()).bfloat16())


def test_a_filter_of_higher_precision_than_the_input_is_not_rounded():
    u, h = draw(5, 2, 40, 3, dtype=torch.bfloat16), draw(6, 40, 3, dtype=torch.float32)
    y = conv(u, h)
    assert y.dtype == torch.bfloat16
    assert torch.equal(y, conv(u.float(), h).bfloat16())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", MODES)
def test_strided_expanded_and_reversed_inputs_give_what_their_copies_give(path, mode):
    u = draw(7, 90, 6, 4).transpose(0, 1)[::2, 1::2, 1:]
    h = draw(8, 3, 31).t()[:29]
    for a, b in ((u, h), (u[:1].expand(3, -1, -1), h[:, :1].expand(-1, 3)), (u[:, :1], h)):
        y = conv(a.contiguous(), b.contiguous(), mode, path=path)
        torch.testing.assert_close(conv(a, b, mode, path=path), y, atol=1e-12, rtol=0)
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        grads = torch.autograd.grad(conv(a, b, mode, path=path).square().sum(), (a, b))
        c, d = (x.detach().contiguous().requires_grad_() for x in (a, b))
        wanted = torch.autograd.grad(conv(c, d, mode, path=path).square().sum(), (c, d))
        for x, y in zip(grads, wanted, strict=True):
            torch.testing.assert_close(x, y, atol=1e-9, rtol=0)


@pytest.mark.parametrize("path", PATHS)
def test_a_broadcast_output_gradient_is_taken_as_any_other(path):
    u, h = draw(9, 2, 70, 3).requires_grad_(), draw(10, 70, 3).requires_grad_()
    summed = torch.autograd.grad(conv(u, h, path=path).sum(), (u, h))
    ones = torch.autograd.grad(conv(u, h, path=path), (u, h), torch.ones(2, 70, 3).double())
    for a, b in zip(summed, ones, strict=True):
        torch.testing.assert_close(a, b, atol=1e-10, rtol=0)


@pytest.mark.parametrize("path", PATHS)
def test_inputs_filters_and_gradients_are_left_as_they_were(path):
    u, h, g = draw(11, 2, 70, 3), draw(12, 70, 3), draw(13, 2, 70, 3)
    copies = [x.clone() for x in (u, h, g)]
    a, b = u.requires_grad_(), h.requires_grad_()
    conv(a, b, path=path).backward(g)
    for x, copy in zip((u, h, g), copies, strict=True):
        assert torch.equal(x, copy)


@pytest.mark.parametrize("path", PATHS)
def test_an_empty_batch_gives_an_empty_output_and_no_gradient(path):
    u, h = draw(14, 0, 70, 3).requires_grad_(), draw(15, 70, 3).requires_grad_()
    y = conv(u, h, path=path)
    assert y.shape == (0, 70, 3)
    grad_u, grad_h = torch.autograd.grad(y.sum(), (u, h))
    assert grad_u.shape == (0, 70, 3)
    assert torch.equal(grad_h, torch.zeros_like(h))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("length", [1, 20, 200])
def test_the_output_lies_in_memory_as_the_input_does(path, length):
    u, h = draw(16, 2, length, 3), draw(17, 20, 3)
    assert conv(u, h, path=path).is_contiguous()
    last = conv(u.mT.contiguous(), h.mT, path=path, time_last=True)
    assert last.is_contiguous()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda u, h: conv(u[0], h), r"input has 2 dimensions, \(9, 3\), not 3"),
        (lambda u, h: conv(u, h[0]), r"filter has 1 dimensions, \(3,\), not 2"),
        (lambda u, h: conv(u, h[:, :2]), "filter has 2 channels and the input 3"),
        (lambda u, h: conv(u.long(), h), "input is torch.int64; it must be real floating point"),
        (lambda u, h: conv(u, h.cfloat()), "filter is torch.complex64; it must be real"),
        (lambda u, h: conv(u, h, "casual"), "unknown convolution mode 'casual'; did you mean"),
        (lambda u, h: conv(u, h, path="ftt"), "unknown convolution path 'ftt'; did you mean"),
        (lambda u, h: conv(u, h, centre=1), "centre is 1, but only a bidirectional"),
        (lambda u, h: conv(u, h, "bidirectional"), "4 taps have no middle; give a centre from 0"),
        (lambda u, h: conv(u, h, "bidirectional", centre=4), "centre is 4; with 4 taps it must"),
        (lambda u, h: conv(u, h, "bidirectional", centre=-1), "centre is -1; with 4 taps it"),
        (lambda u, h: conv(u[:, :0], h), "length of a convolution is 0; it must be at least 1"),
        (lambda u, h: conv(u, h[:0]), "number of taps of a convolution is 0; it must be at"),
        (lambda u, h: explain(u, h[:, :2]), "filter has 2 channels and the input 3"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(call, message):
    with pytest.raises(UserError, match=message):
        call(draw(18, 2, 9, 3), draw(19, 4, 3))
