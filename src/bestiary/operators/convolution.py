"""Depthwise long convolution: every channel of a sequence with a filter of its own."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from bestiary.errors import UserError, unknown_name

Mode = Literal["causal", "circular", "bidirectional"]
Path = Literal["auto", "direct", "fft", "chunked"]
MODES: tuple[Mode, ...] = ("causal", "circular", "bidirectional")
PATHS: tuple[Path, ...] = ("auto", "direct", "fft", "chunked")


def conv(
    u: Tensor,
    h: Tensor,
    mode: Mode = "causal",
    *,
    path: Path = "auto",
    centre: int | None = None,
    time_last: bool = False,
) -> Tensor:
    """Convolve each channel of ``u`` with its own filter, the column of ``h`` of the same channel.

    u: (batch, length, channels); h: (taps, channels), any number of taps from 1 up. With
    ``time_last``, u is (batch, channels, length) and h (channels, taps), which spares transposes.
    float64, float32 or bfloat16 (computed in float32). Returns the shape, dtype of ``u``.

    - ``causal``: y[t] = sum_j h[j] u[t-j], u being 0 before the start.
    - ``circular``: the same with t-j taken modulo the length.
    - ``bidirectional``: y[t] = sum_j h[j] u[t-j+centre], u being 0 outside; tap ``centre`` is the
      one at offset 0, taps before it look ahead. Default: the middle of an odd number of taps.

    Raises ``UserError`` for shapes, dtypes, modes or centres that don't fit.
    """
    if mode not in MODES:
        raise unknown_name("convolution mode", mode, MODES)
    if path not in PATHS:
        raise unknown_name("convolution path", path, PATHS)
    if not time_last:
        u, h = u.mT, h.mT
    length, taps = u.shape[-1], h.shape[-1]
    if h.shape[0] != u.shape[1]:
        raise UserError(f"the filter has {h.shape[0]} channels and the input {u.shape[1]}")
    if mode != "bidirectional":
        centre = 0
    elif centre is None:
        if taps % 2 == 0:
            raise UserError(f"{taps} taps have no middle; give the centre, 0 to {taps - 1}")
        centre = taps // 2
    work = torch.promote_types(u.dtype, torch.float32)
    n = length + taps - 1
    full = torch.fft.irfft(torch.fft.rfft(u.to(work), n) * torch.fft.rfft(h.to(work), n), n)
    if mode == "circular":
        full = torch.nn.functional.pad(full, (0, -n % length))
        y = full.unflatten(-1, (-1, length)).sum(-2)
    else:
        y = full[..., centre : centre + length]
    y = y.to(u.dtype)
    return y if time_last else y.mT.contiguous()
