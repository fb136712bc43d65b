"""The transforms by name."""

from __future__ import annotations

from bestiary.errors import unknown_name
from bestiary.structured.transforms import catalogue
from bestiary.structured.transforms.transform import Transform

WITHOUT_NUMBERS: tuple[Transform, ...] = (
    *catalogue.FOURIER,
    *catalogue.COSINE_AND_SINE,
    *catalogue.HADAMARD,
    *catalogue.WAVELETS,
)
"""The transforms that are one matrix for each n."""

TRANSFORMS: dict[str, Transform] = {
    transform.name: transform
    for transform in (
        *WITHOUT_NUMBERS,
        *catalogue.CONVOLUTIONS,
        *catalogue.ROUTING,
        *catalogue.SPARSE_AND_LOW_RANK,
        *catalogue.PRODUCTS,
    )
}
"""Every named transform, by the name the command line uses."""

ALIASES = {"dct": "dct-2", "dst": "dst-2", "fft": "dft", "ifft": "inverse-dft", "walsh": "hadamard"}
"""Other names that are taken."""


def named_transform(name: str) -> Transform:
    """The transform of a name or alias; ``UserError`` that lists all for one that is not there."""
    name = ALIASES.get(name, name)
    if name not in TRANSFORMS:
        raise unknown_name("transform", name, TRANSFORMS)
    return TRANSFORMS[name]
