"""Everything a training needs to go on, on disk: named tensors in safetensors, the rest in JSON.

``checkpoint/state.json`` names the tensor file beside it. A new checkpoint writes a tensor file
of its own first and then replaces ``state.json``: that rename is the moment it becomes the
checkpoint. A process killed before leaves the previous one whole, and no pickle is involved.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.training.randomness import generator_states, restore_generator_states

FORMAT = 1
_STATE = "state.json"


@dataclass(frozen=True)
class Checkpoint:
    """Named tensors, and values that JSON can hold."""

    tensors: Mapping[str, Tensor]
    values: Mapping[str, Any]


def save_checkpoint(folder: Path, checkpoint: Checkpoint, step: int) -> None:
    """Make ``checkpoint`` the one in ``folder``, or leave the previous one as it was.

    Raises ``UserError`` when the file system refuses (no space left, no permission).
    """
    name = f"step-{step:09d}.safetensors"
    state = {"format": FORMAT, "tensors": name, "values": checkpoint.values}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / name, save_tensors(_storable(checkpoint.tensors)))
        write_atomically(folder / _STATE, json.dumps(state).encode())
    except OSError as error:
        kept = "the previous checkpoint is whole" if (folder / _STATE).exists() else "there is none"
        raise UserError(
            f"cannot write a checkpoint to {str(folder)!r} ({error.strerror}); {kept}, and the "
            "training can be resumed once there is room and permission"
        ) from error
    for left in folder.iterdir():
        if left.name not in (name, _STATE):
            left.unlink(missing_ok=True)


def load_checkpoint(folder: Path) -> Checkpoint | None:
    """The checkpoint in ``folder``, None when there is none; ``UserError`` when it is damaged."""
    path = folder / _STATE
    if not path.exists():
        return None
    try:
        state = json.loads(path.read_bytes())
        if state["format"] != FORMAT:
            raise UserError(
                f"checkpoint {str(folder)!r} has format {state['format']!r}; this version reads "
                f"format {FORMAT}"
            )
        tensors = load_tensors((folder / state["tensors"]).read_bytes())
        return Checkpoint(tensors, state["values"])
    except (OSError, SafetensorError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise UserError(
            f"checkpoint {str(folder)!r} cannot be read ({error}); remove the folder to train "
            "from the start"
        ) from error


def discard_checkpoint(folder: Path) -> None:
    """Remove the checkpoint, ``state.json`` first so that no half of one is ever read."""
    if not folder.is_dir():
        return
    (folder / _STATE).unlink(missing_ok=True)
    for left in folder.iterdir():
        left.unlink(missing_ok=True)
    folder.rmdir()


def training_tensors(
    model: nn.Module, optimizer: torch.optim.Optimizer, device: torch.device
) -> dict[str, Tensor]:
    """Weights, buffers, the optimizer's moments and the generators' states, by name."""
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"optimizer.{name}.{key}"] = value
    for name, value in generator_states(device).items():
        tensors[f"generator.{name}"] = value
    return tensors


def restore_training_tensors(
    tensors: Mapping[str, Tensor],
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    device: torch.device,
) -> None:
    """Put back what ``training_tensors`` returned."""
    model.load_state_dict(_under("model.", tensors))
    kept = _under("optimizer.", tensors)
    for name, parameter in model.named_parameters():
        state = _under(f"{name}.", kept)
        if state:
            # Fused AdamW wants its moments and its step count where the parameter is.
            optimizer.state[parameter] = {k: v.to(parameter.device) for k, v in state.items()}
    restore_generator_states(_under("generator.", tensors), device)


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file at ``path`` as a whole: other readers see the old or the new content.

    Raises ``OSError``; what was there is then still there, and nothing is left beside it.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    # The rename itself is on disk only once the folder is.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _storable(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Contiguous copies on the CPU: safetensors refuses tensors that share memory."""
    return {
        name: value.detach().to("cpu", copy=True).contiguous() for name, value in tensors.items()
    }


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
