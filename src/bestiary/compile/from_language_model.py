"""Whole language models whose mixers are compiled: same logits, same recall."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from bestiary.compile.compiling import Compiled
from bestiary.compile.conversion import Layout, converted
from bestiary.compile.gated_form import HasGatedForm
from bestiary.errors import UserError, counted
from bestiary.mixers.base_conv import BaseConv
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.h3 import H3
from bestiary.mixers.hyena import Hyena
from bestiary.mixers.short_conv import ShortConv
from bestiary.models.block import Block
from bestiary.models.language_model import LanguageModel

COMPILED = (Hyena, H3, ShortConv, BaseConv, BaseConvStack, HasGatedForm)
MOST_LOGIT_DIFFERENCE = 1e-8
PROBED = 8
"""Sequences of random tokens a length that logits are compared on."""


@dataclass(frozen=True)
class CompiledBlock:
    """One block: what its mixer was and what it became, None where it was kept.

    error: of the stack against the mixer, relative, in float64.
    """

    block: int
    mixer: str
    compiled: Compiled | None = None
    error: float | None = None

    def __str__(self) -> str:
        if self.compiled is None:
            return f"block {self.block}: {self.mixer}, kept"
        stack = self.compiled.stack
        layers = counted(len(stack.layers), "BaseConv layer")
        return (
            f"block {self.block}: {self.mixer} → {layers}, width {stack.width}, "
            f"{stack.inner_length} rows, error {self.error:.1e}"
        )


@dataclass(frozen=True)
class CompiledLanguageModel:
    """A language model with compiled mixers, float64, for sequences of up to ``length`` tokens.

    difference: the largest of any logit from the original model's in float64.
    """

    model: LanguageModel
    length: int
    blocks: tuple[CompiledBlock, ...]
    difference: float

    def __repr__(self) -> str:
        """A line a block; the model, as any other of torch, says more of itself."""
        return f"{type(self).__name__} of up to {self.length} tokens\n{self}"

    def __str__(self) -> str:
        last = f"largest difference of a logit: {self.difference:.1e}"
        return "\n".join([*map(str, self.blocks), last])


def language_model(
    model: LanguageModel, length: int | None = None, layout: Layout = "channel"
) -> CompiledLanguageModel:
    """A copy of a trained model in which every gated convolution is a stack of BaseConv layers.

    length: the longest sequence it is to take, the model's ``max_length`` unless given. Mixers that
    are no gated convolutions, such as attention, are kept as they are. The model that is given is
    not changed; the copy is float64 and evaluates as any ``LanguageModel``.

    ``UserError`` where no mixer can be compiled, where one differs from its stack (``gated``), and
    where a logit differs from the model's own in float64 by more than 1e-8.
    """
    length = model.max_length if length is None else length
    if model.position_embedding is not None and length > model.max_length:
        raise UserError(
            f"a model of {model.max_length} learned positions cannot be compiled for {length}"
        )
    reference = copy.deepcopy(model).to("cpu", torch.float64).eval()
    made = copy.deepcopy(reference)
    blocks = []
    for number, block in enumerate(made.blocks):
        name, mixer = cast(Block, block).name, cast(Block, block).mixer
        if not isinstance(mixer, COMPILED):
            blocks.append(CompiledBlock(number, name))
            continue
        done = converted(cast(nn.Module, mixer), length, layout, f"{name} of block {number}")
        blocks.append(CompiledBlock(number, name, done.compiled, done.error))
        block.mixer = done.compiled.stack
    if all(block.compiled is None for block in blocks):
        names = ", ".join(dict.fromkeys(block.mixer for block in blocks))
        raise UserError(
            f"a model of {names} has no mixer to compile (accepted: Hyena, H3, ShortConv, "
            "BaseConv, and any mixer with gated_form(length))"
        )
    difference = logit_difference(made, reference, length)
    if not difference <= MOST_LOGIT_DIFFERENCE:
        raise UserError(
            f"a logit of the compiled model differs by {difference:.2e} from the model's own; at "
            f"most {MOST_LOGIT_DIFFERENCE:.0e} is allowed"
        )
    return CompiledLanguageModel(made, length, tuple(blocks), difference)


def logit_difference(made: LanguageModel, reference: LanguageModel, length: int) -> float:
    """max |logit - logit| over random tokens, at the whole length and at shorter ones."""
    with torch.no_grad():
        return max(
            float((made(tokens) - reference(tokens)).abs().max())
            for tokens in token_probes(reference.vocab_size, length)
        )


def token_probes(vocab_size: int, length: int) -> Iterator[Tensor]:
    """Random tokens, (``PROBED``, rows), of every length that is tried."""
    generator = torch.Generator().manual_seed(0)
    for rows in sorted({1, (length + 1) // 2, length}):
        yield torch.randint(vocab_size, (PROBED, rows), generator=generator)
