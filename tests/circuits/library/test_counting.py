from __future__ import annotations

import numpy as np
import pytest
from exact_results import exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import evaluate_batch
from bestiary.circuits.library.counting import threshold
from bestiary.errors import UserError


def all_words(n):
    return np.array(list(np.ndindex(*[2] * n)))


@pytest.mark.parametrize("n", range(1, 11))
def test_parity_majority_and_counts_of_all_words(n):
    words = all_words(n)
    ones = words.sum(axis=1)
    assert (evaluate_batch(made("parity", n), words)[:, 0] == ones % 2).all()
    assert (evaluate_batch(made("signed-parity", n), 1 - 2 * words)[:, 0] == (-1) ** ones).all()
    assert (evaluate_batch(made("majority", n), words)[:, 0] == (2 * ones > n)).all()
    assert (evaluate_batch(made("count", n), words) == np.eye(n + 1)[ones]).all()


@pytest.mark.parametrize("n", range(1, 8))
def test_every_threshold_of_all_words(n):
    words = all_words(n)
    for least in range(n + 2):
        found = evaluate_batch(made("threshold", n, least=least), words)[:, 0]
        assert (found == (words.sum(axis=1) >= least)).all()


@few
@given(st.data(), st.integers(11, 40))
def test_counts_of_long_words_stay_bits(data, n):
    word = data.draw(vectors(n, st.integers(0, 1)))
    assert exact(made("count", n)(word)) == [int(k == sum(word)) for k in range(n + 1)]
    assert exact(made("parity", n)(word)) == sum(word) % 2


@pytest.mark.parametrize(("least", "said"), [(-1, "from 0 on"), (6, "at most 5, one more than n")])
def test_a_threshold_that_is_no_number_of_bits_is_refused(least, said):
    with pytest.raises(UserError, match=f"least is {least}; .*{said}"):
        threshold(4, least=least)
