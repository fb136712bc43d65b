"""What a sequence mixer is.

A mixer is a plain ``nn.Module`` made by ``Class(d_model, **its_own_options)``. An option named
``max_length`` is filled in by whoever builds the model (the longest sequence it will see) unless
it is given; every other option has a default.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from torch import Tensor

State = Any
"""A tensor, or a tuple / list / dict of such. Floating-point tensors have the batch first and count
towards the state size; integer tensors and Python ints are bookkeeping (a position) and do not."""


@runtime_checkable
class Mixer(Protocol):
    """(batch, length, d_model) → (batch, length, d_model), causal, any length from 1 up."""

    def __call__(self, x: Tensor) -> Tensor:
        """Outputs for x, both (batch, length, d_model)."""
        ...

    def state_size(self, length: int) -> int:
        """Floating-point elements one sequence must carry to go on after ``length`` positions."""
        ...


@runtime_checkable
class RecurrentMixer(Mixer, Protocol):
    """A mixer that can also go position by position.

    ``forward(x)`` returns y; ``forward(x, state)`` starts from ``state`` and returns
    ``(y, new_state)``. ``step`` takes one position, (batch, d_model). After ``length`` positions
    the state holds exactly ``state_size(length)`` floating-point elements a sequence.
    """

    def initial_state(self, batch: int) -> State:
        """The state before anything was read."""
        ...

    def step(self, x_t: Tensor, state: State) -> tuple[Tensor, State]:
        """Output (batch, d_model) for one position, and the state after it."""
        ...

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """Outputs for x; with a state, (outputs, state after x)."""
        ...
