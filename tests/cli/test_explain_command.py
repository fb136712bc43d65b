from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from bestiary.cli.main import main


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def printed(capsys, *arguments, code=0):
    assert main(["explain", *arguments]) == code
    return capsys.readouterr()


def test_an_example_becomes_a_page_and_a_sentence_a_layer(capsys, tmp_path):
    out = printed(capsys, "compiled:all-pairs", "--example", "3").out.splitlines()
    assert out[0].startswith("Row 8 asks for token 7: it stands in row 2, 6 rows above")
    assert [line.partition(":")[0] for line in out[1:]] == [
        "input", *(f"layer {n}" for n in range(1, 6)), "head", "written",
    ]  # fmt: skip
    assert (tmp_path / "all-pairs-3.html").read_text().startswith("<!doctype html>")


def test_the_match_of_the_question_is_in_the_json_and_the_picture_is_written(capsys, tmp_path):
    out = printed(
        capsys, "compiled:all-pairs", "--task", "vocab_size=8,length=8,pairs=2", "--query", "2",
        "--png", "p.png", "--layers", "2-3", "-o", "p.html", "--json",
    ).out  # fmt: skip
    told = json.loads(out)
    query = told["queries"][1]
    lit = {name: value for layer in told["layers"] for name, value in layer["lit"].items()}
    assert lit[f"match −{query['row'] - query['key']}"] == 1
    assert told["written"] == ["p.html", "p.png"]
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    printed(capsys, "compiled:all-pairs", "--png", "p.svg")
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_a_compiled_file_is_followed_on_an_array(capsys, tmp_path):
    assert main(["compile", "dft", "--n", "8", "-o", "dft.safetensors"]) == 0
    np.save("x.npy", np.ones((8, 2)))
    capsys.readouterr()
    out = printed(capsys, "dft.safetensors", "--input", "x.npy").out
    assert "written: dft-explained.html" in out
    printed(capsys, "dft.safetensors", "--seed", "4", "-o", "other.html")
    assert "random numbers of seed 4" in (tmp_path / "other.html").read_text()


def test_a_model_without_a_program_is_followed_by_the_steps_that_it_tells(capsys, tmp_path):
    out = printed(capsys, "compiled:attention", "--png", "p.svg", "--json").out
    told = json.loads(out)
    query = told["queries"][0]
    (layer,) = [one for one in told["layers"] if one["title"] == "layer 2, where it looks"]
    assert layer["lit"] == {f"match −{query['row'] - query['key']}": pytest.approx(1)}
    page = (tmp_path / "attention-0.html").read_text()
    assert "It is followed in 6 steps." in page and "gate side</em>" not in page
    # One map of 16 columns of 20 beside names of 132, or the 460 of the legend, and two edges.
    assert 'width="488"' in (tmp_path / "p.svg").read_text()[:200]


def compiled(capsys, *arguments):
    assert main(["compile", *arguments, "-o", "c.safetensors"]) == 0
    capsys.readouterr()


def test_an_array_of_many_is_followed_in_the_one_that_is_asked_for(capsys, tmp_path):
    compiled(capsys, "circuit", "determinant", "--n", "2")
    np.save("x.npy", np.array([[1, 2, 3, 4], [5, 6, 7, 9]]))
    printed(capsys, "c.safetensors", "--input", "x.npy", "--example", "1", "-o", "p.html")
    assert "Input: example 1 of x.npy." in (tmp_path / "p.html").read_text()
    for arguments, said in [
        (["--input", "x.npy", "--example", "2"], "no example 2 in x.npy; it holds examples 0 to 1"),
        (["--example", "1"], "--example is 1, but c.safetensors is a file; the example is one of"),
        (["--task", "mqar"], "--task is for a solver such as compiled:all-pairs"),
    ]:
        assert said in printed(capsys, "c.safetensors", *arguments, code=2).err


