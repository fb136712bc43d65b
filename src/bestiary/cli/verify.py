"""`bestiary verify`: compare a compiled stack with what it was compiled from."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from bestiary.cli.console import Terminal
from bestiary.errors import UserError
from bestiary.file_kind import refuse_other_than_stacks

if TYPE_CHECKING:
    from bestiary.compile.circuit_form import CircuitForm
    from bestiary.compile.rounding import Exactness
    from bestiary.compile.verify import LayerError, Verification

FLOAT32_LOSS = 1e-2
"""A float32 error above this is worth a sentence."""


def verify(
    file: Annotated[
        Path, typer.Argument(help="A file that `bestiary compile` wrote.", exists=True)
    ],
    reference: Annotated[
        Path | None,
        typer.Option(help="The matrix, circuit or run it was compiled from, where that moved."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Largest relative error in float64; 1e-9 unless given, more where what was "
            "compiled is only near its matrix."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare a compiled stack with numpy, scipy, the module or circuit it came from, not itself.

    Exit code 0: it agrees; 1: it doesn't; 2: there is nothing to compare.

    Example: bestiary verify dct.safetensors
    """
    if tolerance is not None and not 0 <= tolerance < math.inf:
        raise UserError(f"--tolerance is {tolerance}; a number from 0 is needed, such as 1e-9")
    refuse_other_than_stacks(file)
    # Mistakes are told before these, which take seconds to load.
    import torch

    from bestiary.compile.compiled_file import compiled_of
    from bestiary.compile.origin import Origin
    from bestiary.compile.rounding import exactness
    from bestiary.compile.verify import verify as compare
    from bestiary.mixers.stack_file import read_stack_file
    from bestiary.runs.circuit_compilation import circuit_comparison
    from bestiary.runs.compilation import reference_of

    stored = read_stack_file(file)
    origin = Origin.from_dict(stored.about.get("origin"))
    if origin is None or stored.rows is None or stored.inputs is None:
        raise UserError(
            f"{file} does not say what it was compiled from, so there is nothing to compare it with"
        )
    origin.check_sizes(stored.rows, stored.inputs)
    compiled = compiled_of(stored, str(file)) if stored.documents else None
    inputs = None
    if origin.circuit is None:
        meant = reference_of(origin, reference)
    else:
        moved = None if reference is None else str(reference)
        meant, inputs = circuit_comparison(origin, moved, stored.rows, stored.inputs)
    found = compare(
        stored.stack,
        meant,
        stored.rows,
        stored.inputs,
        compiled=compiled,
        inputs=inputs,
        tolerance=origin.tolerance if tolerance is None else tolerance,
    )
    of_bits = origin.circuit is not None and origin.circuit.bits
    tried = torch.cat([*inputs.values()]) if inputs and of_bits else None
    exact = exactness(stored.stack, stored.rows, stored.inputs, tried)
    if as_json:
        told = {**asdict(found), "ok": found.ok, "overflows": found.overflows}
        told["exact"] = None if exact is None else asdict(exact)
        typer.echo(json.dumps(_finite(told), indent=2, allow_nan=False))
    else:
        _print(
            sentences(file, origin.name, found)
            + exact_sentences(exact, origin.circuit is not None)
            + bits_sentences(found, origin.circuit),
            found,
        )
    return 0 if found.ok else 1


def _finite(told: Any) -> Any:
    """What JSON can say: null for infinities and NaN."""
    if isinstance(told, dict):
        return {name: _finite(value) for name, value in told.items()}
    if isinstance(told, list | tuple):
        return [_finite(value) for value in told]
    return None if isinstance(told, float) and not math.isfinite(told) else told


def _print(lines: Sequence[str], found: Verification) -> None:
    console = Terminal()
    for line in lines:
        console.print(line, soft_wrap=True)
    errors = Table(box=None, pad_edge=False)
    for column in ("inputs", "float64", "float32"):
        errors.add_column(column, justify="left" if column == "inputs" else "right", no_wrap=True)
    for kind, error in found.errors.items():
        errors.add_row(kind, f"{error:.1e}", f"{found.float32_errors[kind]:.1e}")
    console.print()
    console.show(errors)
    layers = Table(box=None, pad_edge=False)
    for column in ("layer", "largest number", "of the input", "float32 error"):
        layers.add_column(column, justify="right", no_wrap=True)
    for row in growth(found.layers):
        layers.add_row(*row)
    console.print()
    console.show(layers)


