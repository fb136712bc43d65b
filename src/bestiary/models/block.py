"""One layer of a language model: a sequence mixer and, where asked for, an MLP."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from bestiary.errors import UserError


class MLP(nn.Module):
    """Two linear maps with a GELU between them; works on the last axis alone."""

    def __init__(self, d_model: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(d_model, hidden)
        self.activation = nn.GELU()
        self.down = nn.Linear(hidden, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """(..., d_model) → (..., d_model)."""
        return self.down(self.activation(self.up(x)))


class Block(nn.Module):
    """x + mixer(norm(x)), then x + mlp(norm(x)) when ``mlp_hidden`` is above 0.

    Raises ``UserError`` when the mixer has no ``state_size`` or changes the shape.
    """

    def __init__(self, mixer: nn.Module, d_model: int, mlp_hidden: int, name: str = "") -> None:
        super().__init__()
        self.name = name or type(mixer).__name__
        if not callable(getattr(mixer, "state_size", None)):
            raise UserError(
                f"mixer {self.name!r} has no state_size(length); it must give the elements "
                "one sequence carries after that many positions"
            )
        self.mixer_norm = nn.LayerNorm(d_model)
        self.mixer: Any = mixer
        self.mlp_norm = nn.LayerNorm(d_model) if mlp_hidden else None
        self.mlp = MLP(d_model, mlp_hidden) if mlp_hidden else None

    def forward(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        """(batch, length, d_model) → the same, or (len(positions), d_model).

        positions: int64 flat indices into batch · length. Only the mixer looks along the
        sequence, so whatever follows the last mixer need not be done anywhere else.
        """
        mixed = self.mixer(self.mixer_norm(x))
        if not isinstance(mixed, Tensor) or mixed.shape != x.shape:
            got = tuple(mixed.shape) if isinstance(mixed, Tensor) else type(mixed).__name__
            raise UserError(
                f"mixer {self.name!r} returned {got} for an input of shape {tuple(x.shape)}; "
                "it must return a tensor of the same shape"
            )
        x = x + mixed
        if positions is not None:
            x = x.flatten(0, 1).index_select(0, positions)
        if self.mlp is not None and self.mlp_norm is not None:
            x = x + self.mlp(self.mlp_norm(x))
        return x
