"""The steps that models without a compiled stack tell, against tokens, replays and the layers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestiary.runs.named_task import read_task
from bestiary.solvers.attention_workings import attention_weights
from bestiary.solvers.registry import SolverSpec, build_solver
from bestiary.solvers.working import HasWorkings
from bestiary.tasks.protocol import IGNORE


def followed(solver, example, task="filler=any,length=24,vocab_size=12", **options):
    """Tokens and labels of an example, its steps by title and the model."""
    made = read_task(task)
    model = build_solver(SolverSpec(solver, options), made).build()
    batch = made.stream("test").examples(0, range(example, example + 1))
    assert isinstance(model, HasWorkings)
    steps = {step.title: step for step in model.workings(torch.from_numpy(batch.tokens))}
    for step in steps.values():
        assert step.numbers.shape == (batch.tokens.shape[1], len(step.names))
        assert len(set(step.names)) == len(step.names)
    return batch.tokens[0].tolist(), batch.labels[0], steps, model


def by_name(step):
    return {name: step.numbers[:, k] for k, name in enumerate(step.names)}


def same_above(tokens, s):
    return [int(i >= s and tokens[i] == tokens[i - s]) for i in range(len(tokens))]


def test_weights_are_those_with_which_a_layer_of_attention_reads_its_values():
    tokens, _, _, model = followed("attention", 0)
    model.double()
    x = model.model.embed(torch.tensor([tokens]))
    for block in model.model.blocks:
        normed = block.mixer_norm(x)
        _, _, value = block.mixer.projections.split(normed)
        read = block.mixer.projections.merge(
            (attention_weights(block, x) @ value[0, 0])[None, None]
        )
        torch.testing.assert_close(read, block.mixer(normed))
        x = block(x)


def test_the_heads_of_attention_look_back_by_one_and_after_the_same_token():
    tokens, labels, steps, _ = followed("attention", 1, task="length=24")
    back = by_name(steps["layer 1, where it looks"])
    assert set(back) == {"back −0", "back −1"}
    np.testing.assert_allclose(back["back −1"][1:], 1, atol=1e-6)
    assert back["back −0"].tolist() == [1] + [0] * 23
    match = by_name(steps["layer 2, where it looks"])
    written = by_name(steps["layer 1, what it writes"])
    for k in range(4):
        bits = [2 * (token >> k & 1) - 1 for token in tokens]
        np.testing.assert_allclose(written[f"token.{k}"], bits, atol=1e-6)
        np.testing.assert_allclose(written[f"previous.{k}"][1:], bits[:-1], atol=1e-6)
    asked = np.flatnonzero(labels != IGNORE).tolist()
    for row in asked:
        (distance,) = [s for s in range(1, row + 1) if tokens[row - s] == tokens[row]]
        assert match[f"match −{distance}"][row] == pytest.approx(1)
        assert sum(column[row] for column in match.values() if column[row] > 0) == pytest.approx(1)
        bits = [steps["head"].numbers[row, k] > 0 for k in range(4)]
        assert bits == [bool(labels[row] >> k & 1) for k in range(4)]


@pytest.mark.parametrize("repeat", ["first", "latest"])
@pytest.mark.parametrize("full", ["keep", "overwrite"])
def test_a_table_is_what_a_replay_of_its_rules_holds_before_each_token(repeat, full):
    tokens, _, steps, model = followed("lookup", 2, slots=3, repeat=repeat, full=full)
    table, waiting = [], None
    told, match = by_name(steps["table"]), by_name(steps["match"])
    for row, token in enumerate(tokens):
        shown = [
            (told[f"key.{slot}"][row], told[f"value.{slot}"][row])
            for slot in range(3)
            if not np.isnan(told[f"key.{slot}"][row])
        ]
        assert shown == table
        assert (
            np.isnan(told["waiting"][row]) if waiting is None else told["waiting"][row] == waiting
        )
        assert [match[f"match.{slot}"][row] for slot in range(len(table))] == [
            key == token for key, _ in table
        ]
        values = [value for key, value in table if key == token]
        said = steps["head"].numbers[row, 0]
        assert np.isnan(said) if not values else said == values[0]
        known = [key for key, _ in table]
        if waiting is not None and token >= 6:
            if waiting in known and repeat == "latest":
                table = [pair for pair in table if pair[0] != waiting]
                table.insert(0, (waiting, token))
            elif waiting not in known and (len(table) < 3 or full == "overwrite"):
                table = [(waiting, token), *table][:3]
        waiting = token if 1 <= token < 6 else None
    assert len(table) == 3
    assert model.slots == 3


@pytest.mark.parametrize("repeat", [None, "first", "latest"])
def test_taps_are_counts_over_the_sequence_and_matches_are_by_row(repeat):
    tokens, _, steps, _ = followed("autocorrelation", 3, repeat=repeat)
    length = len(tokens)
    alike = {s: same_above(tokens, s) for s in range(1, length)}
    taps, match, value = (
        by_name(steps[title])
        for title in ("layer 1", "layer 2, where it matches", "layer 2, what it reads")
    )
    found = [s for s in alike if any(alike[s])]
    assert set(taps) == {f"tap −{s}" for s in found}
    for s in found:
        assert taps[f"tap −{s}"].tolist() == [sum(alike[s])] * length
        assert match[f"match −{s}"].tolist() == alike[s]
        after = [tokens[i - s + 1] if alike[s][i] else np.nan for i in range(length)]
        np.testing.assert_array_equal(value[f"value −{s}"], after)
    for row in range(length):
        votes = [tokens[row - s + 1] for s in found if alike[s][row]]
        said = steps["head"].numbers[row, 0]
        if not votes:
            assert np.isnan(said)
        elif repeat is None:
            assert votes.count(said) == max(map(votes.count, votes))
        else:
            assert said == votes[-1 if repeat == "first" else 0]


def test_a_sequence_without_repeats_has_steps_too():
    made = read_task("induction,length=4,vocab_size=32")
    model = build_solver(SolverSpec("autocorrelation"), made).build()
    steps = model.workings(torch.tensor([[3, 1, 2, 9]]))
    assert np.isnan(steps[-1].numbers).all()
    assert steps[1].numbers.tolist() == [[0.0]] * 4
