"""Tokens as bits: the number of a token in ±1, and the most likely token of a row of bits."""

from __future__ import annotations

import torch
from torch import Tensor

SHARPNESS = 16.0
"""What the head multiplies correlations by: a token that differs in one bit is 2 · 16 nats below
the right one, so that cross-entropy is 0 where float32 can tell."""


def code_bits(vocab_size: int) -> int:
    """⌈log2 V⌉, at least 1: bits that tell ``vocab_size`` tokens apart."""
    return max(1, (vocab_size - 1).bit_length())


def token_codes(vocab_size: int) -> Tensor:
    """(vocab_size, bits) float32: bit k of token v as ±1, lowest bit first."""
    bits = torch.arange(code_bits(vocab_size))
    numbers = torch.arange(vocab_size)[:, None]
    return ((numbers >> bits) & 1).float() * 2 - 1
