"""Every named transform: what makes it, what it is checked against, and where it stands.

Those that need numbers (a filter, a permutation) are shown with some that are drawn from a fixed
seed and n (``example``); the functions of this package take anyone's own.
"""

from __future__ import annotations

from bestiary.structured.transforms import (
    convolution,
    cosine,
    diagonal_products,
    example,
    fourier,
    low_rank_matrix,
    reference,
    routing,
    selecting,
    sparse_matrix,
    vandermonde_matrix,
    walsh,
    wavelet,
)
from bestiary.structured.transforms.place import Place
from bestiary.structured.transforms.transform import Transform

FOURIER = (
    Transform(
        "dft",
        "discrete Fourier transform, as numpy.fft.fft",
        fourier.dft,
        reference.dft,
        Place(2),
        is_complex=True,
    ),
    Transform(
        "inverse-dft",
        "inverse discrete Fourier transform, as numpy.fft.ifft",
        fourier.inverse_dft,
        reference.inverse_dft,
        Place(2),
        is_complex=True,
    ),
    Transform(
        "chirp-dft",
        "discrete Fourier transform of any size, by Bluestein's chirp",
        vandermonde_matrix.chirp_dft,
        reference.dft,
        Place(1, 2),
        is_complex=True,
    ),
    Transform(
        "dft-2d",
        "2-D discrete Fourier transform of a square or 1:2 array, as numpy.fft.fft2",
        lambda n: fourier.dft_2d(*example.even_grid(n, "a 2-D Fourier transform")),
        reference.dft_2d,
        Place(2),
        is_complex=True,
    ),
    Transform(
        "hartley",
        "Hartley transform, cosine plus sine",
        fourier.hartley,
        reference.hartley,
        Place(3),
    ),
    Transform(
        "real-dft",
        "discrete Fourier transform of real numbers, packed as scipy.fftpack.rfft",
        fourier.real_dft,
        reference.real_dft,
        Place(3),
    ),
)

COSINE_AND_SINE = (
    Transform(
        "dct-1",
        "cosine transform DCT-I of 2^m + 1, as scipy.fft.dct(type=1)",
        cosine.dct1,
        reference.dct(1),
        Place(2),
        size=lambda n: n + 1,
    ),
    Transform(
        "dct-2",
        "cosine transform DCT-II, as scipy.fft.dct",
        cosine.dct2,
        reference.dct(2),
        Place(2, 2),
    ),
    Transform(
        "dct-3",
        "cosine transform DCT-III, as scipy.fft.dct(type=3)",
        cosine.dct3,
        reference.dct(3),
        Place(2, 2),
    ),
    Transform(
        "dct-4",
        "cosine transform DCT-IV, as scipy.fft.dct(type=4)",
        cosine.dct4,
        reference.dct(4),
        Place(2, 2),
    ),
    Transform(
        "dst-1",
        "sine transform DST-I of 2^m − 1, as scipy.fft.dst(type=1)",
        cosine.dst1,
        reference.dst(1),
        Place(2, 2),
        size=lambda n: n - 1,
    ),
    Transform(
        "dst-2",
        "sine transform DST-II, as scipy.fft.dst",
        cosine.dst2,
        reference.dst(2),
        Place(2, 2),
    ),
    Transform(
        "dst-3",
        "sine transform DST-III, as scipy.fft.dst(type=3)",
        cosine.dst3,
        reference.dst(3),
        Place(2, 2),
    ),
    Transform(
        "dst-4",
        "sine transform DST-IV, as scipy.fft.dst(type=4)",
        cosine.dst4,
        reference.dst(4),
        Place(2, 2),
    ),
)

HADAMARD = (
    Transform(
        "hadamard",
        "Hadamard transform in natural order, as scipy.linalg.hadamard",
        walsh.hadamard,
        reference.hadamard,
        Place(name="B"),
    ),
    Transform(
        "hadamard-sequency",
        "Hadamard transform with rows by number of sign changes (Walsh)",
        walsh.sequency_hadamard,
        reference.sequency_hadamard,
        Place(2),
    ),
    Transform(
        "hadamard-dyadic",
        "Hadamard transform in dyadic order (Paley)",
        walsh.dyadic_hadamard,
        reference.dyadic_hadamard,
        Place(2),
    ),
)

WAVELETS = (
    Transform(
        "haar",
        "Haar wavelet transform, orthonormal, all levels",
        wavelet.haar,
        reference.haar,
        Place(2),
    ),
    Transform(
        "daubechies",
        "wavelet transform of Daubechies' four taps, orthonormal, periodic, all levels",
        wavelet.daubechies,
        reference.daubechies,
        lambda n: Place(wavelet.daubechies_width(n)),
    ),
)

