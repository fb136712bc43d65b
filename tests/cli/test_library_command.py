from __future__ import annotations

import json

import pytest

from bestiary.circuits.library import LIBRARY, registry
from bestiary.cli.main import main


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main(["library", *arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def columns(text):
    """The table as a dict a row, by the first word of each line."""
    table = text.split("\nD: ")[0].splitlines()
    header, *lines = (line for line in table if ": n = " not in line and not line.startswith("  "))
    titles = header.split()
    return {line.split()[0]: dict(zip(titles, line.split(), strict=True)) for line in lines}


def test_every_circuit_is_listed_with_what_it_costs(run):
    code, out, _ = run("--n", "4")
    assert code == 0
    table = columns(out)
    assert list(table) == list(LIBRARY)
    # (c0 + c1 x) + (c2 + c3 x) x² and so on for five coefficients, counted by hand.
    assert table["estrin"] == {
        **{"circuit": "estrin", "n": "4", "depth": "5", "size": "10", "products": "6"},
        **{"D": "3", "floor": "3", "width": "6", "degree": "5"},
    }


def test_linear_circuits_have_a_dash_for_a_floor(run):
    table = columns(run("--n", "4", "fft", "prefix-sums-sklansky", "horner")[1])
    assert [row["floor"] for row in table.values()] == ["–", "–", "3"]
    assert table["fft"]["D"] == "0"


def test_a_size_that_is_too_large_is_refused_of_a_circuit_that_is_named(run):
    table = columns(run("determinant-walks", "--n", "10")[1])
    assert table["determinant-walks"]["n"] == "10"
    code, out, err = run("horner", "determinant-walks", "--n", "11")
    assert (code, out) == (2, "")
    assert err == "bestiary: n is 11; determinant-walks is made for n up to 10\n"


@pytest.fixture
def few(monkeypatch):
    """A library of few circuits, three of which are made for small sizes alone."""
    names = ("permanent", "horner", "determinant-walks", "characteristic-polynomial-walks")
    monkeypatch.setattr(registry, "LIBRARY", {name: LIBRARY[name] for name in names})


def test_in_the_list_of_all_it_gives_way_to_the_largest_which_is_said_below(run, few):
    _, out, _ = run("--n", "13")
    lines = out.splitlines()
    assert columns(out)["permanent"]["n"] == "12"
    assert "permanent: n = 12, the largest it is made for" in lines
    # Those of the same largest size share a line.
    told = (
        "determinant-walks, characteristic-polynomial-walks: n = 10, the largest they are made for"
    )
    assert told in lines
    assert not [line for line in lines if line.startswith("horner:")]
    assert json.loads(run("--n", "13", "--json")[1])[2]["n"] == 10
    assert "the largest" not in run("--n", "10")[1]


def test_the_list_of_all_says_below_each_what_it_computes(run, few):
    lines = run("--n", "4")[1].splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("horner "))
    assert lines[at + 1] == "  A polynomial at a point, one coefficient after the other"


def test_what_formulas_speak_of_is_said_below_them(run):
    lines = run("matrix-power", "--n", "4")[1].splitlines()
    assert "    size = 3: rows and columns of each matrix, or entries of h" in lines
    assert "    lg: ⌈log2⌉" in lines
    assert "    n.bit_count(): ones among the bits of n" in lines


@pytest.mark.parametrize("name", LIBRARY)
def test_no_formula_has_a_word_that_is_not_explained(name):
    entry = LIBRARY[name]
    words = frozenset[str]().union(*(formula.names for formula in entry.formulas.values()))
    told = {term.split(":")[0].split(" = ")[0] for term in entry.terms}
    told = {term.removeprefix("n.").split("(")[0] for term in told}
    assert words - told <= {"n", "min", "max"}


def test_a_name_that_is_not_there_gets_the_nearest_not_all_of_them(run):
    assert run("permanen")[2] == (
        "bestiary: unknown circuit 'permanen'; did you mean 'permanent'? "
        "(bestiary library lists all)\n"
    )
    assert run("xyzzy")[2] == "bestiary: unknown circuit 'xyzzy' (bestiary library lists all)\n"


@pytest.mark.parametrize("columns", [60, 80])
def test_text_breaks_between_words_where_the_terminal_ends(run, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = run("adder-lookahead", "characteristic-polynomial-walks", "--n", "4")[1]
    lines = out.splitlines()
    # Of the table no number is cut.
    assert max(map(len, lines[3:])) <= columns
    assert max(map(len, lines)) <= 80
    assert "D: multiplicative depth; floor: ⌈log2 degree⌉" in " ".join(out.split())


def test_degrees_too_long_to_read_are_powers_of_two(run):
    # Each step doubles the degree and adds 2: 4, 10, 22, …, 3·2^29 − 2, which is about 2^30.6.
    out = run("square-rnn", "--n", "29")[1]
    assert out.splitlines()[1].split()[-1] == "~2^31"


def test_json_has_plain_values_of_all_that_is_shown_and_the_formulas(run):
    code, out, _ = run("adder-lookahead", "fft", "--n", "8", "--json")
    assert code == 0
    adder, fft = json.loads(out)
    assert (adder["name"], adder["n"], adder["family"]) == (
        "adder-lookahead",
        8,
        "arithmetic on bits",
    )
    assert (adder["multiplicative_depth"], adder["floor"], adder["degree"]) == (4, 4, 16)
    assert adder["formulas"]["multiplicative_depth"] == "1 + lg(n)"
    assert fft["floor"] is None


def test_names_given_are_explained_with_their_formulas_and_sources(run):
    _, out, _ = run("sort-rank")
    assert "sort-rank Keys of four bits in ascending order" in out
    assert "  n: keys, up to 24" in out
    assert "  multiplicative depth: min(n - 1, 1)*(1 + lg(bits)) + lg(n)" in out
    assert "  source: D. E. Knuth" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hornet"], "unknown circuit 'hornet'; did you mean 'horner'?"),
        (["--n", "0"], "n is 0; a whole number from 1 on is needed"),
        (["--n", "many"], "(given: 'many')"),
    ],
)
def test_mistakes_are_one_sentence(run, arguments, said):
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_layers_and_channels_of_the_wide_layout_are_counted_where_asked(run):
    names = ("signed-parity", "polynomial-product", "fft")
    table = columns(run("--layers", "--n", "8", *names)[1])
    # A tree of eight factors: a layer a level, in the channels of its inputs.
    assert (table["signed-parity"]["layers"], table["signed-parity"]["d'"]) == ("3", "8")
    # Factors are gathered for 64 products; then they are formed, then summed: 2 D + 1.
    assert table["polynomial-product"]["layers"] == "3"
    # All constants: one layer on real and imaginary parts.
    assert (table["fft"]["layers"], table["fft"]["d'"]) == ("1", "16")
    plain = json.loads(run("--layers", "--json", "signed-parity")[1])
    assert (plain[0]["layers"], plain[0]["channels"]) == (3, 8)
