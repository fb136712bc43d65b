"""Weights at the start, where the model and not the mixer decides them."""

from __future__ import annotations

from torch import nn


def initialise_embeddings(*embeddings: nn.Embedding | None, std: float) -> None:
    """Draw token and position embeddings from N(0, std²); None stands for one that is not there.

    Recall by attention begins with a head that finds equal tokens, so how far embeddings stand
    apart from each other at the start decides how long that takes to form (docs/training.md).
    """
    for embedding in embeddings:
        if embedding is not None:
            nn.init.normal_(embedding.weight, std=std)
