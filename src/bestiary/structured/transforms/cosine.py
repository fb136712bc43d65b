"""Cosine and sine transforms of types I to IV, unscaled, as ``scipy.fft.dct`` and ``dst``.

Each is the DFT of a sequence extended by its mirror image, between two diagonals. The extension is
a factor of the largest size, which copies, and a permutation, whose Beneš network meets a vector
with a factor of that same size: the two merge, so that extension and bit reversal are one member
of BB*. The matrices are real; the twiddles are complex, and the entries' imaginary parts rounding.
"""

from __future__ import annotations

import torch
from torch import Tensor

from bestiary.errors import UserError
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.matrix import check_power_of_two
from bestiary.structured.permutation import Permutation
from bestiary.structured.transforms.chain import composed, product
from bestiary.structured.transforms.fourier import COMPLEX, cooley_tukey, unit_root
from bestiary.structured.transforms.pairs import merge_right, pair_factor
from bestiary.structured.transforms.routing import permutation


def dct2(n: int) -> Kaleidoscope:
    """DCT-II, y[k] = 2·Σ_j cos(πk(2j + 1)/2n)·x[j], in (BB*)^2_2; n a power of two."""
    return _mirrored(n, shift=0, sign=1, scale=1)


def dct3(n: int) -> Kaleidoscope:
    """DCT-III, y[k] = x[0] + 2·Σ_{j>0} cos(πj(2k + 1)/2n)·x[j], in (BB*)^2_2; n a power of two.

    The transpose of DCT-II with its first column halved.
    """
    return _halved(dct2(n).transpose(), 0)


def dct4(n: int) -> Kaleidoscope:
    """DCT-IV, y[k] = 2·Σ_j cos(π(2k + 1)(2j + 1)/4n)·x[j], in (BB*)^2_2; n a power of two."""
    return _mirrored(n, shift=0.5, sign=-1, scale=1)


def dst2(n: int) -> Kaleidoscope:
    """DST-II, y[k] = 2·Σ_j sin(π(k + 1)(2j + 1)/2n)·x[j], in (BB*)^2_2; n a power of two."""
    return _mirrored(n, shift=1, sign=-1, scale=1j)


def dst3(n: int) -> Kaleidoscope:
    """DST-III, in (BB*)^2_2; n a power of two.

    y[k] = (−1)^k·x[n − 1] + 2·Σ_{j<n−1} sin(π(j + 1)(2k + 1)/2n)·x[j]: the transpose of DST-II
    with its last column halved.
    """
    return _halved(dst2(n).transpose(), n - 1)


def dst4(n: int) -> Kaleidoscope:
    """DST-IV, y[k] = 2·Σ_j sin(π(2k + 1)(2j + 1)/4n)·x[j], in (BB*)^2_2; n a power of two."""
    return _mirrored(n, shift=0.5, sign=1, scale=1j)


def dct1(n: int) -> Kaleidoscope:
    """DCT-I, y[k] = x[0] + (−1)^k·x[n − 1] + 2·Σ cos(πkj/(n − 1))·x[j], in (BB*)^2; n = 2^m + 1.

    The sum is over 0 < j < n − 1. The DFT of the period [x[0] … x[n − 1], x[n − 2] … x[1]] of
    2^(m+1), the power of two that holds n.
    """
    half = n - 1
    if half < 2 or half & (half - 1):
        near = 1 << max(1, half.bit_length() - 1)
        raise UserError(f"DCT-I has n = {n}; it must be 2^m + 1, m from 1, such as {near + 1}")
    pair = torch.arange(half)
    ends = pair == 0
    copies = pair_factor(2 * half, 2 * half, ((1, 0), (~ends, ends)), COMPLEX)
    source = torch.cat([pair, half + torch.where(ends, 0, half - pair)])
    return _extended(n, Permutation(source), copies, torch.ones(2 * half, dtype=COMPLEX))


def dst1(n: int) -> Kaleidoscope:
    """DST-I, y[k] = 2·Σ_j sin(π(k + 1)(j + 1)/(n + 1))·x[j], in (BB*)^2_2; n = 2^m − 1.

    The DFT of the period [0, x, 0, −x reversed] of 2^(m+1), from its second entry on.
    """
    half = n + 1
    if half < 2 or half & (half - 1):
        raise UserError(
            f"DST-I has n = {n}; it must be 2^m − 1, such as {2 ** half.bit_length() - 1}"
        )
    size = 2 * half
    copies = pair_factor(size, size, ((1, 0), (-1, 0)), COMPLEX)
    index = torch.arange(1, half)
    # The pad at half − 1 is 0 and so are both its copies: they fill the two zeros of the period.
    zeros = torch.tensor([half - 1]), torch.tensor([size - 1])
    source = torch.cat([zeros[0], index - 1, zeros[1], size - 1 - index])
    return _extended(n, Permutation(source), copies, unit_root(torch.arange(size) / size), 1j)


def _mirrored(n: int, shift: float, sign: int, scale: complex) -> Kaleidoscope:
    """scale·Σ_j (E(j, k) + sign'·conj E(j, k))·x[j], E(j, k) = exp(−πi(k + shift)(2j + 1)/2n).

    The DFT of 2n of [x, ``sign``·x reversed]: conj E(j, k) is exp(2πi·shift)·E(2n − 1 − j, k).
    """
    check_power_of_two(n, "the size n of a cosine or sine transform")
    size = 2 * n
    copies = pair_factor(size, size, ((1, 0), (sign, 0)), COMPLEX)
    index = torch.arange(size)
    mirror = Permutation(torch.where(index < n, index, size + n - 1 - index))
    before = unit_root(shift * (2 * index + 1) / (2 * size))
    after = scale * unit_root(index / (2 * size))
    return _extended(n, mirror, copies, before, after)


def _extended(
    n: int,
    order: Permutation,
    copies: ButterflyFactor,
    before: Tensor,
    after: Tensor | complex = 1,
) -> Kaleidoscope:
    """The n×n corner of diag(after) · DFT · diag(before) · order · copies, in (BB*)^2."""
    size = order.n
    reversal = Permutation.bit_reversal(size)
    leaving, entering = permutation(composed(reversal, order), COMPLEX).butterflies
    leaving = leaving.scale_rows(before[reversal.source])
    forward = cooley_tukey(size).scale_rows(torch.as_tensor(after, dtype=COMPLEX).expand(size))
    extended = Kaleidoscope((leaving, merge_right(entering, copies)))
    return Kaleidoscope(product(forward, extended).butterflies, n)


def _halved(matrix: Kaleidoscope, column: int) -> Kaleidoscope:
    """The matrix with one column halved."""
    scale = torch.ones(matrix.size, dtype=COMPLEX)
    scale[column] = 0.5
    *rest, last = matrix.butterflies
    return Kaleidoscope((*rest, last.scale_columns(scale)), matrix.n)
