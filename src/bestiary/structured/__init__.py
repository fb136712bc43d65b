"""Structured matrices: butterflies, kaleidoscopes, permutations and their products.

Every one is a ``StructuredMatrix``, an immutable object around torch tensors with ``apply`` on
(..., n), ``dense``, ``transpose``, ``conjugate``, ``adjoint``, ``inverse``, ``@``, ``to``,
``parameter_count`` and ``count_nonzero``. Factors are always listed in written order, as in
B_n · B_{n/2} ··· B_2, so the last one meets a vector first.

``ButterflyLinear`` and ``KaleidoscopeLinear`` are trainable ones, in place of ``nn.Linear``.
"""

from bestiary.structured.block_diagonal import BlockDiagonal
from bestiary.structured.butterfly import Butterfly, falling_sizes
from bestiary.structured.butterfly_factor import ButterflyFactor
from bestiary.structured.diagonal import Diagonal
from bestiary.structured.kaleidoscope import Kaleidoscope
from bestiary.structured.layers import ButterflyLinear, KaleidoscopeLinear
from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.monarch import Monarch
from bestiary.structured.permutation import Permutation
from bestiary.structured.product import Product

__all__ = [
    "BlockDiagonal",
    "Butterfly",
    "ButterflyFactor",
    "ButterflyLinear",
    "Diagonal",
    "Kaleidoscope",
    "KaleidoscopeLinear",
    "Monarch",
    "Permutation",
    "Product",
    "StructuredMatrix",
    "falling_sizes",
]
