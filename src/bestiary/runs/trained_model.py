"""A trained model, out of the folder of its run."""

from __future__ import annotations

from pathlib import Path

from bestiary.errors import UserError
from bestiary.models.config import ModelConfig
from bestiary.models.language_model import LanguageModel, build_model
from bestiary.runs.config import RunConfig
from bestiary.runs.run_folder import RunFolder
from bestiary.runs.store import find_run

WEIGHTS = "model.safetensors"


def named_run(source: Path, within: Path) -> Path:
    """A path that is there as it is, or the folder of the run within, whose id begins so.

    ``UserError`` where there is no such run, or more than one.
    """
    if source.exists() or not within.is_dir():
        return source
    return find_run(str(source), within).path


def load_trained(path: str | Path) -> tuple[LanguageModel, RunConfig]:
    """The model with its trained weights, and the config of its run.

    path: a run folder, or the ``model.safetensors`` in one. ``UserError`` where there are no
    weights, or they are not those of the model that the folder describes.
    """
    folder = Path(path)
    folder = folder.parent if folder.name == WEIGHTS else folder
    weights = folder / WEIGHTS
    missing = UserError(
        f"{folder} has no {WEIGHTS}; give the folder of a finished run, as `bestiary runs` lists "
        "them"
    )
    if not weights.is_file() and not (folder / "config.yaml").is_file():
        raise missing
    run = RunFolder(folder).config()
    if not isinstance(run.model, ModelConfig):
        raise UserError(
            f"{folder} holds a compiled model, {run.model.name}, and no trained one; give the "
            "folder of a trained run"
        )
    if not weights.is_file():
        raise missing
    task = run.build_task()
    model = build_model(run.model, task.vocab_size, task.max_length, run.seed)
    _load(weights, model)
    return model.eval(), run


def _load(weights: Path, model: LanguageModel) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    try:
        load_model(model, str(weights))
    except (SafetensorError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise UserError(
            f"{weights} does not hold the weights of the model that its config.yaml describes: "
            f"{reason}"
        ) from error
