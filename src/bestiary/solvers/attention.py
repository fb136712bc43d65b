"""Attention: the two layers that trained transformers find, with weights set by hand.

Layer 1 looks one position back and copies the code of the token there, the *previous-token head*.
Layer 2 matches its own token against those copies and reads the token beside them, the *induction
head* (Olsson et al., 2022, arXiv 2209.11895): position j with u[j - 1] = u[i] says u[j].

The model is the ``LanguageModel`` that is trained, with ``Attention`` as its mixers, learned
positions and no MLP. Every feature is ±1 and stands in two channels, once as its negative: the
mean over channels is 0 and the norm known, so that LayerNorm does nothing that its weight does not
undo. Features: the bits of the token, of the token before (0 until layer 1 writes them), of the
position, of the position before, and whether this is the first position. The tied head reads the
bits of the token, over which layer 2 adds ``GAIN`` times those of the answer.

Scores are of such sizes that softmax leaves other positions below e^-16. A key that came twice has
two matches, and the codes of both values are averaged. With ``repeat`` the score of position j also
rises (``latest``) or falls (``first``) by ``STEP`` nats a position, a linear map of the position's
bits, and a match outweighs the whole ramp. The ramp is the sum of two, of the lower and the upper
half of those bits: numbers in bfloat16 have 8 bits, so that in a single one some neighbours among
more than 2^8 positions would be the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from bestiary.mixers.attention import Attention
from bestiary.mixers.registry import MixerSpec
from bestiary.models.block import Block
from bestiary.models.config import ModelConfig
from bestiary.models.language_model import LanguageModel, build_model
from bestiary.solvers.accepted import accepted_recall
from bestiary.solvers.attention_channels import Channels
from bestiary.solvers.attention_workings import attention_workings
from bestiary.solvers.protocol import Size
from bestiary.solvers.repeats import Repeat, RepeatTally, accepted_repeat
from bestiary.solvers.token_code import SHARPNESS, code_bits, token_codes
from bestiary.solvers.working import Working
from bestiary.tasks.protocol import Task

STEP = 16.0
"""Nats between neighbouring positions where repeats are decided."""

MATCH = 40.0
"""Nats by which a match outweighs what differs in one bit: 1,024 of those are below e^-33."""

GAIN = 4.0
"""What the answer's bits are multiplied by, against 1 of the token that asks."""


class AttentionSolver:
    """The solver: a two-layer attention model.

    task: mqar, associative-recall or induction, of up to 2^16 tokens, with examples of up to 1,024.
    repeat: which place of a key that came more than once before is answered, ``first`` or
    ``latest``. None is for keys that come once: the codes of all values are averaged, and
    ``take_notes`` says how often there was more than one.
    """

    def __init__(self, task: Task, repeat: Repeat | None = None) -> None:
        accepted = accepted_recall("attention", task)
        self.vocab_size, self.length = accepted.vocab_size, accepted.max_length
        self.repeat = None if repeat is None else accepted_repeat(repeat)

    def build(self) -> AttentionModel:
        """The whole model."""
        return AttentionModel(self.vocab_size, self.length, self.repeat)


class AttentionModel(nn.Module):
    """The language model whose weights solve recall; repeats as ``AttentionSolver`` has them."""

    meanings: ClassVar[Mapping[str, str]] = {
        "token": "the bits of a token's number, −1 or 1; after layer 2 those of the answer as well",
        "previous": "the bits of the token before, 0 until layer 1 writes them",
        "place": "the bits of a row's number",
        "place before": "the bits of the number of the row before",
        "first": "1 in the first row, −1 elsewhere",
        "back": "the weight on the row so far above",
        "match": "the weight on the row that follows the one so far above, 1 where that is the "
        "only one of the same token; without any it is shared by those most alike",
    }

    def __init__(self, vocab_size: int, length: int, repeat: Repeat | None = None) -> None:
        super().__init__()
        self.repeat = repeat
        self.channels = channels = Channels(code_bits(vocab_size), code_bits(length))
        mixer = MixerSpec("attention", {"bias": True})
        config = ModelConfig(d_model=channels.width, n_layers=2, mixers=(mixer,))
        self.model = build_model(config, vocab_size, length, seed=0)
        self.requires_grad_(False)
        for name, parameter in self.model.named_parameters():
            parameter.fill_(1.0 if name.endswith("norm.weight") else 0.0)
        _set_embeddings(self.model, channels)
        previous, induction = (cast(Block, block) for block in self.model.blocks)
        _set_previous_token_head(previous, channels)
        _set_induction_head(induction, channels, repeat)
        _set_head(self.model, channels)
        self._tally = RepeatTally()

    @property
    def vocab_size(self) -> int:
        """See ``SolverModel``."""
        return self.model.vocab_size

    @property
    def compiled(self) -> None:
        """None: no program was compiled."""
        return None

    @property
    def size(self) -> Size:
        """See ``SolverModel``; the tied embedding counts once."""
        weights = list(self.model.parameters())
        return Size(
            layers=len(self.model.blocks),
            width=self.model.config.d_model,
            rows=self.model.max_length,
            delay=0,
            parameters=sum(int(weight.count_nonzero()) for weight in weights),
            dense=sum(weight.numel() for weight in weights),
        )

    def state_size(self, length: int) -> int:
        """The keys and values of both layers."""
        return self.model.state_size(length)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """See ``SolverModel``."""
        if self.repeat is None:
            self._tally.add(tokens, positions)
        return self.model(tokens, positions)

    def workings(self, tokens: Tensor) -> tuple[Working, ...]:
        """See ``HasWorkings``."""
        return attention_workings(self.model, self.channels, tokens)

    def take_notes(self) -> list[str]:
        """How many positions had more than one match."""
        return self._tally.take("the codes of the values at all its places were averaged")


