from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_by_hand import TASKS, WITH_REPEATS, accuracy, examples, small_task

from bestiary.errors import UserError
from bestiary.solvers.lookup import Lookup, table_bits
from bestiary.solvers.protocol import SolverModel
from bestiary.tasks.ceiling import recall_ceiling
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment


def simulated(tokens, half, slots, repeat, full):
    """What the table says after each token, None for nothing; entries oldest first."""
    table, answers, waiting = [], [], None
    for token in tokens:
        answers.append(dict(table).get(token))
        if waiting is not None and token >= half:
            known = [entry for entry in table if entry[0] == waiting]
            if known and repeat == "latest":
                table = [entry for entry in table if entry[0] != waiting] + [(waiting, token)]
            elif not known and len(table) < slots:
                table = [*table, (waiting, token)]
            elif not known and full == "overwrite":
                table = [*table[1:], (waiting, token)]
        waiting = token if 0 < token < half else None
    return answers


OPTIONS = {
    "repeat": st.sampled_from(["first", "latest"]),
    "full": st.sampled_from(["overwrite", "keep"]),
}


@settings(max_examples=80, deadline=None)
@given(
    tokens=st.lists(st.integers(0, 11), min_size=1, max_size=60),
    slots=st.integers(1, 8),
    **OPTIONS,
)
def test_the_table_follows_its_rules_on_any_sequence(tokens, slots, repeat, full):
    model = Lookup(small_task(12, 60), slots=slots, repeat=repeat, full=full).build()
    logits = model(torch.tensor([tokens]))[0]
    for row, right in zip(logits, simulated(tokens, 6, slots, repeat, full), strict=True):
        if right is None:
            assert not row.any()
        else:
            assert row.argmax() == right


@pytest.mark.parametrize("full", ["overwrite", "keep"])
@pytest.mark.parametrize("slots", [1, 3, 8, 13])
@pytest.mark.parametrize("task", [*TASKS[:3], WITH_REPEATS], ids=str)
def test_accuracy_is_what_the_slots_allow(task, slots, full):
    right = asked = 0
    for batch in examples(task):
        for tokens, labels in zip(batch.tokens.tolist(), batch.labels.tolist(), strict=True):
            said = simulated(tokens, task.vocab_size // 2, slots, "first", full)
            right += sum(ours == label for ours, label in zip(said, labels, strict=True))
            asked += sum(label >= 0 for label in labels)
    model = Lookup(task, slots=slots, full=full).build()
    assert accuracy(model, task) == right / asked


@pytest.mark.parametrize("task", [*TASKS, WITH_REPEATS], ids=str)
def test_a_slot_for_every_pair_answers_all(task):
    model = Lookup(task).build()
    assert isinstance(model, SolverModel)
    assert accuracy(model, task) == 1.0
    assert model.take_notes() == []


@pytest.mark.parametrize("slots", [1, 3, 4])
def test_a_table_that_keeps_what_it_has_answers_as_many_pairs_as_it_has_slots(slots):
    task = TASKS[1]
    model = Lookup(task, slots=slots, full="keep").build()
    assert accuracy(model, task) == slots / 4
    # Keys of 4 bits and values of 4, and a key that waits.
    assert model.state_size(64) == model.bits == 8 * slots + 4
    assert slots / 4 <= recall_ceiling(model.bits, 4, task.values)


def test_no_slots_beat_the_ceiling_of_their_bits():
    task = MQAR(vocab_size=64, segments=(Segment(96, 24),), test_examples=60)
    for slots in (1, 2, 6, 12, 24):
        for full in ("overwrite", "keep"):
            model = Lookup(task, slots=slots, full=full).build()
            assert accuracy(model, task) <= recall_ceiling(model.bits, 24, task.values)


@pytest.mark.parametrize(
    # Of 32 tokens keys take 4 bits and values 4: 12 for one slot, 8 for each more.
    ("bits", "slots"),
    [(12, 1), (19, 1), (20, 2), (1000, 124)],
)
def test_bits_are_spent_on_whole_slots(bits, slots):
    solver = Lookup(TASKS[1], bits=bits)
    assert solver.slots == slots
    assert table_bits(slots, TASKS[1]) <= bits < table_bits(slots + 1, TASKS[1])


@pytest.mark.parametrize(
    # 7 tokens: keys 1 and 2 and none, values 3 to 6. 65,536: 15 bits of keys, 15 of values.
    ("vocab_size", "bits"),
    [(4, 3), (7, 2 + 2 + 2), (8, 2 + 2 + 2), (65536, 45)],
)
def test_a_slot_has_the_bits_of_a_key_and_a_value(vocab_size, bits):
    assert table_bits(1, small_task(vocab_size, 8)) == bits


def test_state_holds_no_more_than_the_bits_it_counts():
    task = TASKS[1]
    model = Lookup(task, slots=5, repeat="latest").build()
    state = model.initial_state(20)
    tokens = np.concatenate([batch.tokens[:20] for batch in examples(task)])
    for column in torch.from_numpy(tokens).unbind(1):
        _, state = model.step(column, state)
        assert state.keys.shape == state.values.shape == (20, 5)
        assert int(state.keys.max()) < 2**4 > int(state.waiting.max())
        assert int((state.values - 16).max()) < 2**4


def test_what_a_short_table_lacks_is_said_beside_the_bound_of_any_memory():
    model = Lookup(TASKS[1], slots=2).build()
    assert model.take_notes() == [
        "its 20 bits of state hold 2 pairs with their keys, where all 4 take 36 bits in a "
        "table with keys and 16 in any memory"
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"slots": 0}, "slots is 0; it must be at least 1"),
        ({"slots": "two"}, "slots is 'two'; it must be a whole number"),
        ({"bits": 11}, "bits is 11; a table of one slot takes 12 at this vocab_size"),
        ({"slots": 2, "bits": 40}, "slots is 2 and bits is 40; the size of a table is given by"),
        ({"full": "drop"}, "unknown full 'drop' (accepted: keep, overwrite)"),
    ],
)
def test_a_size_that_is_none_is_refused(options, sentence):
    with pytest.raises(UserError) as error:
        Lookup(TASKS[1], **options)
    assert sentence in str(error.value)
