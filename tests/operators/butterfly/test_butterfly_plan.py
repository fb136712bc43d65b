"""Plans: how factors are merged, and that this is what is run."""

from __future__ import annotations

import logging

import pytest
import torch
from factor_matrices import random_twiddle

from bestiary.operators.butterfly import blocks, explain, multiply, plan_for
from bestiary.operators.butterfly import plan as module


@pytest.mark.parametrize("levels", [1, 3, 6, 7, 12, 15])
@pytest.mark.parametrize("batch", [1, 16, 256, 10_000])
def test_radices_multiply_to_n_and_stay_within_the_largest(levels, batch):
    plan = plan_for(1 << levels, batch, path="blocks")
    product = 1
    for radix in plan.radices:
        product *= radix
    assert product == 1 << levels
    assert max(plan.radices) <= module.COSTS["cpu"].most


def test_a_member_of_b_is_applied_from_the_lowest_bits_up_and_its_adjoint_down():
    up = plan_for(64, 4, ("falling",), radices=(4, 4, 4))
    down = plan_for(64, 4, ("rising",), radices=(4, 4, 4))
    assert [stage[0].field for stage in up.stages] == [2, 1, 0]
    assert [stage[0].field for stage in down.stages] == [0, 1, 2]


def test_neighbours_on_one_field_share_a_stage_unless_the_batch_is_small():
    large = plan_for(64, 100, ("falling", "rising"), radices=(8, 8))
    assert [[p.butterfly for p in stage] for stage in large.stages] == [[1], [1, 0], [0]]
    small = plan_for(64, 2, ("falling", "rising"), radices=(8, 8))
    assert len(small.stages) == 4


def test_one_vector_goes_by_factors_and_many_by_blocks():
    assert plan_for(4096, 1).path == "factors"
    assert plan_for(4096, 256).path == "blocks"
    assert "ms" in plan_for(4096, 256).reason
    assert plan_for(4096, 1, path="blocks").reason == "asked for"


def test_multiply_runs_the_plan_that_explain_names(monkeypatch):
    ran = []
    inner = blocks.merge_all
    from bestiary.operators.butterfly import operator

    monkeypatch.setattr(operator, "merge_all", lambda t, plan: ran.append(plan) or inner(t, plan))
    x, twiddle = torch.randn(256, 1024), random_twiddle(1024, ("falling",), dtype=torch.float32)
    plan = explain(x, twiddle)
    multiply(x, twiddle)
    assert ran == [plan] and plan == plan_for(1024, 256)


def test_the_plan_is_logged_once_for_a_size(caplog):
    module._plan.cache_clear()
    x, twiddle = torch.randn(64, 32), random_twiddle(32, ("falling",), dtype=torch.float32)
    with caplog.at_level(logging.DEBUG, "bestiary"):
        for _ in range(3):
            multiply(x, twiddle)
    (record,) = caplog.records
    assert "radices" in record.getMessage()


def test_other_devices_have_rules_of_their_own():
    assert plan_for(4096, 256, device="cuda") == plan_for(4096, 256, device="xpu")
    # Launches are dear there and arithmetic is not: few stages of large blocks.
    assert plan_for(4096, 4096, device="cuda").radices == (64, 64)
    assert len(plan_for(4096, 4096).radices) > 2