def _set_embeddings(model: LanguageModel, channels: Channels) -> None:
    """Tokens in the channels of the token, positions in all of their own."""
    model.embedding.weight.copy_(channels.both(channels.token, token_codes(model.vocab_size)))
    places = token_codes(model.max_length)
    before = torch.cat([places[:1], places[:-1]])
    first = torch.full((len(places), 1), -1.0)
    first[0] = 1
    at_first = slice(channels.first, channels.first + 1)
    assert model.position_embedding is not None
    model.position_embedding.weight.copy_(
        channels.both(channels.place, places)
        + channels.both(channels.before, before)
        + channels.both(at_first, first)
    )


def _set_previous_token_head(block: Block, channels: Channels) -> None:
    """Query: the position before. Key: the position. Value: the token, written to ``previous``.

    The first position has none before it and reads itself.
    """
    # The channels of the previous token are still 0.
    _undo_norm(block, 1 - 2 * _width(channels.previous) / channels.width)
    query, key, value, out = _projections(block.mixer)
    bits = _width(channels.place)
    query[:bits, channels.before] = MATCH / 2 * channels.width**0.5 * torch.eye(bits)
    key[:bits, channels.place] = torch.eye(bits)
    _copy_token(value, out, channels, channels.previous, 1.0)


def _set_induction_head(block: Block, channels: Channels, repeat: Repeat | None) -> None:
    """Query: the token. Key: the one before. Value: the token, added to ``token``.

    Three more dimensions, in which all queries are the same, add to the score of a position: minus
    a match at the first, whose previous token is none, and the two ramps that decide repeats.
    """
    _undo_norm(block, 1.0)
    query, key, value, out = _projections(block.mixer)
    bits, place_bits = _width(channels.token), _width(channels.place)
    step = {None: 0.0, "latest": STEP, "first": -STEP}[repeat]
    # Twice the ramp, so that a match outweighs it whatever bfloat16 rounds either to.
    match = MATCH + 2 * abs(step) * 2**place_bits
    scale = channels.width**0.5
    query[:bits, channels.token] = match / 2 * scale * torch.eye(bits)
    key[:bits, channels.previous] = torch.eye(bits)
    bias = block.mixer.projections.inward.bias
    bias[bits : bits + 3] = scale
    # ±1 bits of weight 2^k / 2 sum up to the position and a constant.
    ramp = step / 2 * 2.0 ** torch.arange(place_bits)
    lower = place_bits // 2
    key[bits, channels.place][:lower] = ramp[:lower]
    key[bits + 1, channels.place][lower:] = ramp[lower:]
    key[bits + 2, channels.first] = -match
    _copy_token(value, out, channels, channels.token, GAIN)


def _set_head(model: LanguageModel, channels: Channels) -> None:
    """The norm reads the token's channels alone, at a scale that makes logits ``SHARPNESS``."""
    bits = _width(channels.token)
    # Where a bit of the token is that of the answer the channel is largest, and the norm with it.
    rest = (channels.count - bits) / channels.count
    largest = ((1 + GAIN) ** 2 * bits / channels.count + rest) ** 0.5
    # Tokens that differ in a bit differ by 2 · (GAIN - 1) in each of its two channels at least.
    weight = 2 * SHARPNESS * largest / (4 * (GAIN - 1))
    model.norm.weight.copy_(weight * channels.both(channels.token, torch.ones(1, bits))[0].abs())


def _undo_norm(block: Block, variance: float) -> None:
    """The norm of a block gives back what comes in, whose mean over channels is 0."""
    block.mixer_norm.weight.fill_((variance + block.mixer_norm.eps) ** 0.5)


def _projections(mixer: Attention) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The matrices of queries, keys, values and outputs, (d_model, d_model) each, to be set."""
    query, key, value = mixer.projections.inward.weight.detach().chunk(3)
    return query, key, value, mixer.projections.outward.weight.detach()


def _copy_token(value: Tensor, out: Tensor, channels: Channels, to: slice, gain: float) -> None:
    """The values are the token's bits, and ``gain`` times those are written to ``to``."""
    bits = _width(channels.token)
    value[:bits, channels.token] = torch.eye(bits)
    out[:, :bits] = channels.both(to, gain * torch.eye(bits)).T


def _width(features: slice) -> int:
    return features.stop - features.start
