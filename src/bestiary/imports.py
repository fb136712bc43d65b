"""Turn ``package.module:Class`` into the class; import what is named, and extras when needed."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bestiary.errors import UserError, did_you_mean


def load_class(path: str) -> type:
    """Import the class at ``package.module:Class``.

    Raises ``UserError`` as ``load`` does, and when the thing named is not a class.
    """
    loaded = load(path, "class", "Class", inspect.isclass)
    if not inspect.isclass(loaded):
        raise UserError(f"{path!r} is a {type(loaded).__name__}, not a class")
    return loaded


def load(
    path: str, what: str, example: str, fits: Callable[[Any], bool] = lambda value: True
) -> Any:
    """Import what is at ``package.module:name``.

    The current directory is searched too, as ``python -m`` would. what, example, fits: how an error
    calls the thing and which others of the module it could have been. Raises ``UserError`` when the
    module or the name is missing, or the module fails (or exits) when it is imported.
    """
    module_name, _, name = path.partition(":")
    accepted = f"accepted: 'package.module:{example}'"
    if module_name.endswith(".py"):
        # A file was named: nearly an import path, which may be said at once.
        dotted = ".".join(Path(module_name).with_suffix("").parts)
        meant = f"; did you mean '{dotted}:{name}'?" if ".." not in dotted else ""
        raise UserError(f"{path!r} is a file, not an import path{meant} ({accepted})")
    if not all(part.isidentifier() for part in (*module_name.split("."), name)):
        raise UserError(f"{path!r} is not an import path ({accepted})")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except UserError:
        raise
    except ImportError as error:
        raise UserError(f"cannot import module {module_name!r} of {path!r}: {error}") from error
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise UserError(f"cannot import module {module_name!r} of {path!r}: {why}") from error
    if not hasattr(module, name):
        others = [other for other, value in vars(module).items() if fits(value)]
        raise UserError(
            f"module {module_name!r} has no {what} {name!r}{did_you_mean(name, others)}"
        )
    return getattr(module, name)


def load_extra(module: str, extra: str, what: str) -> Any:
    """The module of a library that is an extra; what: for whom, as in ``graphs of circuits need``.

    ``UserError`` that names the extra where it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != library:
            raise
        raise UserError(f"{what} the {extra} extra: pip install 'bestiary[{extra}]'") from None


def check_options(
    made: Callable[..., Any],
    options: Mapping[str, Any],
    what: str,
    skip: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> None:
    """Raise ``UserError`` when ``made`` does not take one of ``options``, listing those it does.

    skip: parameters that are no options. also: what is taken beside those of the signature.
    A ``**kwargs`` in the signature does not count as taking an option: a misspelling would
    vanish in it.
    """
    parameters = inspect.signature(made).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = [p.name for p in parameters if p.kind in kinds and p.name not in ("self", *skip)]
    accepted = [*also, *taken]
    for name in options:
        if name not in accepted:
            listed = ", ".join(accepted) or "none"
            hint = did_you_mean(name, accepted)
            raise UserError(f"{what} has no option {name!r}{hint} (accepted: {listed})")


def not_made(what: str, first: str, options: Mapping[str, Any], error: BaseException) -> UserError:
    """The error for a constructor that raised ``error``; first: what it was given besides."""
    given = ", ".join([first, *(f"{name}={value!r}" for name, value in options.items())])
    why = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return UserError(f"{what} cannot be made with {given}: {why}")
