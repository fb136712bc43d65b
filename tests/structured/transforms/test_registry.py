"""Every named transform against numpy, scipy or its definition, and its place in the hierarchy."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bestiary.errors import UserError
from bestiary.structured import Kaleidoscope
from bestiary.structured.transforms import TRANSFORMS, Place, named_transform, place_of

PLACES = {
    "dft": "(BB*)^2",
    "inverse-dft": "(BB*)^2",
    "dft-2d": "(BB*)^2",
    "chirp-dft": "(BB*)_2",
    "hartley": "(BB*)^3",
    "real-dft": "(BB*)^3",
    "dct-1": "(BB*)^2",
    "dct-2": "(BB*)^2_2",
    "dct-3": "(BB*)^2_2",
    "dct-4": "(BB*)^2_2",
    "dst-1": "(BB*)^2_2",
    "dst-2": "(BB*)^2_2",
    "dst-3": "(BB*)^2_2",
    "dst-4": "(BB*)^2_2",
    "hadamard": "B",
    "hadamard-sequency": "(BB*)^2",
    "hadamard-dyadic": "(BB*)^2",
    "circulant": "BB*",
    "circular-convolution": "BB*",
    "causal-convolution": "(BB*)_2",
    "toeplitz": "(BB*)_2",
    "hankel": "(BB*)_2",
    "permutation": "BB*",
    "bit-reversal": "BB*",
    "stride": "BB*",
    "sort": "BB*",
    "selection": "(BB*)^2",
    "haar": "(BB*)^2",
    "daubechies": "(BB*)^5",  # 2 for each of the levels of 8 and 4, 1 for that of 2
    "vandermonde": "(BB*)_2",
    "sparse": "(BB*)^3_4",
    "low-rank": "(BB*)^2_4",
    "low-rank-plus-sparse": "(BB*)^5_4",
    "fastfood": "(BB*)^3",
    "acdc": "(BB*)^4_2",
    "kronecker": "(BB*)^2_2",
    "block-diagonal": "(BB*)^2",
    "monarch": "Monarch",
    "inverse-butterfly": "B*",
    "inverse-circulant": "BB*",
}


@pytest.mark.parametrize("n", [4, 64])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_is_the_matrix_of_its_reference(name, n):
    transform = TRANSFORMS[name]
    size = transform.size(n)
    member, reference = transform.make(size), transform.reference(size)
    assert member.n == size and reference.shape == (size, size)
    error = np.abs(member.dense().numpy() - reference).max()
    assert error <= 1e-11 * np.abs(reference).max()
    assert np.iscomplexobj(reference) == transform.is_complex


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_has_the_size_that_is_asked_for_or_says_which_it_can_have(name):
    transform = TRANSFORMS[name]
    for n in (0, 1, 2, 3, 5, 7, 9, 12, 18, 31):
        try:
            member = transform.make(n)
        except UserError as error:
            # The size in the sentence is the one that was given, not one that was made from it.
            assert n == 0 or re.search(rf"\b{n}\b", str(error).split(";")[0])
            continue
        reference = transform.reference(n)
        assert member.n == n and reference.shape == (n, n)
        error = np.abs(member.dense().numpy() - reference).max()
        assert error <= 1e-11 * np.abs(reference).max()


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_stands_where_the_theory_puts_it(name):
    transform = TRANSFORMS[name]
    size = transform.size(8)
    member = transform.make(size)
    assert str(place_of(member)) == str(transform.expected_place(size)) == PLACES[name]
    if isinstance(member, Kaleidoscope):
        place = transform.expected_place(size)
        assert len(member.butterflies) == 2 * place.width
        assert member.size == place.expansion * (1 << (size - 1).bit_length())


def test_names_are_kebab_case_and_described_in_a_line():
    for name, transform in TRANSFORMS.items():
        assert name == transform.name == name.lower().replace("_", "-").strip("-")
        assert transform.description and "\n" not in transform.description
        assert len(transform.description) < 90


def test_a_name_that_is_not_there_gets_the_closest_one():
    assert named_transform("dct") is TRANSFORMS["dct-2"]
    with pytest.raises(UserError, match="unknown transform 'hartly'; did you mean 'hartley'"):
        named_transform("hartly")


def test_places_are_written_as_in_the_papers():
    assert [str(p) for p in (Place(), Place(2), Place(1, 2), Place(3, 4), Place(name="B*"))] == [
        "BB*",
        "(BB*)^2",
        "(BB*)_2",
        "(BB*)^3_4",
        "B*",
    ]
