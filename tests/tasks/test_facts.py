from math import log10, sqrt

import numpy as np
import pytest

from bestiary.tasks.facts import measure
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment

# Rates measured in a published generator, one seed each: vocabulary, length, pairs, examples,
# filler that is a key, its mean per example, examples with any, queries behind a lookalike.
PUBLISHED = [
    (256, 64, 4, 3000, 0.0156, 0.81, 0.557, 0.0479),
    (256, 64, 8, 3000, 0.0317, 1.27, 0.718, 0.0433),
    (256, 128, 8, 2000, 0.0315, 3.27, 0.959, 0.0894),
    (256, 254, 16, 1000, 0.0632, 13.03, 1.0, 0.155),
    (8192, 64, 4, 3000, 0.00053, 0.027, 0.027, 0.00175),
    (8192, 64, 16, 3000, 0.00181, 0.029, 0.028, 0.00098),
    (8192, 256, 16, 1000, 0.00194, 0.40, 0.331, 0.0058),
    (8192, 512, 64, 500, 0.00768, 2.46, 0.914, 0.0113),
    (8192, 1024, 64, 200, 0.00788, 6.56, 1.0, 0.0241),
]


def close(ours, published, count, chance=None):
    """Two shares of ``count`` each (chance: the true share, if known) within 5 sigma."""
    p = published if chance is None else chance
    # The table is rounded to three digits; one event more or less must not decide.
    sigma = sqrt(max(p * (1 - p), 1 / count) / count)
    return abs(ours - published) <= 5 * sqrt(2) * sigma + 0.005 * published


@pytest.mark.parametrize(
    ("vocab", "length", "pairs", "examples", "rate", "mean", "any_", "shadowed"), PUBLISHED
)
def test_filler_any_has_the_published_collisions(
    vocab, length, pairs, examples, rate, mean, any_, shadowed
):
    task = MQAR(vocab, (Segment(length, pairs),), filler="any", test_examples=examples)
    (facts,) = measure(task, "test")
    filler = examples * (length - 3 * pairs)
    exact = pairs / vocab
    assert abs(facts.filler_keys - exact) <= 5 * sqrt(exact * (1 - exact) / filler)
    assert close(facts.filler_keys, rate, filler, exact)
    assert facts.filler_keys_per_example == pytest.approx(facts.filler_keys * (length - 3 * pairs))
    assert close(facts.examples_with_filler_keys, any_, examples)
    # Queries of one example share its filler, hence fewer independent ones than there are.
    assert close(facts.shadowed, shadowed, examples * pairs / 2)
    assert (facts.labels_least, facts.labels_most) == (pairs, pairs)
    assert facts.solver == 1


def test_taking_the_latest_occurrence_fails_behind_lookalikes_as_published():
    (facts,) = measure(MQAR(256, (Segment(64, 8),), filler="any", test_examples=2000), "test")
    assert close(facts.latest, 0.959, 2000 * 8 / 2)
    assert facts.unasked == pytest.approx(facts.filler_keys_per_example)


@pytest.mark.parametrize("filler", ["random", "none"])
def test_other_filler_has_no_collisions_and_every_rule_is_right(filler):
    task = MQAR(64, (Segment(64, 8), Segment(96, 4)), filler=filler, test_examples=1500)
    for facts, pairs in zip(measure(task, "test"), (8, 4), strict=True):
        assert facts.filler_keys == facts.filler_keys_per_example == 0
        assert facts.examples_with_filler_keys == facts.shadowed == facts.unasked == 0
        assert facts.solver == facts.latest == 1
        assert (facts.labels_least, facts.labels_most) == (pairs, pairs)
        assert facts.examples == 1500


def test_facts_are_those_of_a_loop_over_tokens():
    task = MQAR(24, (Segment(40, 5),), filler="any", test_examples=300)
    batch = task.arrays("test")
    hits = shadowed = right = 0
    for tokens, labels in zip(batch.tokens.tolist(), batch.labels.tolist(), strict=True):
        keys = tokens[0:10:2]
        lookalikes = [t for t in range(10, 40) if labels[t] == -100 and tokens[t] in keys]
        hits += len(lookalikes)
        for t in range(40):
            if labels[t] != -100:
                shadowed += any(tokens[s] == tokens[t] for s in lookalikes if s < t)
                latest = max(s for s in range(t) if tokens[s] == tokens[t])
                right += tokens[latest + 1] == labels[t]
    (facts,) = measure(task, "test")
    assert facts.filler_keys_per_example == pytest.approx(hits / 300)
    assert facts.shadowed == pytest.approx(shadowed / 1500)
    assert facts.latest == pytest.approx(right / 1500)


def test_the_number_of_sequences_by_enumeration():
    # V = 8: keys 1 … 3, values 4 … 7; length 8 leaves 2 places for 2 queries.
    task = MQAR(8, (Segment(8, 2, train=40_000),), filler="none")
    rows = np.unique(task.arrays("train").tokens, axis=0)
    assert len(rows) == 3 * 2 * 4 * 3 * 2
    assert task.log10_sequences(task.segments[0]) == pytest.approx(log10(len(rows)))


def test_filler_multiplies_the_number_of_sequences():
    task = MQAR(8, (Segment(8, 2),))
    assert task.log10_sequences(task.segments[0]) == pytest.approx(log10(144 * 6**2))
