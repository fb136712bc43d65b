"""The experiments that come with Bestiary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestiary.errors import unknown_name
from bestiary.runs import documents

FOLDER = Path(__file__).parent / "presets"


def preset_names() -> list[str]:
    """Names that ``--preset`` takes."""
    return sorted(p.stem for p in FOLDER.glob("*.yaml") if not p.stem.endswith(".tuning"))


def preset_path(name: str) -> Path:
    """The YAML file of a preset; raises ``UserError`` that lists those there are."""
    if name not in preset_names():
        raise unknown_name("preset", name, preset_names())
    return FOLDER / f"{name}.yaml"


def tuning_source(path: str) -> str:
    """What a person calls the tuning file at ``path``: one of ours by the preset it came with."""
    file = Path(path)
    if file.parent == FOLDER:
        return f"preset {file.name.removesuffix('.tuning.yaml')}"
    return path


def load_preset(name: str) -> dict[str, Any]:
    """The plain data of a preset."""
    return documents.read_mapping(preset_path(name))
