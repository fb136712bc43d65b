"""Plans: which path is taken and why, and that it is the one taken."""

from __future__ import annotations

import logging

import pytest
import torch

from bestiary.operators import conv, explain, plan_for
from bestiary.operators.convolution import plan as module
from bestiary.operators.convolution import shifts, spectral, toeplitz


def sizes(batch, length, channels, taps):
    return torch.randn(batch, length, channels), torch.randn(taps, channels)


@pytest.mark.parametrize(
    ("length", "taps", "path", "product"),
    [
        (512, 3, "direct", "shifts"),
        (32, 32, "direct", "toeplitz"),
        (512, 512, "fft", ""),
        (16_384, 64, "chunked", ""),
        (16_384, 16_384, "fft", ""),
    ],
)
def test_each_kind_of_size_has_its_path(length, taps, path, product):
    plan = plan_for(4, length, 8, taps)
    assert (plan.path, plan.product) == (path, product)
    assert str(taps) in plan.reason or str(length) in plan.reason


@pytest.mark.parametrize(("length", "taps"), [(100, 2), (50, 30), (200, 100), (3000, 20)])
@pytest.mark.parametrize("path", ["auto", "direct", "fft", "chunked"])
def test_conv_runs_the_product_that_explain_names(length, taps, path, monkeypatch):
    ran: list[tuple[str, object]] = []
    for name, way in (("shifts", shifts), ("toeplitz", toeplitz), ("", spectral)):
        inner = way.forward

        def spy(u, h, geometry, plan, name=name, inner=inner):
            ran.append((name, plan))
            return inner(u, h, geometry, plan)

        monkeypatch.setattr(way, "forward", spy)
    u, h = sizes(2, length, 3, taps)
    plan = explain(u, h, path=path)
    conv(u, h, path=path)
    assert ran == [(plan.product, plan)]
    assert path in ("auto", plan.path)
    assert plan == plan_for(2, length, 3, taps, path=path)
    assert plan == explain(u.mT, h.mT, path=path, time_last=True)


def test_the_chosen_path_is_logged_once_for_a_size(caplog):
    module._plan.cache_clear()
    with caplog.at_level(logging.DEBUG, "bestiary"):
        for _ in range(3):
            conv(*sizes(2, 77, 3, 77))
    (record,) = caplog.records
    assert "path='fft'" in record.getMessage() and "length 77 above 64" in record.getMessage()


def test_an_fft_is_long_enough_that_nothing_wraps_around():
    assert plan_for(1, 100, 1, 100).fft_size >= 199
    # Entries before and after the outputs of a two-sided filter may alias with each other.
    assert 199 <= plan_for(1, 100, 1, 199, "bidirectional").fft_size < 298


def test_a_circular_transform_is_as_long_as_the_sequence_unless_that_is_slow():
    assert plan_for(1, 96, 1, 96, "circular").fft_size == 96
    assert plan_for(1, 97, 1, 97, "circular").fft_size >= 97 + 96


def test_taps_out_of_reach_do_not_enter_the_plan():
    assert plan_for(2, 100, 3, 1000) == plan_for(2, 100, 3, 100)


def test_a_tile_of_a_transform_stays_near_its_bound(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    for batch, length, channels in [(64, 512, 256), (1, 16_384, 64), (64, 32, 64), (3, 100, 5)]:
        plan = plan_for(batch, length, channels, length, path="fft")
        assert 1 <= plan.rows <= batch and 1 <= plan.channels <= channels
        tile = plan.rows * plan.channels * plan.fft_size * 4
        assert tile <= max(4 << 20, min(channels, 16) * plan.fft_size * 4)
        assert tile <= 1 << 20 or plan.rows == 1


def test_a_tile_grows_with_the_threads_that_share_it(monkeypatch):
    rows = []
    for threads in (1, 2, 4):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        rows.append(plan_for(64, 512, 64, 512).rows)
    assert rows == [4, 8, 16]


def test_other_devices_have_rules_of_their_own():
    cpu, gpu = (plan_for(64, 512, 256, 512, device=d) for d in ("cpu", "cuda"))
    assert gpu.path == "fft" and (gpu.rows, gpu.channels) == (64, 256)
    assert cpu.rows < 64
    assert plan_for(1, 16_384, 256, 16_384).channels < 256
    assert plan_for(64, 48, 64, 48).path == "direct"
    assert plan_for(64, 48, 64, 48, device="cuda").path == "fft"
    assert plan_for(64, 48, 64, 48, device="xpu").path == "fft"
