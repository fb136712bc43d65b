"""From (batch, length, d_model) to the queries, keys and values of every head, and back."""

from __future__ import annotations

from torch import Tensor, nn

from bestiary.errors import UserError


def head_width(width: int, heads: int) -> int:
    """Return ``width / heads``; raise ``UserError`` when the heads don't divide the width."""
    if heads < 1 or width % heads:
        raise UserError(f"heads is {heads}; it must be at least 1 and divide the width {width}")
    return width // heads


class HeadProjections(nn.Module):
    """The linear maps around an attention-like operation.

    d_model: width of what comes in and goes out. heads: number of heads.
    key_dim, value_dim: width of one head's queries and keys, and of its values.
    bias: whether the maps have one.

    Weights start normal with standard deviation 1 / sqrt(fan in), so that an input of unit variance
    gives queries, keys and values of unit variance; biases start at 0.
    """

    def __init__(self, d_model: int, heads: int, key_dim: int, value_dim: int, bias: bool) -> None:
        super().__init__()
        self.heads = heads
        self.key_dim = key_dim
        self.value_dim = value_dim
        self.inward = nn.Linear(d_model, heads * (2 * key_dim + value_dim), bias=bias)
        self.outward = nn.Linear(heads * value_dim, d_model, bias=bias)
        for linear in (self.inward, self.outward):
            nn.init.normal_(linear.weight, std=linear.in_features**-0.5)
            if linear.bias is not None:
                nn.init.zeros_(linear.bias)

    def split(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each (batch, heads, length, dim), of x (batch, length, d)."""
        keys, values = self.heads * self.key_dim, self.heads * self.value_dim
        parts = self.inward(x).split([keys, keys, values], dim=-1)
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        return query, key, value

    def merge(self, y: Tensor) -> Tensor:
        """Outputs (batch, length, d_model) of what the heads read, (batch, heads, length, dim)."""
        return self.outward(y.transpose(1, 2).flatten(2))

    def empty(self, batch: int, dim: int) -> Tensor:
        """A (batch, heads, 0, dim) tensor of the weights' dtype and device, to be appended to."""
        return self.inward.weight.new_empty(batch, self.heads, 0, dim)