def growth(layers: Sequence[LayerError]) -> list[tuple[str, str, str, str]]:
    """A row a layer: its largest number, how many times that of the input, the float32 error.

    Layers one after the other of which the same is said are one row.
    """
    given = layers[0].largest
    rows = []
    for told, together in itertools.groupby(layers, key=lambda layer: _told(layer, given)):
        numbers = [layer.layer for layer in together]
        if numbers[0] == 0:
            # The input is no layer, even where the first layers change nothing.
            rows.append(("input", *told))
            numbers = numbers[1:]
        if numbers:
            rows.append((_ranges(numbers), *told))
    return rows


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers that go upwards, such as ``3–40, 44``."""
    told = []
    # What follows each other is as far from its place.
    for _, run in itertools.groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        together = [number for _, number in run]
        told.append("–".join(map(str, dict.fromkeys((together[0], together[-1])))))
    return ", ".join(told)


def _told(layer: LayerError, given: float) -> tuple[str, str, str]:
    factor = f"× {layer.largest / given:.3g}" if given else "–"
    return f"{layer.largest:.2e}", factor, f"{layer.float32_error:.1e}"


def sentences(file: Path, name: str, found: Verification) -> list[str]:
    """What the numbers mean, the answer first."""
    import torch

    lines = []
    limits = torch.finfo(torch.float32)
    if found.too_large:
        lines.append(
            f"float32 cannot hold {found.too_large} of the stored numbers, above {limits.max:.1e}"
        )
    if found.too_small:
        lines.append(
            f"float32 keeps few digits or none of {found.too_small} of the stored numbers, below "
            f"{limits.tiny:.1e}"
        )
    if found.overflows:
        lines.append(f"float32 cannot hold the numbers of layers {_ranges(found.overflows)}")
    losses = list(found.float32_errors.values())
    loss = max(losses)
    if not all(map(math.isfinite, losses)):
        lines.append("in float32 the output is not finite: run it in float64")
    elif loss > FLOAT32_LOSS:
        lines.append(f"in float32 the error reaches {loss:.1e}: run it in float64")
    if found.ok:
        return [f"{file} agrees with {name}: largest relative error {found.worst:.1e}", *lines]
    lines.insert(
        0,
        f"{file} does not agree with {name}: {found.worst:.1e}, where at most "
        f"{found.tolerance:.0e} is allowed",
    )
    if found.stage:
        lines.append(f"the program means something else after the pass {found.stage}")
    elif found.first is not None:
        lines.append(f"the first value that differs: {found.first}")
    else:
        lines.append("every value is what its program says, so the program is not what is compared")
    return lines


def bits_sentences(found: Verification, form: CircuitForm | None) -> list[str]:
    """What helps a circuit of bits whose numbers grow on the other inputs that it is tried on."""
    near = all(loss <= FLOAT32_LOSS for loss in found.float32_errors.values())
    if form is None or form.bits or form.pairs or (found.ok and near and not found.overflows):
        return []
    return ["if its inputs are 0 and 1 alone, compile it with --bits to have it tried on those"]


def exact_sentences(exact: Exactness | None, of_circuit: bool) -> list[str]:
    """On which inputs float32 and bfloat16 do not round.

    Of a stack that is no circuit's nothing where they always may: nobody expects them not to.
    """
    if exact is None:
        return []
    if exact.tried is not None:
        formats: dict[str, list[str]] = {}
        for name in exact.up_to:
            formats.setdefault(_on_bits(name, exact), []).append(name)
        told = [f"{said} in {' and '.join(names)}" for said, names in formats.items()]
        return [f"{', '.join(told)}; numbers take up to {exact.tried.taken} there"]
    if exact.up_to["float32"]:
        told = [
            f"up to {most:,} in {name}" if most else f"not for sure in {name}"
            for name, most in exact.up_to.items()
        ]
        return [f"exact on whole numbers {', '.join(told)}"]
    return ["float32 may round on any input, 0 and 1 too"] if of_circuit else []


def _on_bits(name: str, exact: Exactness) -> str:
    if exact.up_to[name]:
        return "exact on all bits"
    need = exact.beyond.get(name)
    if need is None:
        return "exact on the bits that were tried"
    return f"layer {need.layer} takes {need.taken} and may round"
