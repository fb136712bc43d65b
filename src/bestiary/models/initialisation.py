"""Weights at the start, where the model and not the mixer decides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

if TYPE_CHECKING:
    from bestiary.models.language_model import LanguageModel


def initialise_embeddings(model: LanguageModel, std: float) -> None:
    """Draw token and position embeddings from N(0, std²).

    Recall by attention begins with a head that finds equal tokens, so how far embeddings stand
    apart from each other at the start decides how long that takes to form (docs/training.md).
    """
    nn.init.normal_(model.embedding.weight, std=std)
    if model.position_embedding is not None:
        nn.init.normal_(model.position_embedding.weight, std=std)
