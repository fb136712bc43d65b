"""A language model whose head is computed only where there is something to predict."""

from __future__ import annotations

from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bestiary.errors import UserError
from bestiary.mixers.registry import build_mixer
from bestiary.models.block import Block
from bestiary.models.config import ModelConfig
from bestiary.models.initialisation import initialise_embeddings


class LanguageModel(nn.Module):
    """Token (and position) embedding, pre-norm blocks, a final norm and the embedding as head.

    vocab_size: rows of the embedding. max_length: longest sequence the model will see; it sizes
    learned positions and any mixer that asks for it. Made from torch's global generator, as any
    module is; ``build_model`` makes the same weights from a seed and leaves that generator alone.
    """

    def __init__(self, config: ModelConfig, vocab_size: int, max_length: int) -> None:
        super().__init__()
        self.config = config
        self.vocab_size = vocab_size
        self.max_length = max_length
        d_model = config.d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        learned = config.positions == "learned"
        self.position_embedding = nn.Embedding(max_length, d_model) if learned else None
        mlp_hidden = round(config.mlp_expansion * d_model)
        self.blocks = nn.ModuleList(
            Block(build_mixer(spec, d_model, max_length), d_model, mlp_hidden, spec.name)
            for spec in config.layer_mixers
        )
        self.norm = nn.LayerNorm(d_model)
        initialise_embeddings(self.embedding, self.position_embedding, std=config.embedding_std)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Logits (len(positions), vocab_size), or (batch, length, vocab_size) without positions.

        tokens: int64 (batch, length). positions: int64 flat indices into batch · length.
        """
        return F.linear(self._final(tokens, positions), self.embedding.weight)

    def hidden(self, tokens: Tensor) -> Tensor:
        """What the head reads, (batch, length, d_model): the last block's output, normed."""
        return self._final(tokens, None)

    def state_size(self, length: int) -> int:
        """Elements all layers carry for one sequence after ``length`` positions."""
        return sum(cast(Block, block).mixer.state_size(length) for block in self.blocks)

    @property
    def parameter_count(self) -> int:
        """Trainable elements; the tied embedding counts once."""
        return sum(p.numel() for p in self.parameters() if p.requires_grad)

    def _final(self, tokens: Tensor, positions: Tensor | None) -> Tensor:
        x = self.embed(tokens)
        *body, last = self.blocks
        for block in body:
            x = block(x)
        return self.norm(last(x, positions))

    def embed(self, tokens: Tensor) -> Tensor:
        """What the first block reads, (batch, length, d_model)."""
        length = tokens.shape[1]
        x = self.embedding(tokens)
        if self.position_embedding is None:
            return x
        if length > self.max_length:
            raise UserError(
                f"a sequence of {length} tokens is longer than the {self.max_length} learned "
                "positions of this model"
            )
        return x + self.position_embedding.weight[:length]


def build_model(config: ModelConfig, vocab_size: int, max_length: int, seed: int) -> LanguageModel:
    """The model with the weights that ``seed`` gives; torch's global generator is left as it was.

    Raises ``UserError`` for an unknown mixer or option.
    """
    with torch.random.fork_rng(devices=[]):
        # Weights are made on the CPU; torch.manual_seed would seed every other device as well.
        torch.default_generator.manual_seed(seed)
        return LanguageModel(config, vocab_size, max_length)
