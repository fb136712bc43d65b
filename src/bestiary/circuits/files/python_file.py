"""Files of Python, which are no circuits but may trace some."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from bestiary.errors import UserError

PYTHON = ".py"
MOST_LISTED = 5


def python_file(path: Path) -> UserError:
    """The error for a file of Python where a circuit is read: how its functions are named.

    The file is parsed and not run.
    """
    module = _module(path)
    if module is None:
        return UserError(
            f"{path} is a Python file, not a circuit; give it a name of letters, digits and _, and "
            "name a function that it traces as MODULE:FUNCTION"
        )
    names = _traced(path)[:MOST_LISTED]
    if names:
        told = f"name a function that it traces: {' or '.join(f'{module}:{n}' for n in names)}"
    else:
        told = f"name a function that it traces with @bestiary.circuit as {module}:FUNCTION"
    full = path.resolve()
    where = "" if full.is_relative_to(Path.cwd()) else f", from the folder {full.parent}"
    return UserError(f"{path} is a Python file, not a circuit; {told}{where}")


def _module(path: Path) -> str | None:
    """What a file is imported as from the current folder, or its own; None if that is no name."""
    full, here = path.resolve(), Path.cwd()
    parts = full.relative_to(here).parts if full.is_relative_to(here) else (full.name,)
    names = [*parts[:-1], full.stem]
    return ".".join(names) if all(name.isidentifier() for name in names) else None


def _traced(path: Path) -> list[str]:
    """Functions at the top of a file that are traced, as far as that shows without running it."""
    try:
        with warnings.catch_warnings():
            # Python warns of some texts that it parses; they are not this program's.
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and any(map(_traces, node.decorator_list)):
            names.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
            names += targets if _traces(node.value) else []
    return list(dict.fromkeys(names))


def _traces(node: ast.expr) -> bool:
    """Whether this is ``circuit``, of whatever module, or a call of it."""
    while isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name | ast.Attribute) and "circuit" in (
        node.id if isinstance(node, ast.Name) else node.attr,
    )
