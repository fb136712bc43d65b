"""Named transforms as exact members of the kaleidoscope hierarchy.

``TRANSFORMS`` holds every one by the name the command line uses, with what it is checked against
and its place in the hierarchy; the functions take parameters of the user's own. Sizes that are no
power of two are padded where the matrix stays the same corner, and refused where it would not.

>>> from bestiary.structured.transforms import dft, hadamard
>>> dft(8)
Kaleidoscope(n=8, size=8, w=2, e=1, complex128)
>>> hadamard(2).dense().tolist()
[[1.0, 1.0], [1.0, -1.0]]
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
from bestiary.structured.transforms.diagonal_products import acdc, fastfood, orthonormal_dct2
from bestiary.structured.transforms.fourier import dft, dft_2d, hartley, inverse_dft, real_dft
from bestiary.structured.transforms.kronecker_product import block_diagonal, kronecker
from bestiary.structured.transforms.low_rank_matrix import low_rank, low_rank_plus_sparse
from bestiary.structured.transforms.place import Place, place_of
from bestiary.structured.transforms.registry import TRANSFORMS, named_transform
from bestiary.structured.transforms.routing import bit_reversal, permutation, sort, stride
from bestiary.structured.transforms.selecting import selection
from bestiary.structured.transforms.sparse_matrix import sparse
from bestiary.structured.transforms.transform import Transform
from bestiary.structured.transforms.vandermonde_matrix import chirp_dft, vandermonde
from bestiary.structured.transforms.walsh import dyadic_hadamard, hadamard, sequency_hadamard
from bestiary.structured.transforms.wavelet import daubechies, haar

__all__ = [
    "TRANSFORMS",
    "Place",
    "Transform",
    "acdc",
    "anticirculant",
    "bit_reversal",
    "block_diagonal",
    "causal_convolution",
    "chirp_dft",
    "circulant",
    "circular_convolution",
    "daubechies",
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
    "fastfood",
    "haar",
    "hadamard",
    "hankel",
    "hartley",
    "inverse_dft",
    "kronecker",
    "low_rank",
    "low_rank_plus_sparse",
    "named_transform",
    "orthonormal_dct2",
    "permutation",
    "place_of",
    "real_dft",
    "selection",
    "sequency_hadamard",
    "sort",
    "sparse",
    "stride",
    "toeplitz",
    "vandermonde",
]