def test_a_long_circuit_is_told_by_its_first_layers_what_comes_out_and_what_names_mean(capsys):
    compiled(capsys, "circuit", "determinant", "--n", "2", "--layout", "narrow")
    np.save("x.npy", np.array([[2, 1], [3, 5]]))
    out = printed(capsys, "c.safetensors", "--input", "x.npy").out.splitlines()
    assert out[0] == (
        "input: What the first layer is given: a[0,0] = 2, a[0,1] = 1, a[1,0] = 3 and a[1,1] = 5."
    )
    more, last = out[11:13]
    assert more.startswith("… and ") and more.endswith(" more; the page has all of them")
    assert last == "output: What comes out: out = 7."
    assert out[13].startswith("depth: the gates of that depth")
    assert max(map(len, out)) < 170


class Spinner:
    """What a terminal would show, one text after the other, however soon the next one comes."""

    def __init__(self, status):
        self.shown = []
        self.update(status)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def update(self, status):
        text = Text.from_markup(status) if isinstance(status, str) else status
        self.shown.append(text.plain)


def test_what_is_being_done_is_said_whatever_a_file_is_called(capsys, monkeypatch):
    compiled(capsys, "circuit", "determinant", "--n", "2")
    Path("[").mkdir()
    Path("c.safetensors").rename("[/c].safetensors")
    spinners = []

    def status(console, text):
        spinners.append(Spinner(text))
        return spinners[-1]

    monkeypatch.setattr(Console, "status", status)
    printed(capsys, "[/c].safetensors")
    assert [one.shown for one in spinners] == [
        ["building [/c].safetensors", "following the input through the layers", "drawing"]
    ]


def test_numbers_that_are_too_large_are_said(capsys):
    compiled(capsys, "circuit", "determinant", "--n", "2")
    np.save("x.npy", np.full(4, 1e200))
    out = printed(capsys, "c.safetensors", "--input", "x.npy").out
    assert "Numbers are too large for float64 from layer 1 on" in out


def test_a_circuit_of_bits_is_given_bits_and_no_other_numbers(capsys, tmp_path):
    compiled(capsys, "circuit", "adder-ripple", "--n", "2")
    printed(capsys, "c.safetensors", "-o", "p.html")
    assert "Input: 4 random bits of seed 0." in (tmp_path / "p.html").read_text()
    np.save("x.npy", np.array([0, 1, 0.5, 1]))
    err = printed(capsys, "c.safetensors", "--input", "x.npy", code=2).err
    assert "the input has 0.5 at index 2; the circuit takes bits, 0 or 1" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compiled:allpairs"], "did you mean 'all-pairs'"),
        (["compiled:lookup", "--task", "selective-copy"], "lookup cannot solve selective-copy"),
        (["compiled:all-pairs", "--example", "3000"], "no example 3000; test has examples 0 to"),
        (["compiled:all-pairs", "--query", "5"], "--query is 5; example 0 has questions 1 to 4"),
        (["compiled:all-pairs", "--split", "tets"], "unknown split 'tets'"),
        (["compiled:all-pairs", "--png", "a.pdf"], "its name must end in .png or .svg"),
        (["compiled:all-pairs", "--png", "a.png", "--layers", "1-x"], "--layers is '1-x'; give"),
        (["compiled:all-pairs", "--png", "a.png", "--layers", "5-2"], "a range goes upwards"),
        (["compiled:all-pairs", "--png", "a.png", "--layers", "9"], "no layer 9 to draw"),
        (["compiled:all-pairs", "--png", "a.png", "--layers", "1-999999999999"], "no layer 7 to"),
        (["compiled:all-pairs", "--layers", "9"], "--layers is for the picture"),
        (["compiled:all-pairs", "--input", "x.npy"], "--input is for a file"),
        (["missing.safetensors"], "there is no file missing.safetensors (accepted: a file"),
        (["sort"], "there is no file sort; did you mean 'compiled:sort'?"),
        (["allpairs,repeat=first"], "did you mean 'compiled:all-pairs'?"),
    ],
)
def test_mistakes_are_one_sentence_and_nothing_is_written(capsys, tmp_path, arguments, said):
    err = printed(capsys, *arguments, code=2).err
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
