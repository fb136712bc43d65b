"""Plans of small steps run on one thread, others on as many as there are; both are put back."""

from __future__ import annotations

import pytest
import torch

from bestiary.circuits.tracing import traced
from bestiary.compile import compile_circuit
from bestiary.mixers.evaluation.threads import SMALL, threads_for


@pytest.fixture(autouse=True)
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_small_steps_take_one_thread_and_large_ones_all():
    with threads_for(SMALL - 1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
    with threads_for(SMALL):
        assert torch.get_num_threads() == 2


def test_threads_are_put_back_after_an_error():
    with pytest.raises(RuntimeError, match="within"), threads_for(0):
        raise RuntimeError("within")
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(("batch", "asked"), [(2, [1, 2]), (1 << 18, [])])
def test_a_compiled_stack_chooses_by_the_size_of_its_batch(batch, asked, monkeypatch):
    stack = compile_circuit(traced(lambda x, y: (x + y) * (x - y), {})).stack
    given = torch.full((batch, 1, 2), 3.0, dtype=torch.float64)
    calls = []
    monkeypatch.setattr(torch, "set_num_threads", calls.append)
    with torch.no_grad():
        assert (stack(given) == 0).all()
    assert calls == asked
