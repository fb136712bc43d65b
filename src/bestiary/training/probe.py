"""What a linear map can read from each layer of a model: linear probes (Alain and Bengio, 2016).

A probe is fitted by ridge regression on some examples and scored on others (arXiv 1610.01644). It
says that a layer *holds* something where any later layer could read it by a matrix; not that one
does.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bestiary.errors import UserError

RIDGE = 1e-6
"""Of the mean square of the features: enough for channels that are 0 or copies of each other."""


@dataclass(frozen=True)
class Probe:
    """A linear map of features, float64. weight: (features, targets). bias: (targets,)."""

    weight: Tensor
    bias: Tensor

    def __call__(self, features: Tensor) -> Tensor:
        """(rows, features) to (rows, targets)."""
        return features.double() @ self.weight + self.bias


def fit_probe(features: Tensor, targets: Tensor, ridge: float = RIDGE) -> Probe:
    """The least-squares map from features (rows, features) to targets (rows, targets).

    Means are taken off both first, so that the bias is not shrunk. ``UserError`` where they have
    other numbers of rows, none, or features that are not finite.
    """
    if features.ndim != 2 or targets.ndim != 2 or len(features) != len(targets) or not len(targets):
        raise UserError(
            f"a probe was given features of shape {tuple(features.shape)} and targets of "
            f"{tuple(targets.shape)}; (rows, features) and (rows, targets) of as many rows are "
            "needed"
        )
    x, y = features.double(), targets.double()
    if not bool(x.isfinite().all()):
        raise UserError("a probe was given features that are infinite or no numbers")
    mean_x, mean_y = x.mean(0), y.mean(0)
    x, y = x - mean_x, y - mean_y
    gram = x.T @ x
    scale = float(gram.diagonal().mean()) if len(gram) else 0.0
    # A layer that is 0 throughout tells nothing, and its probe is the mean.
    gram.diagonal().add_(ridge * scale or 1.0)
    weight = torch.linalg.solve(gram, x.T @ y)
    return Probe(weight, mean_y - mean_x @ weight)


@torch.no_grad()
def layer_outputs(
    model: nn.Module, modules: Mapping[str, nn.Module], tokens: Tensor
) -> dict[str, Tensor]:
    """What each of ``modules`` gives while ``model`` reads tokens: (batch, length, channels) each.

    tokens: int64 (batch, length). modules: parts of the model, by what they are to be called.
    ``UserError`` for one that the model does not go through.
    """
    found: dict[str, Tensor] = {}
    was_training = model.training
    model.eval()
    with ExitStack() as hooks:
        for name, module in modules.items():

            def keep(_: nn.Module, __: object, output: Tensor, name: str = name) -> None:
                found[name] = output.detach()

            hooks.enter_context(module.register_forward_hook(keep))
        model(tokens)
    model.train(was_training)
    for name in modules:
        if name not in found:
            raise UserError(f"{name} was not called by the model; give parts that its forward uses")
    return {name: found[name] for name in modules}


def choice_accuracy(said: Tensor, wanted: Tensor) -> float:
    """Share of rows (rows, choices) whose largest number is at ``wanted``, int64 (rows,)."""
    return float((said.argmax(1) == wanted).double().mean())
