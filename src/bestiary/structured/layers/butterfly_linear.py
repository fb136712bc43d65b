"""A trainable butterfly in place of a dense layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.structured.butterfly import Butterfly
from bestiary.structured.layers.linear import StructuredLinear
from bestiary.structured.layers.start import DRAWN
from bestiary.structured.permutation import Permutation
from bestiary.structured.product import Product


class ButterflyLinear(StructuredLinear):
    """y = corner(B · P) x + bias, B in the class B, P a fixed permutation: 2n·log2 n weights.

    x: (..., in_features) → (..., out_features). P is the identity, or the bit reversal of the
    padded size with ``bit_reversal``; it is stored and not trained. ``init`` is where B starts:

    - ``orthogonal``: a random orthogonal matrix, unitary if complex;
    - ``identity``;
    - ``dft``: the unitary DFT with the bit reversal, as ``torch.fft.fft(x, norm="ortho")``; needs
      ``bit_reversal``, a complex dtype and equal features that are a power of two;
    - ``random``: Gaussian entries, which keep the mean square of a vector on average.

    The bias starts at 0. Raises ``UserError`` for sizes below 1 and what ``init`` cannot do.
    """

    source: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        bias: bool = True,
        init: str = "orthogonal",
        bit_reversal: bool = False,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(
            in_features, out_features, ("falling",), bias=bias, expansion=1, dtype=dtype
        )
        self._check_start(init)
        source = Permutation.bit_reversal(self.size).source if bit_reversal else None
        self.register_buffer("source", source)
        self.twiddle = nn.Parameter(self._start(init, dtype))

    def _start(self, init: str, dtype: torch.dtype) -> Tensor:
        if init in DRAWN:
            return DRAWN[init](self._twiddle_shape(), dtype)
        if not dtype.is_complex or self.source is None:
            raise UserError(
                f"init 'dft' needs a complex dtype and bit_reversal=True; got {dtype} and "
                f"bit_reversal={self.source is not None}"
            )
        from bestiary.structured.transforms.fourier import cooley_tukey

        return (cooley_tukey(self.size).packed() / 2**0.5).to(dtype).unsqueeze(0)

    def matrix(self) -> Butterfly | Product:
        """B, or B · P, over the same parameters."""
        butterfly = Butterfly.from_packed(self.twiddle[0])
        return butterfly if self.source is None else Product([butterfly, Permutation(self.source)])

    def _arranged(self, x: Tensor) -> Tensor:
        return x if self.source is None else x[..., self.source]

    def extra_repr(self) -> str:
        """Sizes, padding and the fixed permutation."""
        return super().extra_repr() + f", bit_reversal={self.source is not None}"
