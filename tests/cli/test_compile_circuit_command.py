"""Circuits on the command line: compile, verify, inspect and run, and what is said of mistakes."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from bestiary.circuits import Builder, balanced, parallelised, write_circuit
from bestiary.circuits.library import LIBRARY
from bestiary.cli.main import main
from bestiary.compile.from_circuit.narrow import narrow_bound
from bestiary.runs.circuit_source import named_circuit
from bestiary.runs.compile_options import CIRCUIT_LAYOUTS

BRISTOL_XOR_AND = "2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n"
SQUARES = "input x[2] y\nnorm = x[0]**2 + x[1]**2\noutput norm\noutput (norm - 1/2) * y as scaled\n"


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def bestiary(capsys):
    def bestiary(*arguments, code=0):
        assert main([str(argument) for argument in arguments]) == code
        told = capsys.readouterr()
        return told.err if code == 2 else told.out

    return bestiary


def run(bestiary, array, stack="c.safetensors"):
    np.save("x.npy", array)
    bestiary("run", stack, "x.npy", "-o", "y.npy")
    return np.load("y.npy")


WAYS = [
    [],
    ["--layout", "auto"],
    ["--expand", "4"],
    ["--layout", "narrow", "--d", "4", "--mode", "circular", "--radix", "4"],
    ["--layout", "narrow"],
]


@pytest.mark.parametrize("options", WAYS, ids=[" ".join(way) or "wide" for way in WAYS])
def test_a_determinant_is_compiled_verified_and_run_in_every_layout(bestiary, options):
    n = 2 if "narrow" in options else 3
    name = ["determinant", "--n", n]
    told = json.loads(
        bestiary("compile", "circuit", *name, *options, "-o", "c.safetensors", "--json")
    )
    assert told["max_relative_error"] <= 1e-9
    assert (told["degree"], told["floor"]) == ((3, 2) if n == 3 else (2, 1))
    assert told["layers"] >= told["floor"]
    assert told["origin"]["kind"] == "circuit"
    assert "c.safetensors agrees with determinant" in bestiary("verify", "c.safetensors")
    matrices = np.random.default_rng(0).normal(size=(5, n, n))
    expected = np.linalg.det(matrices)
    # As its port, and as vectors of its inputs; one, and a batch.
    assert np.allclose(run(bestiary, matrices), expected)
    assert np.allclose(run(bestiary, matrices[0]), expected[0])
    assert np.allclose(run(bestiary, matrices.reshape(5, -1)), expected[:, None])
    assert np.allclose(run(bestiary, matrices[0].ravel()), expected[:1])


def test_layers_and_width_stand_beside_the_bound_and_the_floor(bestiary):
    out = bestiary("compile", "circuit", "determinant", "--n", "4")
    words = [line.split() for line in out.splitlines()]
    (compiled,) = (line for line in words if line[0] == "compiled")
    (bound,) = (line for line in words if line[:2] == ["bound,", "wide"])
    (floor,) = (line for line in words if line[0] == "floor,")
    # Degree 4, and 2D + 1 layers for the multiplicative depth that the report says.
    assert floor == ["floor,", "degree", "4", "2"]
    depth = int(out.partition("multiplicative depth ")[2].partition(",")[0])
    assert int(bound[2]) == 2 * depth + 1
    assert int(compiled[1]) <= int(bound[2])
    assert int(compiled[3]) <= int(bound[4])


def test_a_budget_of_channels_is_kept_and_the_bound_that_it_gives_up_is_not_shown(bestiary):
    few = ["determinant", "--n", "4", "--channels", "29"]
    told = json.loads(bestiary("compile", "circuit", *few, "--json"))
    assert told["width"] <= 29
    assert told["bounds"] == {}
    # In as many as the layout takes by itself nothing is given up.
    enough = json.loads(bestiary("compile", "circuit", *few[:-1], "300", "--json"))
    assert list(enough["bounds"]) == ["bound, wide"]


def test_the_bound_is_that_of_the_narrow_layout_that_auto_chose(bestiary):
    Path("sum.circuit").write_text("input x[9]\noutput (x[0] + x[5]) * x[8] as y\n")
    told = json.loads(
        bestiary(
            *("compile", "circuit", "sum.circuit", "--layout", "auto", "--channels", "7", "--json")
        )
    )
    circuit = named_circuit("sum.circuit").circuit
    expected = narrow_bound(circuit, 1)
    assert told["bounds"] == {"bound, narrow": asdict(expected)}
    assert expected.holds(told["layers"], told["inner_rows"], told["width"])
    assert told["origin"]["circuit"]["layout"] == "narrow"
    assert told["max_relative_error"] <= 1e-9


def test_balancing_a_chain_takes_fewer_layers_and_the_bound_follows(bestiary):
    deep, shallow = (
        json.loads(bestiary("compile", "circuit", "horner", "--n", "12", *balance, "--json"))
        for balance in ([], ["--balance"])
    )
    assert shallow["layers"] < deep["layers"]
    assert shallow["layers"] <= shallow["bounds"]["bound, wide"]["layers"]


def test_what_is_made_parallel_is_compared_with_the_circuit_as_it_was(bestiary):
    for options in (["--parallel"], ["--parallel", "--expand", "4"]):
        told = json.loads(
            bestiary(
                *("compile", "circuit", "determinant", "--n", "5", *options),
                *("-o", "c.safetensors", "--json"),
            )
        )
        plain = json.loads(bestiary("compile", "circuit", "determinant", "--n", "5", "--json"))
        assert told["layers"] < plain["layers"]
        made = LIBRARY["determinant"].make(5)
        before, after = told["subject"].split("; parallel: ")
        assert before == plain["subject"] == f"circuit: {counts(made)}"
        assert f" {after}," in counts(parallelised(made))
        assert "agrees with determinant" in bestiary("verify", "c.safetensors")
        matrices = np.random.default_rng(0).normal(size=(3, 5, 5))
        assert np.allclose(run(bestiary, matrices), np.linalg.det(matrices))


@pytest.mark.parametrize("options", [["--balance"], ["--layout", "auto"]])
def test_the_counts_of_the_circuit_that_was_placed_are_said_beside_its_own(bestiary, options):
    out = bestiary("compile", "circuit", "horner", "--n", "12", *options)
    (line,) = (line.strip() for line in out.splitlines() if line.startswith("  circuit: "))
    circuit = LIBRARY["horner"].make(12)
    forms = {"balanced": balanced(circuit), "parallel": parallelised(circuit)}
    before, after = line.split("; ")
    name, after = after.split(": ")
    assert before == f"circuit: {counts(circuit)}"
    assert f" {after}," in counts(forms[name])
    # The bound of the report is that of this depth: 2D + 1 layers.
    depth = int(after.rpartition(" ")[2])
    (bound,) = (line.split() for line in out.splitlines() if line.startswith("  bound, wide"))
    assert int(bound[2]) == 2 * depth + 1


def counts(circuit):
    return str(circuit).removeprefix(f"{circuit.name}: ")


def test_bits_may_be_said_of_any_circuit(bestiary):
    Path("either.circuit").write_text("input a b\nout = a + b - a * b\noutput out\n")
    bestiary("compile", "circuit", "either.circuit", "--bits", "-o", "c.safetensors")
    out = bestiary("verify", "c.safetensors")
    assert "all bits" in out and "normal" not in out
    assert "takes bits, 0 or 1" in _refused_run(bestiary, np.array([0.5, 1]))


def test_rows_of_a_wide_circuit_are_computed_each_by_itself(bestiary):
    bestiary("compile", "circuit", "horner", "--n", "2", "--rows", "3", "-o", "c.safetensors")
    assert "agrees with horner" in bestiary("verify", "c.safetensors")
    given = np.random.default_rng(1).normal(size=(2, 3, 4))
    made = run(bestiary, given)
    at, coefficients = _horner_ports(given)
    expected = sum(coefficients[..., i] * at**i for i in range(3))
    assert made.shape == (2, 3, 1)
    assert np.allclose(made[..., 0], expected)
    err = _refused_run(bestiary, given[:, :2])
    assert "the circuit takes 4 numbers a row" in err
    assert "(accepted: (3, 4), or a batch)" in err


def _horner_ports(given):
    """The point and the coefficients, by the order of the ports of the circuit."""
    made, found = 0, {}
    for port in LIBRARY["horner"].make(2).inputs:
        found[port.size] = given[..., made : made + port.size]
        made += port.size
    return found[1][..., 0], found[3]


def _refused_run(bestiary, array):
    np.save("x.npy", array)
    return bestiary("run", "c.safetensors", "x.npy", code=2)


def test_a_fourier_transform_takes_and_gives_complex_numbers(bestiary):
    for options in ([], ["--layout", "narrow", "--mode", "circular", "--d", "2"]):
        bestiary("compile", "circuit", "fft", "--n", "8", *options, "-o", "c.safetensors")
        assert "agrees with fft" in bestiary("verify", "c.safetensors")
        rng = np.random.default_rng(0)
        for x in (rng.normal(size=8) + 1j * rng.normal(size=8), rng.normal(size=(2, 8))):
            assert np.allclose(run(bestiary, x), np.fft.fft(x))


def test_circuits_of_bits_are_compared_on_bits_and_run_on_bits_alone(bestiary):
    Path("xor.bristol").write_text(BRISTOL_XOR_AND)
    bestiary("compile", "circuit", "xor.bristol", "-o", "c.safetensors")
    lines = bestiary("verify", "c.safetensors").splitlines()
    kinds = [line.partition("  ")[0] for line in lines[lines.index("") + 2 :]]
    assert kinds[: kinds.index("")] == ["all bits"]
    words = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert run(bestiary, words).tolist() == [[0, 0], [1, 0], [1, 0], [0, 1]]
    err = _refused_run(bestiary, np.array([1, 2]))
    assert "the input has 2.0 at index 1; the circuit takes bits, 0 or 1" in err


def test_sorting_networks_sort_after_they_are_compiled(bestiary):
    bestiary("compile", "circuit", "sort-rank", "--n", "4", "-o", "c.safetensors")
    keys = np.random.default_rng(0).integers(0, 16, size=(20, 4))
    bits = (keys[..., None] >> np.arange(4)) & 1
    made = run(bestiary, bits)
    assert ((made @ (1 << np.arange(4))) == np.sort(keys, axis=1)).all()


def test_files_and_traced_functions_are_read_anew_when_they_are_verified(bestiary):
    Path("squares.circuit").write_text(SQUARES)
    Path("traced_for_compile.py").write_text(
        "import bestiary\n\n\n@bestiary.circuit(x=2)\ndef product(x):\n    return x[0] * x[1]\n"
    )
    bestiary("compile", "circuit", "squares.circuit", "-o", "c.safetensors")
    assert run(bestiary, np.array([1, 2, 4])).tolist() == [5, 18]
    assert "agrees with squares.circuit" in bestiary("verify", "c.safetensors")
    Path("squares.circuit").rename("moved.circuit")
    assert "name it with --reference" in bestiary("verify", "c.safetensors", code=2)
    bestiary("verify", "c.safetensors", "--reference", "moved.circuit")
    said = bestiary("verify", "c.safetensors", "--reference", "no.circuit", code=2)
    assert "--reference is no.circuit, where there is no file; squares.circuit was" in said
    Path("squares.circuit").write_text(SQUARES + "# edited\n")
    said = bestiary("verify", "c.safetensors", code=2)
    assert "its contents have changed since; compile it again with" in said
    assert "`bestiary compile circuit squares.circuit`" in said
    bestiary("compile", "circuit", "traced_for_compile:product", "-o", "c.safetensors")
    assert "agrees with traced_for_compile:product" in bestiary("verify", "c.safetensors")
    assert run(bestiary, np.array([[3.0, 4.0]])).tolist() == [[12]]


def test_a_stack_that_is_not_the_circuit_any_more_is_found_out(bestiary):
    from safetensors import safe_open
    from safetensors.torch import save_file

    bestiary("compile", "circuit", "determinant", "--n", "3", "-o", "c.safetensors")
    with safe_open("c.safetensors", framework="pt") as file:
        header = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    arrays["stack.layers.1.weight.values"] *= 1.5
    save_file(arrays, "broken.safetensors", metadata=header)
    out = bestiary("verify", "broken.safetensors", code=1)
    assert "does not agree with determinant" in out
    assert "the first value that differs: " in out


@pytest.mark.parametrize("command", [["compile", "circuit"], ["frontier"]])
@pytest.mark.parametrize("name", ["mine.py", "mine"])
def test_a_python_file_is_told_how_its_functions_are_named(bestiary, command, name):
    Path("mine.py").write_text("import bestiary\n\n@bestiary.circuit(x=2)\ndef f(x): return x[0]\n")
    said = "mine.py is a Python file, not a circuit; name a function that it traces: mine:f"
    assert bestiary(*command, name, code=2) == f"bestiary: {said}\n"


def test_inspect_names_the_inputs_the_gates_and_the_outputs(bestiary):
    Path("squares.circuit").write_text(SQUARES)
    bestiary("compile", "circuit", "squares.circuit", "-o", "c.safetensors")
    told = json.loads(bestiary("inspect", "c.safetensors", "--json"))
    names = [{place["name"] for place in layer} for layer in told["layout"]["layers"]]
    assert names[0] == {"x[0]", "x[1]", "y"}
    assert {"norm", "scaled"} <= names[-1]
    bestiary("inspect", "c.safetensors", "--html", "c.html")
    assert "scaled" in Path("c.html").read_text()


def test_circuits_with_huge_values_are_compared_where_float64_can_tell(bestiary):
    # Of degree 2^11: from inputs above 3 on no output is finite, and those kinds say nothing.
    lines = ["input x[3]", "g0 = x[0] * x[1] / 2 + x[2] / 2"]
    lines += [f"g{i + 1} = g{i} * g{i}" for i in range(10)]
    Path("tower.circuit").write_text("\n".join([*lines, "output g10"]))
    bestiary("compile", "circuit", "tower.circuit", "-o", "c.safetensors")
    out = bestiary("verify", "c.safetensors")
    assert "agrees with tower.circuit" in out
    assert "all bits" in out
    assert not any(line.startswith("large ") for line in out.splitlines())


@pytest.mark.parametrize("option", CIRCUIT_LAYOUTS)
@pytest.mark.parametrize("layout", ["wide", "narrow", "auto"])
def test_options_of_another_layout_are_refused(bestiary, option, layout):
    value = (
        [] if option in ("--balance", "--parallel") else ["causal" if option == "--mode" else "4"]
    )
    given = ["--layout", layout, option, *value]
    # A circuit without inputs is refused too, but later, so that what is let through fails after.
    Path("constant.circuit").write_text("output 1 as y")
    err = bestiary("compile", "circuit", "constant.circuit", *given, code=2)
    said = f"{option} means nothing for a circuit with --layout {layout}; it is for "
    assert (said in err) == (layout not in CIRCUIT_LAYOUTS[option])
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the circuit was not given; add a file, module:function, or a name"),
        (["determinan"], "there is no circuit 'determinan'; did you mean 'determinant'?"),
        (["nowhere.circuit"], "there is no circuit 'nowhere.circuit'"),
        (["determinant", "--n", "0"], "n is 0; a whole number from 1 on is needed"),
        (["determinant", "--n", "99"], "determinant is made for n up to"),
        (["json:dumps"], "is a function, not a circuit; name a function that is traced with"),
        (["sys:maxsize"], "is an int, not a circuit"),
        (["no.such.module:f"], "cannot import module 'no.such.module'"),
        (["parity", "--layout", "time"], "which is a layout of mixers; a circuit is wide or"),
        (["parity", "--layout", "wides"], "unknown layout of a circuit 'wides'; did you mean"),
        (["parity", "--method", "direct"], "--method means nothing for a circuit; it is for a"),
        (["parity", "--tolerance", "1"], "--tolerance means nothing for a circuit"),
        (["parity", "--rows", "0"], "--rows is 0; 1 or more is needed"),
        (["parity", "--channels", "0"], "--channels is 0; 1 or more is needed"),
        (["parity", "--channels", "1"], "channels is 1, too few for parity: the wide layout fits"),
        (["nothing.py"], "there is no circuit 'nothing.py'"),
        (["parity", "--expand", "0.5"], "expand is 0.5; a factor of channels from 1 on"),
        (["parity", "--layout", "narrow", "--d", "3"], "--d is 3; a power of two is needed"),
        (["parity", "--layout", "narrow", "--mode", "ring"], "unknown mode 'ring'"),
        (["parity", "--layout", "narrow", "--radix", "3"], "the radix is 3; a power of two"),
        (["parity", "--balance"], "--balance changes nothing: "),
        (
            ["parity", "--optimize", "1", "--channels", "9"],
            "--channels means nothing with --optimize",
        ),
    ],
)
def test_mistakes_of_the_command_line_are_one_sentence(bestiary, arguments, said):
    err = bestiary("compile", "circuit", *arguments, code=2)
    assert said in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("input x\ny = x * z\noutput y\n", "line 2: "),
        ("input x\na = b + 1\nb = a * x\noutput b\n", "line 2: a is made from itself: a from b"),
        ("input x\ny = select(x)\noutput y\n", "line 2: "),
        ("input x\nx = 2\noutput x\n", "line 2: "),
        ("input x\ny = x * 1e999\noutput y\n", "line 2: "),
        ("input x\ny = nan * x\noutput y\n", "line 2: "),
        ("input x y\nz = x / y\noutput z\n", "line 2: "),
        ("input x\ny = x ** 1000000000\noutput y\n", "1000000000"),
        ("input x\ny = x *\noutput y\n", "line 2: "),
        ("input x\ny = x * x\n", "has no outputs"),
        ("", "has no outputs"),
        ("2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n2 1 0 9 3 AND\n", "9"),
        ("2 4\n2 1 1\n1 2\n\n3 1 0 1 2 XOR\n2 1 0 1 3 AND\n", "line 5: "),
        ('{"format": "nothing"}', "bad"),
    ],
)
def test_mistakes_in_a_file_are_one_sentence_with_their_place(bestiary, text, said):
    Path("bad").write_text(text)
    err = bestiary("compile", "circuit", "bad", code=2)
    assert said in err
    assert "bad" in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_inputs_that_nothing_uses_are_taken_and_make_no_difference(bestiary):
    Path("spare.circuit").write_text("input x spare\ny = x * x\noutput y\n")
    for layout in ("wide", "narrow"):
        bestiary(
            *("compile", "circuit", "spare.circuit", "--layout", layout, "-o", "c.safetensors")
        )
        assert "agrees with" in bestiary("verify", "c.safetensors")
        assert run(bestiary, np.array([[3, 7], [3, 8]])).tolist() == [[9], [9]]


def test_a_circuit_that_only_passes_on_or_gives_constants_is_compiled(bestiary):
    builder = Builder()
    x = builder.input("x", (3,))
    circuit = builder.finished({"out": ((2,), [x[2], builder.constant(5)])}, "picked")
    write_circuit("picked.json", circuit)
    for options in ([], ["--layout", "narrow", "--d", "2"]):
        bestiary("compile", "circuit", "picked.json", *options, "-o", "c.safetensors")
        assert "agrees with" in bestiary("verify", "c.safetensors")
        assert run(bestiary, np.array([1, 2, 3])).tolist() == [3, 5]


def test_a_circuit_without_inputs_is_refused(bestiary):
    Path("one.circuit").write_text("y = 2 * 3\noutput y\n")
    err = bestiary("compile", "circuit", "one.circuit", code=2)
    assert "one has no inputs; a stack needs at least one channel" in err


def test_the_name_of_a_circuit_given_as_a_transform_is_told_where_it_belongs(bestiary):
    err = bestiary("compile", "determinant", "--n", "4", code=2)
    assert "determinant is a circuit of the library, not a transform" in err
    assert err.endswith("compile it with bestiary compile circuit determinant --n 4\n")