CONVOLUTIONS = (
    Transform(
        "circulant",
        "circulant matrix of a random column, as scipy.linalg.circulant",
        lambda n: convolution.circulant(example.numbers(n)),
        reference.circulant,
        Place(1),
    ),
    Transform(
        "circular-convolution",
        "convolution that wraps around, with a random filter",
        lambda n: convolution.circular_convolution(example.numbers(n)),
        reference.circular_convolution,
        Place(1),
    ),
    Transform(
        "causal-convolution",
        "convolution with the past alone, with a random filter",
        lambda n: convolution.causal_convolution(example.numbers(n)),
        reference.causal_convolution,
        Place(1, 2),
    ),
    Transform(
        "toeplitz",
        "random Toeplitz matrix, as scipy.linalg.toeplitz",
        lambda n: convolution.toeplitz(example.numbers(n), example.numbers(n, 1)),
        reference.toeplitz,
        Place(1, 2),
    ),
    Transform(
        "hankel",
        "random Hankel matrix, as scipy.linalg.hankel",
        lambda n: convolution.hankel(example.numbers(n), example.numbers(n, 1)),
        reference.hankel,
        Place(1, 2),
    ),
    Transform(
        "vandermonde",
        "Vandermonde matrix of nodes on the unit circle, as numpy.vander(increasing=True)",
        lambda n: vandermonde_matrix.vandermonde(example.nodes(n)),
        reference.vandermonde,
        Place(1, 2),
        is_complex=True,
    ),
)

ROUTING = (
    Transform(
        "permutation",
        "random permutation",
        lambda n: routing.permutation(example.shuffled(n)),
        reference.permutation,
        Place(1),
    ),
    Transform(
        "bit-reversal",
        "permutation that reverses the bits of the index",
        routing.bit_reversal,
        reference.bit_reversal,
        Place(1),
    ),
    Transform(
        "stride",
        "perfect shuffle: every second entry first, then the others",
        lambda n: routing.permutation(routing.stride(n)),
        reference.stride,
        Place(1),
    ),
    Transform(
        "sort",
        "permutation that sorts random keys",
        lambda n: routing.sort(example.numbers(n)),
        reference.sort,
        Place(1),
    ),
    Transform(
        "selection",
        "random entries, each any number of times",
        lambda n: selecting.selection(example.sources(n)),
        reference.selection,
        Place(2),
    ),
)

SPARSE_AND_LOW_RANK = (
    Transform(
        "sparse",
        "random sparse matrix of 3n non-zeros",
        lambda n: sparse_matrix.sparse(example.sparse(n)),
        reference.sparse,
        Place(3, 4),
    ),
    Transform(
        "low-rank",
        "random matrix of rank 3",
        lambda n: low_rank_matrix.low_rank(*example.low_rank(n)),
        reference.low_rank,
        Place(2, 4),
    ),
    Transform(
        "low-rank-plus-sparse",
        "random matrix of rank 3 plus a sparse one of 3n non-zeros",
        lambda n: low_rank_matrix.low_rank_plus_sparse(*example.low_rank(n), example.sparse(n)),
        reference.low_rank_plus_sparse,
        Place(5, 4),
    ),
)

PRODUCTS = (
    Transform(
        "fastfood",
        "Fastfood: diagonals, Hadamard transforms and a permutation",
        lambda n: diagonal_products.fastfood(*example.fastfood(n)),
        reference.fastfood,
        Place(3),
    ),
    Transform(
        "acdc",
        "ACDC: a diagonal, a cosine transform, a diagonal and back",
        lambda n: diagonal_products.acdc(example.numbers(n), example.numbers(n, 1)),
        reference.acdc,
        Place(4, 2),
    ),
    Transform(
        "kronecker",
        "Kronecker product of a random circulant and a DCT-II",
        example.kronecker_product,
        reference.kronecker,
        Place(2, 2),
    ),
    Transform(
        "block-diagonal",
        "a random permutation and a Haar transform as two blocks",
        example.two_blocks,
        reference.block_diagonal,
        Place(2),
    ),
    Transform(
        "monarch",
        "random Monarch matrix of blocks of about √n",
        example.monarch,
        reference.monarch,
        Place(name="Monarch"),
    ),
    Transform(
        "inverse-butterfly",
        "inverse of a random butterfly, as numpy.linalg.inv",
        lambda n: example.butterfly(n).inverse(),
        reference.inverse_butterfly,
        Place(name="B*"),
    ),
    Transform(
        "inverse-circulant",
        "inverse of a random member of BB*, a circulant, as numpy.linalg.inv",
        lambda n: convolution.circulant(example.dominant(n)).inverse(),
        reference.inverse_circulant,
        Place(1),
    ),
)
