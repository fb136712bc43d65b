"""What trainable structured layers share: sizes with padding, the bias, the forward pass."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from bestiary.errors import UserError, unknown_name
from bestiary.operators.butterfly import multiply
from bestiary.structured.layers.start import STARTS
from bestiary.structured.matrix import DTYPES, StructuredMatrix


class StructuredLinear(nn.Module):
    """y = M x + bias with M the corner of a product of butterflies; a stand-in for ``nn.Linear``.

    x: (..., in_features), any number of axes before the last, none included. Returns
    (..., out_features). The butterflies have ``size``, the smallest power of two that holds both
    (times an expansion): x is padded with zeros to it, and the first out_features are kept, as
    ``repr`` shows. ``dtype`` may be complex. Parameters: ``twiddle`` (butterflies, log2 size, 2, 2,
    size/2), factors in written order, and ``bias`` (out_features) or None.
    """

    twiddle: nn.Parameter
    bias: nn.Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        orders: tuple[str, ...],
        *,
        bias: bool,
        expansion: int,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        for name, value in (("in_features", in_features), ("out_features", out_features)):
            if value < 1:
                raise UserError(f"{name} is {value}; it must be at least 1")
        if expansion < 1 or expansion & (expansion - 1):
            raise UserError(f"expansion is {expansion}; it must be a power of two, such as 1 or 2")
        if dtype not in DTYPES:
            accepted = ", ".join(str(d).removeprefix("torch.") for d in DTYPES)
            raise UserError(f"a layer cannot be {dtype} (accepted: {accepted})")
        self.in_features, self.out_features = in_features, out_features
        self.size = max(2, 1 << (max(in_features, out_features) - 1).bit_length()) * expansion
        self.orders = orders
        if bias:
            self.bias = nn.Parameter(torch.zeros(out_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)

    @abstractmethod
    def matrix(self) -> StructuredMatrix:
        """The size × size matrix as a math object over the same parameters."""

    def dense(self) -> Tensor:
        """The weights as ``nn.Linear`` would hold them, (out_features, in_features)."""
        return self.matrix().dense()[: self.out_features, : self.in_features]

    def forward(self, x: Tensor) -> Tensor:
        """(..., in_features) → (..., out_features)."""
        if x.dim() < 1 or x.shape[-1] != self.in_features:
            raise UserError(f"x has shape {tuple(x.shape)} (accepted: (..., {self.in_features}))")
        if self.size > self.in_features:
            x = pad(x, (0, self.size - self.in_features))
        y = multiply(self._arranged(x), self.twiddle, self.orders)[..., : self.out_features]
        return y if self.bias is None else y + self.bias

    def _arranged(self, x: Tensor) -> Tensor:
        """What the butterflies are applied to."""
        return x

    def _check_start(self, init: str) -> None:
        if init not in STARTS:
            raise unknown_name("init", init, STARTS)
        if init != "dft":
            return
        if not self.in_features == self.out_features == self.size:
            raise UserError(
                f"a layer of {self.in_features} → {self.out_features} features in butterflies of "
                f"size {self.size} cannot start as a DFT, whose corner is no DFT; take a power of "
                f"two for both, such as {self.size}"
            )

    def _twiddle_shape(self) -> tuple[int, ...]:
        return (len(self.orders), self.size.bit_length() - 1, self.size // 2)

    def extra_repr(self) -> str:
        """Sizes, padding included."""
        padded = ""
        if not self.in_features == self.out_features == self.size:
            padded = f", padded to size={self.size}"
        dtype = str(self.twiddle.dtype).removeprefix("torch.")
        return (
            f"in_features={self.in_features}, out_features={self.out_features}{padded}, "
            f"bias={self.bias is not None}, dtype={dtype}"
        )
