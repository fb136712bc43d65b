"""From what a person names to a compiled stack, and to what it is compared with."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from bestiary.circuits.library import LIBRARY
from bestiary.compile.bounds import Bound, gated_bound, our_bound, paper_bound, paper_hyena_bound
from bestiary.compile.compiling import Compiled
from bestiary.compile.conversion import LAYOUTS, WITHOUT_LAYOUT, converted
from bestiary.compile.from_circuit import LAYOUTS as CIRCUIT_LAYOUTS
from bestiary.compile.from_language_model import COMPILED, CompiledLanguageModel, language_model
from bestiary.compile.from_matrix import CHOICES, Given, NoStructure, chosen, given_matrix
from bestiary.compile.from_matrix.level import check_radix
from bestiary.compile.mixer_forms import gated_form_of
from bestiary.compile.optimize import Optimize
from bestiary.compile.origin import (
    Origin,
    check_unchanged,
    digest,
    matrix_function,
    transform_reference,
)
from bestiary.compile.program import MODES, Mode
from bestiary.compile.report import measure
from bestiary.compile.verify import TOLERANCE, agree
from bestiary.errors import UserError, did_you_mean, unknown_name
from bestiary.mixers.hyena import Hyena
from bestiary.runs.compile_options import check_options, subject_of
from bestiary.runs.trained_model import WEIGHTS, load_trained
from bestiary.runs.work import Work
from bestiary.structured.matrix_file import read_matrix
from bestiary.structured.recognition.recognise import LEAST, MOST
from bestiary.structured.transforms.registry import ALIASES, TRANSFORMS, named_transform
from bestiary.training.evaluate import evaluate

Reference = Callable[[Tensor], Tensor]

ROUNDING = 1e-13
"""Residual of a structure that is the matrix itself, but for the last digits of float64."""
MATRIX_TOLERANCE = 1e-10
"""Of a matrix as a stack, relative to the largest output (docs/theory.md, 'Bounds')."""
LARGEST_TRANSFORM = 1 << 16
"""Numbers that a transform takes; memory and minutes go up with n log n."""
MOST_CHECKED = 4096
"""Up to so many numbers a stack is checked at once; larger ones when `verify` is asked."""


@dataclass(frozen=True)
class How:
    """How a matrix is compiled.

    mode, radix: see ``compile.matrix``. method: one of its methods, or ``auto``: of groups and a
    narrow direct form the one of fewest non-zero numbers. optimize: seconds to search for the best
    schedule, or None. tolerance: of a matrix in a file, see ``recognise``.
    """

    mode: Mode = "causal"
    method: str = "auto"
    radix: int = 2
    optimize: float | None = None
    tolerance: float | None = None


@dataclass(frozen=True)
class Mixer:
    """Which mixer of a run: its layer (None: the first of its kind), length and layout.

    layout: one of ``compile.conversion.LAYOUTS``; None: by channels.
    """

    layer: int | None = None
    length: int | None = None
    layout: str | None = None


def transforms() -> list[tuple[str, str]]:
    """Names and descriptions, with the other names that are taken."""
    others: dict[str, list[str]] = {}
    for alias, name in ALIASES.items():
        others.setdefault(name, []).append(alias)
    return [
        (name, one.description + (f" (also {', '.join(others[name])})" if name in others else ""))
        for name, one in TRANSFORMS.items()
    ]


def requested(
    what: str,
    source: Path | None,
    n: int | None,
    d: int,
    mixer: Mixer,
    how: How,
    given: Collection[str] = (),
) -> Work | ModelWork:
    """A named transform of size n, a matrix in a file, or a mixer or the model of a trained run.

    given: the options that a person gave; ``UserError`` for one that would change nothing.
    """
    if not what:
        raise UserError("nothing to compile was named; --list shows the transforms")
    if how.method not in CHOICES:
        raise unknown_name("method", how.method, CHOICES)
    subject = subject_of(what, source)
    check_options(given, subject, how.method)
    if how.mode not in MODES:
        raise unknown_name("mode", how.mode, MODES)
    check_radix(how.radix)
    if subject == "matrix":
        return of_matrix(source, d, how)
    if subject == "transform":
        return of_transform(what, n, d, how)
    if source is None:
        raise UserError(
            f"{what} is compiled from the folder of a run, which was not given; add one that "
            "`bestiary runs` lists"
        )
    return of_model(source, mixer.layout) if subject == "model" else of_mixer(what, source, mixer)


def of_transform(name: str, n: int | None, d: int, how: How) -> Work:
    """A named transform of size n."""
    if name not in TRANSFORMS and name not in ALIASES:
        if name in LIBRARY:
            raise UserError(
                f"{name} is a circuit of the library, not a transform; compile it with bestiary "
                f"compile circuit {name}{'' if n is None else f' --n {n}'}"
            )
        raise UserError(
            f"there is no transform {name!r}{did_you_mean(name, [*TRANSFORMS, *ALIASES])}; "
            "bestiary compile --list shows all; for a mixer such as hyena add the folder of a run"
        )
    one = named_transform(name)
    if n is None:
        raise UserError(f"the size of {name} was not given; add --n 64")
    if n > LARGEST_TRANSFORM:
        raise UserError(f"--n is {n}; transforms are compiled up to {LARGEST_TRANSFORM}")
    if n % d and n > 0:
        raise UserError(f"--d is {d}; it must divide the size, {n}")
    origin = Origin("transform", one.name, n, d)
    member = one.make(n)
    given = Given(member, how.method, real=member.is_complex and not one.is_complex)
    return _of_member(given, origin, how, one.name, lambda: one.reference(n))


def of_matrix(source: Path | None, d: int, how: How) -> Work:
    """A square matrix from a file, in the cheapest form that it has; ``NoStructure`` for none."""
    if source is None:
        raise UserError("the file of the matrix was not given; add its path (.npy, .npz, .mtx)")
    dense = read_matrix(source)
    _check_size(source, dense)
    try:
        given = given_matrix(dense, d, how.mode, how.method, how.tolerance)
    except NoStructure as none:
        whole = f"--d {len(dense)}{'' if how.method == 'auto' else ' --method auto'}"
        give = whole if len(dense) % d else f"{whole} or --method direct"
        raise NoStructure(f"{source}: {none} (give {give})") from None
    assert given.found is not None
    structure = "without structure" if given.found.matrix is None else str(given.found)
    if given.found.matrix is None and how.radix != How.radix:
        raise UserError(
            f"--radix is {how.radix}, but {source} has no structure and is compiled directly, "
            "without a radix"
        )
    origin = Origin("matrix", str(source), len(dense), d, digest=digest(source))
    name = f"{source.stem}, {structure}"
    return _of_member(given, origin, how, name, lambda: dense)


def _check_size(source: Path, dense: NDArray[Any]) -> None:
    """``UserError`` where products with the entries would leave float64, or keep few digits."""
    largest = float(max(np.abs(dense.real).max(), np.abs(dense.imag).max()))
    if largest and not LEAST <= largest <= MOST:
        raise UserError(
            f"the largest entry of {source} is {largest:.2g} in size; float64 keeps the digits of "
            f"its products from {LEAST:.0e} to {MOST:.0e}, so scale the matrix"
        )


def of_mixer(kind: str, source: Path, mixer: Mixer) -> Work:
    """A mixer of a trained run."""
    module, layer, longest = trained_mixer(source, kind, mixer.layer)
    positions = longest if mixer.length is None else mixer.length
    made = converted(module, positions, _layout(mixer.layout, [module]))  # type: ignore[arg-type]
    weights = source if source.is_file() else source / WEIGHTS
    width = made.compiled.source.width
    origin = Origin("module", str(weights), positions, width, layer, digest(weights))
    beside = _mixer_bounds(module, positions, mixer.layout)
    return Work(made.compiled, origin, measure(made.compiled, beside), made.error)


def _mixer_bounds(module: nn.Module, length: int, layout: str | None) -> dict[str, Bound]:
    """What a gated convolution is held to, and what the paper states of Hyena."""
    if isinstance(module, WITHOUT_LAYOUT):
        return {}
    form = gated_form_of(copy.deepcopy(module).double(), length)
    found = {"bound": gated_bound(form, length, layout or "channel")}
    if isinstance(module, Hyena):
        found["paper"] = paper_hyena_bound(length, form.d_model, len(form.steps))
    return found


@dataclass(frozen=True)
class ModelWork:
    """A whole language model compiled, and its recall on the test examples of its run.

    before, after: test accuracy of the trained model and of the compiled one, both in float64.
    """

    compiled: CompiledLanguageModel
    before: float
    after: float

    def as_json(self) -> dict[str, Any]:
        """Everything but the weights."""
        return {
            "length": self.compiled.length,
            "blocks": [str(block) for block in self.compiled.blocks],
            "max_logit_difference": self.compiled.difference,
            "accuracy_before": self.before,
            "accuracy_after": self.after,
        }

    def __str__(self) -> str:
        return f"{self.compiled}\ntest accuracy: {self.before:.4f} before, {self.after:.4f} after"


def of_model(source: Path, layout: str | None) -> ModelWork:
    """All gated convolutions of a trained language model, checked by logits and by recall."""
    model, run = load_trained(source)
    chosen = _layout(layout, [block.mixer for block in model.blocks])  # type: ignore[misc]
    made = language_model(model, None, chosen)  # type: ignore[arg-type]
    task, size = run.build_task(), run.training.batch_size
    before = evaluate(model.double(), task, "test", size).total.accuracy
    after = evaluate(made.model, task, "test", size).total.accuracy
    return ModelWork(made, before, after)


def _layout(layout: str | None, modules: Iterable[nn.Module]) -> str:
    """The layout to compile in; ``UserError`` for one that none of the mixers can have."""
    if layout is None:
        return "channel"
    if layout in CIRCUIT_LAYOUTS:
        raise UserError(
            f"--layout is {layout}, which is a layout of circuits; a mixer is compiled by "
            f"{' or '.join(LAYOUTS)}"
        )
    compiled = [module for module in modules if isinstance(module, COMPILED)]
    if compiled and all(isinstance(module, WITHOUT_LAYOUT) for module in compiled):
        raise UserError(
            f"--layout is {layout}, but a stack of BaseConv layers keeps the channels that it has; "
            "it is for other gated convolutions, such as Hyena"
        )
    return layout


def trained_mixer(source: Path, kind: str, layer: int | None) -> tuple[nn.Module, int, int]:
    """A mixer of a run, its layer, and the longest sequence of the model."""
    model, _ = load_trained(source)
    names = [spec.name for spec in model.config.layer_mixers]
    if layer is None:
        if kind not in names:
            raise UserError(f"the run {source} has no {kind} layer; its layers are {names}")
        layer = names.index(kind)
    if not 0 <= layer < len(names):
        raise UserError(f"--layer is {layer}; the run has layers 0 to {len(names) - 1}")
    if kind and names[layer] != kind:
        raise UserError(f"layer {layer} of {source} is {names[layer]}, not {kind}")
    return model.blocks[layer].mixer, layer, model.max_length  # type: ignore[return-value]


def reference_of(origin: Origin, given: Path | None) -> Reference:
    """What a stack of that origin, which is no circuit, is compared with.

    given: the file, or the folder of a run, in place of one that moved; ``UserError`` for a
    transform, which comes from neither.
    """
    if origin.kind == "transform":
        if given is not None:
            raise UserError(
                f"--reference is {given}, but {origin.name} is a transform and compared with numpy "
                "and scipy; it is for what was compiled from a file or a run"
            )
        return transform_reference(origin)
    path = given or Path(origin.name)
    if origin.kind == "module" and path.is_dir():
        path /= WEIGHTS
    check_unchanged(origin, path, given=given is not None)
    if origin.kind == "matrix":
        return matrix_function(read_matrix(path), origin.d)
    module, _, _ = trained_mixer(path, "", origin.layer)
    return module.double()


def _of_member(
    given: Given, origin: Origin, how: How, name: str, reference: Callable[[], NDArray[Any]]
) -> Work:
    """reference: gives the dense matrix, from elsewhere than the member."""
    member = given.member
    try:
        beside = {
            "bound by groups": our_bound(member, origin.d, how.mode),
            "paper": paper_bound(member, origin.d),
        }
    except UserError:
        # A form without a bound of its own, such as Monarch with dense blocks.
        beside = {}
    search = None if how.optimize is None else Optimize(seconds=how.optimize)
    compiled, left_out = chosen(given, origin.d, how.mode, how.radix, name=name, optimize=search)
    found, error, allowed = given.found, None, TOLERANCE
    near = found is not None and found.matrix is not None and found.residual > ROUNDING
    if origin.n <= MOST_CHECKED:
        error = _error(compiled, given, origin, reference(), near)
    if near and found is not None:
        # Where outputs cancel, what was left out of a matrix weighs more.
        allowed = max(TOLERANCE, found.tolerance, 2 * (error or 0))
    origin = replace(origin, tolerance=allowed)
    return Work(compiled, origin, measure(compiled, beside), error, left_out)


def _error(
    compiled: Compiled, given: Given, origin: Origin, dense: NDArray[Any], near: bool
) -> float:
    """The largest relative error against a dense matrix, which is to be below a tolerance.

    near: the form is only near that matrix, so that what is checked is that the stack is the form.
    """
    rows, width = compiled.source.rows, compiled.source.width
    meant = matrix_function(dense, origin.d)
    if not near:
        return agree(compiled.stack, meant, rows, width, tolerance=MATRIX_TOLERANCE)
    form = given.member.dense().detach()
    real = form.real if given.real else form
    of_form = matrix_function(real.numpy(), origin.d)
    agree(compiled.stack, of_form, rows, width, tolerance=MATRIX_TOLERANCE)
    return agree(compiled.stack, meant, rows, width, tolerance=math.inf)
