"""`bestiary verify` says from which size on float32 and bfloat16 round."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bestiary.cli.main import main
from bestiary.cli.verify import _ranges


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def verified(capsys, *arguments: str) -> str:
    assert main(["compile", *arguments, "-o", "c.safetensors"]) == 0
    capsys.readouterr()
    assert main(["verify", "c.safetensors"]) == 0
    return capsys.readouterr().out


def test_a_product_tree_of_signs_is_exact_in_float32(capsys):
    said = verified(capsys, "circuit", "signed-parity", "--n", "64")
    # 2^64 is beyond 2^24, 1^64 is not.
    assert "exact on whole numbers up to 1 in float32, up to 1 in bfloat16" in said


def test_powers_are_exact_up_to_the_root_of_the_largest_whole_number(capsys):
    Path("power.circuit").write_text("input x\noutput x**6 as y\n")
    said = verified(capsys, "circuit", "power.circuit")
    # 16^6 = 2^24, and 2^6 < 2^8 < 3^6.
    assert "exact on whole numbers up to 16 in float32, up to 2 in bfloat16" in said
    assert main(["verify", "c.safetensors", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["exact"]
    assert told == {"up_to": {"float32": 16, "bfloat16": 2}, "beyond": {}, "tried": None}


def test_a_number_of_thirty_bits_is_too_long_for_float32_from_the_layer_that_adds_them_up(capsys):
    terms = " + ".join(f"{2**i} * x[{i}]" for i in range(30))
    Path("number.circuit").write_text(f"input x[30]\noutput {terms} as y\n")
    said = verified(capsys, "circuit", "number.circuit", "--bits")
    assert "layer 1 takes 30 bits and may round in float32 and bfloat16;" in said
    assert "numbers take up to 30 bits there" in said


def test_what_is_sure_of_all_bits_and_what_was_seen_on_some_is_told_apart(capsys):
    # What carries over four bits is a sum of few products; over 16 of so many that, were all of
    # one sign, they would come to more than 2^24.
    for n, sure in ((4, "all bits"), (16, "the bits that were tried")):
        said = verified(capsys, "circuit", "adder-lookahead", "--n", str(n))
        assert f"exact on {sure} in float32 and bfloat16" in said


def test_constants_that_float32_does_not_hold_are_said_to_round(capsys):
    Path("third.circuit").write_text("input x\noutput x / 3 as y\n")
    said = verified(capsys, "circuit", "third.circuit")
    assert "float32 may round on any input, 0 and 1 too" in said


def test_of_a_transform_it_is_said_only_where_whole_numbers_stay_whole(capsys):
    assert "exact on whole numbers up to 2,097,152 in float32" in verified(
        capsys, "hadamard", "--n", "8", "--method", "direct"
    )
    assert "exact" not in verified(capsys, "dct", "--n", "8")


def test_layers_that_overflow_are_told_as_ranges_and_bits_named_where_they_may_help(capsys):
    # Its value at 0 and at 1, (±20)^32, is beyond 2^128 as well.
    Path("power.circuit").write_text("input x\noutput (40*x - 20)**32 as y\n")
    for options, named in (((), True), (("--bits",), False)):
        said = verified(capsys, "circuit", "power.circuit", *options)
        assert ("compile it with --bits to have it tried on those" in said) is named
    said = verified(capsys, "circuit", "power.circuit", "--layout", "narrow")
    line = next(line for line in said.splitlines() if "cannot hold" in line)
    assert re.fullmatch(r"float32 cannot hold the numbers of layers \d+–\d+", line)
    said = verified(capsys, "circuit", "parity", "--n", "4")
    assert "--bits" not in said


@pytest.mark.parametrize(
    ("layers", "told"), [([3], "3"), ([3, 4, 5, 9], "3–5, 9"), ([1, 2, 4, 6, 7], "1–2, 4, 6–7")]
)
def test_layers_that_follow_each_other_are_one_range(layers, told):
    assert _ranges(layers) == told
