"""Solvers that a person might write, most with one thing that keeps them from being scored."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from bestiary.errors import UserError
from bestiary.solvers import Size
from bestiary.solvers.working import Working


class Sound(nn.Module):
    """Says 0 of whatever it is given, in a module without weights."""

    compiled = None

    def __init__(self, task):
        super().__init__()
        self.vocab_size = task.vocab_size
        self.size = Size(1, 2, 3, 0, 4, 5)

    def build(self):
        return self

    def forward(self, tokens, positions=None):
        logits = torch.zeros(*tokens.shape, self.vocab_size)
        logits[..., 0] = 1
        return logits if positions is None else logits.flatten(0, 1)[positions]

    def state_size(self, length):
        return 7

    def take_notes(self):
        return []


class NeedsMore(Sound):
    def __init__(self, task, more):
        super().__init__(task)


class TakesNoTask:
    def build(self):
        return None


class Refuses(Sound):
    def __init__(self, task):
        raise UserError("odd is 3; it must be even")


class BuildsNothing(Sound):
    def build(self):
        return {}


class BuildFails(Sound):
    def build(self):
        raise KeyError("mine")


class Bare(nn.Module):
    def __init__(self, task):
        super().__init__()

    def build(self):
        return self


class WrongSize(Sound):
    def __init__(self, task):
        super().__init__(task)
        self.size = (1, 2)


class HalfSize(Sound):
    def __init__(self, task):
        super().__init__(task)
        self.size = Size(1, 2.5, 3, 0, 4, 5)


class SizeFails(Sound):
    def __init__(self, task):
        nn.Module.__init__(self)
        self.vocab_size = task.vocab_size

    @property
    def size(self):
        return self.layers


class HalfState(Sound):
    def state_size(self, length):
        return length / 2


class WrongCompiled(Sound):
    compiled = "near"


class ForwardFails(Sound):
    def forward(self, tokens, positions=None):
        return super().forward(tokens, positions) @ torch.ones(3, 3)


class NoPositions(Sound):
    def forward(self, tokens):
        return super().forward(tokens)


class PositionsIgnored(Sound):
    def forward(self, tokens, positions=None):
        return super().forward(tokens)


class PositionsNeeded(Sound):
    def forward(self, tokens, positions):
        return super().forward(tokens, positions)


class WholeNumbers(Sound):
    def forward(self, tokens, positions=None):
        return super().forward(tokens, positions).long()


class NoNumbers(Sound):
    def forward(self, tokens, positions=None):
        return super().forward(tokens, positions) / 0 * 0


class SaysNothing(Sound):
    def forward(self, tokens, positions=None):
        return None


class OneNote(Sound):
    def take_notes(self):
        return "keys came twice"


class TellsSteps(Sound):
    def workings(self, tokens):
        numbers = tokens[0].double().numpy()[:, None]
        more = np.concatenate([numbers, numbers**2], 1)
        return (
            Working("input", "Tokens.", ("token",), numbers),
            Working("square", "Squares.", ("token", "square"), more, {"square": "token × token"}),
        )


class TellsTooFew(Sound):
    def workings(self, tokens):
        return [Working("input", "Tokens.", ("token",), np.zeros((2, 1)))]


class TellsText(Sound):
    def workings(self, tokens):
        return "tokens"


class TellsNothing(Sound):
    def workings(self, tokens):
        return tokens.nothing
