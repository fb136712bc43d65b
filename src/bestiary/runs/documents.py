"""YAML in and out: loaded safely, the surprises of YAML 1.1 made into numbers or errors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bestiary.atomic import write_text
from bestiary.errors import UserError

# The same loader in C reads some sixteen times as fast, and a sweep has a config a run.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

TOO_DEEP = "nests brackets or mappings too deeply to be read"


class _Loader(_SafeLoader):
    """A safe loader that reads ``1e-3`` as a number and refuses a key given twice."""


class _Dumper(yaml.SafeDumper):
    """A safe dumper that writes short lists on one line and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


# YAML 1.1 wants a dot and a sign (1.0e-3); a person writes 1e-3 and would get a string.
_FLOAT = re.compile(
    r"^[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:float"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789."))


def _mapping_without_repeats(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            # What is merged in may be given again: that is what it is merged for.
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.MarkedYAMLError(
                problem=f"the key {key!r} is not text", problem_mark=key_node.start_mark
            )
        if key in seen:
            raise yaml.MarkedYAMLError(
                problem=f"the key {key!r} is given twice", problem_mark=key_node.start_mark
            )
        seen.add(key)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping_without_repeats)


def _represent_sequence(dumper: _Dumper, data: Sequence[Any]) -> yaml.Node:
    short = all(isinstance(item, (int, float, str, bool, type(None))) for item in data)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", list(data), flow_style=short)


_Dumper.add_representer(list, _represent_sequence)
_Dumper.add_representer(tuple, _represent_sequence)


def parse(text: str, source: str) -> Any:
    """Read one YAML document; ``source`` is named in the error, with the line of the mistake."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = error.problem or "it cannot be parsed"
        if "nesting depth" in problem:
            raise UserError(f"{source} {TOO_DEEP}") from error
        raise UserError(f"{source} is not valid YAML{where}: {problem}") from error
    except RecursionError as error:
        raise UserError(f"{source} {TOO_DEEP}") from error
    except yaml.YAMLError as error:
        raise UserError(f"{source} is not valid YAML: {' '.join(str(error).split())}") from error


def split_setting(text: str, mistake: str) -> tuple[str, str]:
    """``name=value`` as the name and the text of the value; ``UserError(mistake)`` for no such."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UserError(mistake)
    return name.strip(), value


def dump(data: Any) -> str:
    """Write plain data as YAML, keys in the order given."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)


def read(path: Path) -> Any:
    """Read the YAML file at ``path``; raises ``UserError`` for anything that is not one."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UserError(f"there is no file {str(path)!r}") from error
    except IsADirectoryError as error:
        raise UserError(f"{str(path)!r} is a directory; give a YAML file in it") from error
    except PermissionError as error:
        raise UserError(f"{str(path)!r} may not be read by this user") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{str(path)!r} is not a text file (expected YAML in UTF-8)") from error
    return parse(text, str(path))


def read_mapping(path: Path) -> dict[str, Any]:
    """Read a YAML file that must hold a mapping at its top."""
    data = read(path)
    if not isinstance(data, Mapping):
        kind = "empty" if data is None else f"a {type(data).__name__}"
        raise UserError(f"{str(path)!r} is {kind}; it must be a mapping of keys to values")
    return dict(data)


def write(path: Path, data: Any) -> None:
    """Write ``data`` to ``path`` as YAML, atomically."""
    write_text(path, dump(data))
