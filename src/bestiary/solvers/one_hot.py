"""Tokens as one-hot vectors, held by their structure: a diagonal in place of a V × V matrix."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bestiary.solvers.token_code import SHARPNESS


class OneHotHead(nn.Module):
    """Logits of one-hot answers: the diagonal times the sum of those of a query.

    A query with one answer gets 2 · ``SHARPNESS`` there and 0 elsewhere; one without any is 0
    throughout, which says nothing. Answers are added up in float32 at least: bfloat16 cannot tell
    more than 256 of them from one more.
    """

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        self.diagonal = nn.Parameter(torch.full((vocab_size,), 2 * SHARPNESS))
        self.requires_grad_(False)

    @property
    def parameters_of_ends(self) -> tuple[int, int]:
        """Of the one-hot embedding and this head: entries other than 0, and as whole arrays."""
        vocab_size = len(self.diagonal)
        return 2 * vocab_size, 2 * vocab_size**2

    def forward(self, queries: Tensor, answers: Tensor, count: int) -> Tensor:
        """Logits (count, vocab_size) where query ``queries[i]`` has the answer ``answers[i]``.

        queries, answers: int64, of one length; what is listed twice counts twice.
        """
        diagonal = self.diagonal.to(torch.promote_types(self.diagonal.dtype, torch.float32))
        logits = diagonal.new_zeros(count, len(diagonal))
        return logits.index_put_((queries, answers), diagonal[answers], accumulate=True)
