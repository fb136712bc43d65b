"""A trainable kaleidoscope matrix in place of a dense layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.layers.linear import StructuredLinear
from bestiary.structured.layers.start import DRAWN


class KaleidoscopeLinear(StructuredLinear):
    """y = corner(M) x + bias with M in (BB*)^width of expansion·n: 4·width·en·log2(en) weights.

    x: (..., in_features) → (..., out_features); n is the smallest power of two that holds both.
    ``init`` is where M starts:

    - ``orthogonal``: a product of random orthogonal butterflies, unitary if complex;
    - ``identity``;
    - ``dft``: the unitary DFT, as ``torch.fft.fft(x, norm="ortho")``; needs width 2, expansion 1,
      a complex dtype and equal features that are a power of two;
    - ``random``: Gaussian entries, which keep the mean square of a vector on average;
    - a ``Kaleidoscope`` of the size and at most the width of this one.

    The bias starts at 0. Raises ``UserError`` for sizes below 1 and what ``init`` cannot do.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        bias: bool = True,
        width: int = 1,
        expansion: int = 1,
        init: str | Kaleidoscope = "orthogonal",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        if width < 1:
            raise UserError(f"width is {width}; it must be at least 1")
        super().__init__(
            in_features,
            out_features,
            ("falling", "rising") * width,
            bias=bias,
            expansion=expansion,
            dtype=dtype,
        )
        self.width, self.expansion = width, expansion
        self.twiddle = nn.Parameter(self._start(init, dtype))

    def _start(self, init: str | Kaleidoscope, dtype: torch.dtype) -> Tensor:
        if isinstance(init, Kaleidoscope):
            return self._of(init, dtype)
        self._check_start(init)
        if init in DRAWN:
            return DRAWN[init](self._twiddle_shape(), dtype)
        if not dtype.is_complex:
            raise UserError(f"init 'dft' needs a complex dtype; got {dtype}")
        from bestiary.structured.transforms.fourier import dft

        whole = dft(self.size)
        first, *rest = whole.butterflies
        scale = torch.full((self.size,), self.size**-0.5, dtype=torch.float64)
        return self._of(Kaleidoscope([first.scale_rows(scale), *rest]), dtype)

    def _of(self, matrix: Kaleidoscope, dtype: torch.dtype) -> Tensor:
        if matrix.size != self.size or matrix.width > self.width or matrix.stack:
            raise UserError(
                f"a layer of size {self.size} and width {self.width} cannot start as {matrix} "
                f"(accepted: a single one of size {self.size} and width up to {self.width})"
            )
        unit = Kaleidoscope.identity(self.size, matrix.dtype)
        butterflies = [*matrix.butterflies]
        for _ in range(self.width - matrix.width):
            butterflies.extend(unit.butterflies)
        return torch.stack([b.to(dtype).packed().detach() for b in butterflies])

    def matrix(self) -> Kaleidoscope:
        """M over the same parameters."""
        return Kaleidoscope.from_packed(self.twiddle)

    def extra_repr(self) -> str:
        """Sizes, padding, width and expansion."""
        return super().extra_repr() + f", width={self.width}, expansion={self.expansion}"
