"""Named transforms as exact members of the kaleidoscope hierarchy.

``TRANSFORMS`` holds every one by the name the command line uses, with what it is checked against
and its place in the hierarchy; the functions take parameters of the user's own. Sizes that are no
power of two are padded where the matrix stays the same corner, and refused where it would not.

>>> from bestiary.structured.transforms import dft, hadamard
>>> hadamard(8).dense(), dft(8).dense()
"""

from bestiary.structured.transforms.convolution import (
    anticirculant,
    causal_convolution,
    circulant,
    circular_convolution,
    hankel,
    toeplitz,
)
from bestiary.structured.transforms.cosine import dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4
from bestiary.structured.transforms.fourier import dft, dft_2d, hartley, inverse_dft, real_dft
from bestiary.structured.transforms.kronecker_product import block_diagonal, kronecker
from bestiary.structured.transforms.place import Place, place_of
from bestiary.structured.transforms.registry import TRANSFORMS, Transform, named_transform
from bestiary.structured.transforms.routing import bit_reversal, permutation
from bestiary.structured.transforms.walsh import dyadic_hadamard, hadamard, sequency_hadamard

__all__ = [
    "TRANSFORMS",
    "Place",
    "Transform",
    "anticirculant",
    "bit_reversal",
    "block_diagonal",
    "causal_convolution",
    "circulant",
    "circular_convolution",
    "dct1",
    "dct2",
    "dct3",
    "dct4",
    "dft",
    "dft_2d",
    "dst1",
    "dst2",
    "dst3",
    "dst4",
    "dyadic_hadamard",
    "hadamard",
    "hankel",
    "hartley",
    "inverse_dft",
    "kronecker",
    "named_transform",
    "permutation",
    "place_of",
    "real_dft",
    "sequency_hadamard",
    "toeplitz",
]
