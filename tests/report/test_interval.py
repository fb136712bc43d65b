import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bestiary.report.interval import Interval, mean_interval


def test_the_interval_is_students() -> None:
    values = [0.50, 0.55, 0.58, 0.52]
    interval = mean_interval(values)
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert interval.mean == pytest.approx(np.mean(values), abs=1e-15)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)


def test_three_seeds_have_the_quantile_of_two_degrees_of_freedom() -> None:
    # 4.3027 from a printed table; s = 0.1, so the half width is 4.3027 * 0.1 / sqrt(3).
    interval = mean_interval([0.4, 0.5, 0.6])
    assert interval.high == pytest.approx(0.5 + 4.3027 * 0.1 / 3**0.5, abs=1e-4)


def test_one_seed_has_no_interval() -> None:
    assert mean_interval([0.3]) == Interval(0.3, None, None)


def test_seeds_that_agree_have_an_interval_of_no_width() -> None:
    assert mean_interval([1.0, 1.0, 1.0]) == Interval(1.0, 1.0, 1.0)


def test_no_seed_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=50)
def test_bounds_hold_the_mean_and_stay_accuracies(values: list[float]) -> None:
    interval = mean_interval(values)
    low, high = interval.bounds
    assert 0 <= low <= interval.mean + 1e-12 and interval.mean - 1e-12 <= high <= 1


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (Interval(0.8, 0.75, 0.85), False),
        (Interval(0.8, 0.6, 1.0), True),
        (Interval(0.55, None, None), True),
        (Interval(0.7, None, None), False),
    ],
)
def test_overlap_is_a_shared_point(other: Interval, shared: bool) -> None:
    interval = Interval(0.5, 0.4, 0.6)
    assert interval.overlaps(other) is shared
    assert other.overlaps(interval) is shared
