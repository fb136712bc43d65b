"""The transforms by name: what makes each, what it is checked against, and where it stands.

Transforms that need numbers (a filter, a permutation) are shown with numbers drawn from a fixed
seed and n; the functions of this package take anyone's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestiary.errors import unknown_name
from bestiary.structured.matrix import StructuredMatrix
from bestiary.structured.transforms import (
    convolution,
    cosine,
    fourier,
    reference,
    routing,
    walsh,
)
from bestiary.structured.transforms.example import numbers, shuffled, stride
from bestiary.structured.transforms.place import Place


@dataclass(frozen=True)
class Transform:
    """A named transform.

    ``make(n)`` gives the member, n×n; ``reference(n)`` the same matrix, dense, by numpy and scipy
    or straight from the definition. ``place`` is where ``make`` puts it, a function of n where it
    depends on that; ``is_complex`` whether the matrix has complex entries (a real matrix may have
    complex twiddles). ``size(n)`` is the size nearest to a power of two n that there is.
    """

    name: str
    description: str
    make: Callable[[int], StructuredMatrix]
    reference: Callable[[int], NDArray[np.generic]]
    place: Place | Callable[[int], Place]
    is_complex: bool = False
    size: Callable[[int], int] = int

    def expected_place(self, n: int) -> Place:
        """Where the transform of size n must stand."""
        return self.place if isinstance(self.place, Place) else self.place(n)


IN_B = Place(name="B")


def _all() -> list[Transform]:
    return [*_fourier(), *_cosine(), *_hadamard(), *_convolution(), *_permutation()]


def _fourier() -> list[Transform]:
    return [
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
            "dft-2d",
            "2-D discrete Fourier transform of a square or 1:2 array, as numpy.fft.fft2",
            lambda n: fourier.dft_2d(*reference.grid(n)),
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
    ]


def _cosine() -> list[Transform]:
    made = []
    for kind, full, of in (("dct", "cosine", reference.dct), ("dst", "sine", reference.dst)):
        for number, roman in enumerate(("I", "II", "III", "IV"), start=1):
            sizes: Callable[[int], int] = int
            place = Place(2, 2)
            where = ""
            if number == 1:
                sizes = _one_more if kind == "dct" else _one_less
                place = Place(2) if kind == "dct" else place
                where = ", n = 2^m + 1" if kind == "dct" else ", n = 2^m − 1"
            made.append(
                Transform(
                    f"{kind}-{number}",
                    f"{full} transform {kind.upper()}-{roman}, as scipy.fft.{kind}{where}",
                    getattr(cosine, f"{kind}{number}"),
                    of(number),
                    place,
                    size=sizes,
                )
            )
    return made


def _hadamard() -> list[Transform]:
    return [
        Transform(
            "hadamard",
            "Hadamard transform in natural order, as scipy.linalg.hadamard",
            walsh.hadamard,
            reference.hadamard,
            IN_B,
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
    ]


def _convolution() -> list[Transform]:
    return [
        Transform(
            "circulant",
            "circulant matrix of a random column, as scipy.linalg.circulant",
            lambda n: convolution.circulant(numbers(n)),
            reference.circulant,
            Place(1),
        ),
        Transform(
            "circular-convolution",
            "convolution that wraps around, with a random filter",
            lambda n: convolution.circular_convolution(numbers(n)),
            reference.circular_convolution,
            Place(1),
        ),
        Transform(
            "causal-convolution",
            "convolution with the past alone, with a random filter",
            lambda n: convolution.causal_convolution(numbers(n)),
            reference.causal_convolution,
            Place(1, 2),
        ),
        Transform(
            "toeplitz",
            "random Toeplitz matrix, as scipy.linalg.toeplitz",
            lambda n: convolution.toeplitz(numbers(n), numbers(n, 1)),
            reference.toeplitz,
            Place(1, 2),
        ),
        Transform(
            "hankel",
            "random Hankel matrix, as scipy.linalg.hankel",
            lambda n: convolution.hankel(numbers(n), numbers(n, 1)),
            reference.hankel,
            Place(1, 2),
        ),
    ]


def _permutation() -> list[Transform]:
    return [
        Transform(
            "permutation",
            "random permutation",
            lambda n: routing.permutation(shuffled(n)),
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
            lambda n: routing.permutation(stride(n)),
            reference.stride,
            Place(1),
        ),
        Transform(
            "sort",
            "permutation that sorts random keys",
            lambda n: routing.permutation(np.argsort(numbers(n), kind="stable").tolist()),
            reference.sort,
            Place(1),
        ),
    ]


def _one_more(n: int) -> int:
    return n + 1


def _one_less(n: int) -> int:
    return n - 1


TRANSFORMS: dict[str, Transform] = {transform.name: transform for transform in _all()}
"""Every named transform, by the name the command line uses."""

ALIASES = {"dct": "dct-2", "dst": "dst-2", "idft": "inverse-dft", "fft": "dft", "walsh": "hadamard"}
"""Other names that are taken."""


def named_transform(name: str) -> Transform:
    """The transform of a name or alias; ``UserError`` that lists all for one that is not there."""
    name = ALIASES.get(name, name)
    if name not in TRANSFORMS:
        raise unknown_name("transform", name, TRANSFORMS)
    return TRANSFORMS[name]
