"""The circuit that a person names: a file, a traced function, or one of the library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bestiary.circuits import Circuit, real_pairs
from bestiary.circuits.files.python_file import PYTHON, python_file
from bestiary.circuits.files.reading import format_of, read_circuit
from bestiary.circuits.library import LIBRARY
from bestiary.errors import UserError, did_you_mean
from bestiary.imports import load

SIZE = 8
"""n of a circuit of the library where none is given."""
TRANSFORM_SIZE = 64
"""n of a transform that is proposed where none is given."""
BOOLEAN = "bristol"
"""The format whose circuits are of bits."""


@dataclass(frozen=True)
class NamedCircuit:
    """A circuit as a person named it.

    n: the size of one of the library, the inputs of another. path: its file, or None. bits: whether
    it is known to take bits alone.
    """

    source: str
    circuit: Circuit
    n: int
    path: Path | None = None
    bits: bool = False

    @property
    def title(self) -> str:
        """Its name, and its size where it is one of the library."""
        return f"{self.source}, n = {self.n}" if self.source in LIBRARY else self.circuit.name

    @property
    def real(self) -> Circuit:
        """The circuit as layers hold it: that of real and imaginary parts where it is complex."""
        return real_pairs(self.circuit) if self.circuit.is_complex else self.circuit


def asked_circuit(source: Path | None, n: int | None = None) -> NamedCircuit:
    """The circuit of a command line; ``UserError`` besides where none was given."""
    if source is None:
        raise UserError(
            "the circuit was not given; add a file, module:function, or a name that bestiary "
            "library lists"
        )
    return named_circuit(str(source), n)


def named_circuit(source: str, n: int | None = None) -> NamedCircuit:
    """A library name with its n, ``module:function`` of a traced function, or a path.

    ``UserError`` where there is no such thing, or n is given for what has no n.
    """
    if source in LIBRARY:
        entry, size = LIBRARY[source], SIZE if n is None else n
        return NamedCircuit(source, entry.make(size), size, bits=entry.bits)
    path = Path(source)
    near = did_you_mean(source, LIBRARY)
    if not near and not path.exists() and _is_transform(source):
        size = TRANSFORM_SIZE if n is None else n
        raise UserError(
            f"{source} is a transform, not a circuit; compile it with bestiary compile {source} "
            f"--n {size}"
        )
    if n is not None:
        raise UserError(
            f"--n is {n}, but {source} is no circuit of the library{near} (accepted: --n of a "
            "circuit that bestiary library lists; others are of one size)"
        )
    if path.exists():
        made = read_circuit(path)
        return NamedCircuit(source, made, made.width_in, path, format_of(path) == BOOLEAN)
    if ":" in source:
        found = load(source, "circuit", "function", lambda value: isinstance(value, Circuit))
        if not isinstance(found, Circuit):
            kind = type(found).__name__
            a = "an" if kind[0] in "aeiouAEIOU" else "a"
            raise UserError(
                f"{source!r} is {a} {kind}, not a circuit; name a function that is traced with "
                "@bestiary.circuit, or what from_matrix, from_sympy or read_circuit gave"
            )
        return NamedCircuit(source, found, found.width_in)
    module = Path(f"{source}{PYTHON}")
    if module.is_file():
        raise python_file(module)
    raise UserError(
        f"there is no circuit {source!r}{near} (accepted: a file, "
        "'package.module:function' of a traced function, or a name that bestiary library lists)"
    )


def _is_transform(name: str) -> bool:
    """Whether it is the name of a transform; only looked up for what could be one."""
    if not name.replace("-", "_").isidentifier():
        return False
    # Loads torch, for which no other mistake in a name has to wait.
    from bestiary.structured.transforms.registry import ALIASES, TRANSFORMS

    return name in TRANSFORMS or name in ALIASES
