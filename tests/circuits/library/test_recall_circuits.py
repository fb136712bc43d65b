from __future__ import annotations

from exact_results import bit_rows, exact, few, made, vectors
from hypothesis import given
from hypothesis import strategies as st


@few
@given(st.data(), st.integers(1, 12), st.integers(1, 3))
def test_an_induction_head_copies_what_followed_the_latest_like_token(data, n, bits):
    tokens = data.draw(vectors(n, st.integers(0, 2**bits - 1)))
    expected = [0] * n
    for t in range(n):
        earlier = [j for j in range(t) if tokens[j] == tokens[t]]
        if earlier:
            expected[t] = tokens[earlier[-1] + 1]
    found = exact(made("induction-head", n, bits=bits)(bit_rows(tokens, bits)))
    assert found == bit_rows(expected, bits)


@few
@given(st.data(), st.integers(1, 12), st.integers(1, 2), st.integers(1, 14))
def test_selective_copying_keeps_flagged_tokens_in_order(data, n, bits, keep):
    flags = data.draw(vectors(n, st.integers(0, 1)))
    tokens = data.draw(vectors(n, st.integers(0, 2**bits - 1)))
    kept = [token for flag, token in zip(flags, tokens, strict=True) if flag]
    expected = (kept + [0] * keep)[:keep]
    circuit = made("selective-copy", n, bits=bits, keep=keep)
    assert exact(circuit(flags, bit_rows(tokens, bits))) == bit_rows(expected, bits)


@few
@given(st.data(), st.integers(1, 8))
def test_associative_recall_gives_the_value_of_the_key_or_zero(data, n):
    keys = data.draw(st.permutations(range(8)))[:n]
    values = data.draw(vectors(n, st.integers(0, 3)))
    asked = data.draw(vectors(3, st.integers(0, 7)))
    pairs = dict(zip(keys, values, strict=True))
    circuit = made("associative-recall", n, bits=3, value_bits=2, queries=3)
    found = exact(circuit(bit_rows(keys, 3), bit_rows(values, 2), bit_rows(asked, 3)))
    assert found == bit_rows([pairs.get(key, 0) for key in asked], 2)


def test_values_of_equal_keys_add_up():
    found = made("associative-recall", 2, bits=1, queries=1)([[1], [1]], [[1, 0, 0]] * 2, [[1]])
    assert exact(found) == [[2, 0, 0]]
