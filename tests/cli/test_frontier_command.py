"""`bestiary frontier` on library circuits, files and traced functions; its forms and mistakes."""

from __future__ import annotations

import json

import pytest

from bestiary.cli.main import main


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def printed(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    return capsys.readouterr()


def test_a_circuit_of_the_library_is_measured_beside_its_floor(capsys):
    out = printed(capsys, "frontier", "horner", "--n", "4").out
    first, heads, *rows = out.splitlines()
    # A coefficient times x^4 has degree 5: three layers at least.
    assert first.startswith("horner: ")
    assert first.endswith("floor 3")
    assert heads.split()[:2] == ["way", "layers"]
    assert rows[0].startswith("*")


def test_the_sizes_of_the_circuit_break_where_the_terminal_ends(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = printed(capsys, "frontier", "horner", "--n", "2").out.splitlines()
    table = next(i for i, line in enumerate(lines) if line.split()[:2] == ["way", "layers"])
    assert table == 2
    assert max(map(len, lines[:table])) <= 80


def test_a_file_and_a_traced_function_are_circuits_too(capsys, tmp_path):
    (tmp_path / "square.circuit").write_text("input x\ny = x * x\noutput y\n")
    (tmp_path / "traced_here.py").write_text(
        "import bestiary\n\n\n@bestiary.circuit\ndef cube(x):\n    return x * x * x\n\nother = 3\n"
    )
    for source, degree_floor in (("square.circuit", 1), ("traced_here:cube", 2)):
        found = json.loads(printed(capsys, "frontier", source, "--json").out)
        assert found["floor"] == degree_floor
        assert min(way["layers"] for way in found["ways"]) >= degree_floor


def test_the_plot_is_written_and_marks_the_floor(capsys, tmp_path):
    printed(capsys, "frontier", "horner", "--n", "3", "--plot", "f.svg")
    drawn = (tmp_path / "f.svg").read_text()
    assert drawn.startswith("<svg")
    assert "stroke-dasharray" in drawn


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hornr"], "did you mean 'horner'"),
        (["missing.circuit"], "there is no circuit 'missing.circuit'"),
        (["json:dumps"], "is a function, not a circuit"),
        (["x.circuit", "--n", "3"], "no circuit of the library"),
        (["horner", "--latex", "--json"], "one form"),
        (["horner", "--plot", "f.pdf"], "must end in .png or .svg"),
    ],
)
def test_mistakes_are_one_sentence(capsys, arguments, words):
    err = printed(capsys, "frontier", *arguments, code=2).err
    assert words in err
    assert len(err.strip().splitlines()) == 1
