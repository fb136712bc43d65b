"""What a solver is: recall by weights that are set by hand instead of trained.

A solver is made as ``Class(task, **options)``, which is quick and raises ``UserError`` in one
sentence for a task or an option it cannot serve. ``build()`` gives the whole model, which reads
tokens and gives logits as a trained ``LanguageModel`` does, so that both are scored on the same
examples by the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

    from bestiary.compile.compiling import Compiled


@dataclass(frozen=True)
class Size:
    """How large a compiled model is.

    layers: between the embedding and the head. width: d', channels of the inner array. rows: N'.
    delay: the answer of row t is read from row t + delay. parameters: entries of all weights,
    embedding and head included, other than 0. dense: entries of the same weights held as whole
    arrays.
    """

    layers: int
    width: int
    rows: int
    delay: int
    parameters: int
    dense: int


@runtime_checkable
class SolverModel(Protocol):
    """A whole model with weights set by hand; a torch module that is evaluated and not trained."""

    @property
    def vocab_size(self) -> int:
        """Tokens and logits are of this many."""
        ...

    @property
    def size(self) -> Size:
        """Layers, channels, rows and parameters."""
        ...

    @property
    def compiled(self) -> Compiled | None:
        """The program and the stack it was compiled to, to be explained; None where it has none."""
        ...

    def __call__(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Logits (len(positions), vocab_size), or (batch, length, vocab_size) without positions.

        tokens: int64 (batch, length). positions: int64 flat indices into batch · length.
        """
        ...

    def state_size(self, length: int) -> int:
        """Elements carried for one sequence after ``length`` positions."""
        ...

    def take_notes(self) -> list[str]:
        """What a reader of the scores should know of the inputs since the last call, in sentences.

        Empty where there is nothing to say; ``accuracy < 1`` is not a note but a score.
        """
        ...


@runtime_checkable
class Solver(Protocol):
    """Made as ``Class(task, **options)``."""

    def build(self) -> SolverModel:
        """The whole model, in float32."""
        ...
