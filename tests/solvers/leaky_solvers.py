"""Solvers that read the future, each in another way, and some that only look as if they did."""

from __future__ import annotations

import torch
from odd_solvers import Sound
from torch.nn import functional


class Recall(Sound):
    """Attention on one-hot tokens: what followed the places where the token stood."""

    def forward(self, tokens, positions=None):
        logits = self.logits(tokens)
        return logits if positions is None else logits.flatten(0, 1)[positions]

    def one_hot(self, tokens):
        return functional.one_hot(tokens, self.vocab_size).float()

    def scores(self, tokens):
        token = self.one_hot(tokens)
        before = functional.pad(token[:, :-1], (0, 0, 1, 0))
        return token @ before.mT

    def logits(self, tokens):
        return 32 * self.scores(tokens).tril() @ self.one_hot(tokens)


class OneSide(Recall):
    pass


class BothSides(Recall):
    """Says the same as ``OneSide`` unless the token comes again after its answer is asked."""

    def logits(self, tokens):
        scores = self.scores(tokens).tril() + self.scores(tokens).triu(2)
        return 32 * scores @ self.one_hot(tokens)


class NextToken(Recall):
    def logits(self, tokens):
        return self.one_hot(tokens.roll(-1, 1))


class NextFarFromZero(Recall):
    """A number added to all logits changes no answer."""

    def logits(self, tokens):
        return 32 * self.one_hot(tokens.roll(-1, 1)) + 1e5


class FarFromZero(Recall):
    def logits(self, tokens):
        return super().logits(tokens) + 1e5 + torch.rand(tokens.shape[1])[:, None]


class NextAmongRuledOut(Recall):
    def logits(self, tokens):
        logits = self.one_hot(tokens.roll(-1, 1))
        logits[..., : self.vocab_size // 2] = -1e9
        return logits


class LastOfAll(Recall):
    def logits(self, tokens):
        last = self.one_hot(tokens)[:, -1:]
        return super().logits(tokens) + last


class Rounded(Recall):
    """Off by what float32 rounds, other than that of ``OneSide``."""

    def logits(self, tokens):
        logits = super().logits(tokens)
        return logits + 1e-5 * tokens.double().sum().sin().float()


class Halved(Recall):
    def logits(self, tokens):
        return (super().logits(tokens) * (1 + 1e-3 * tokens.double().sum().sin())).bfloat16()


class RulesOut(Recall):
    """Half of the tokens are said never to be an answer, in logs of shares."""

    def logits(self, tokens):
        logits = super().logits(tokens)
        logits[..., : self.vocab_size // 2] = -torch.inf
        return logits.log_softmax(-1)


class Picky(Recall):
    """Takes whole examples alone: here the first one of each length."""

    def logits(self, tokens):
        self.known = getattr(self, "known", {})
        if not torch.equal(tokens, self.known.setdefault(tokens.shape[1], tokens)):
            raise ValueError("no example of the task")
        return super().logits(tokens)


class Draws(Recall):
    """Breaks ties at random."""

    def logits(self, tokens):
        return super().logits(tokens) + torch.rand(self.vocab_size)
