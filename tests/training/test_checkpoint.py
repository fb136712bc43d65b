"""A training goes on to the bit from where it was killed; a checkpoint is whole or absent."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from small_training import CONFIG, TASK, small_model, weights

from bestiary.errors import UserError
from bestiary.training import train
from bestiary.training.checkpoint import (
    Checkpoint,
    discard_checkpoint,
    load_checkpoint,
    save_checkpoint,
    write_atomically,
)

ONE = Checkpoint({"a": torch.arange(6.0).reshape(2, 3)}, {"step": 1, "loss": 0.1 + 0.2})
TWO = Checkpoint({"a": torch.ones(2, 3), "b": torch.zeros(0, dtype=torch.int64)}, {"step": 2})

CHAINS = ("undisturbed", "killed_at_updates", "killed_at_writes", "killed_at_any_time")


def same(loaded, saved) -> bool:
    return (
        loaded.values == saved.values
        and loaded.tensors.keys() == saved.tensors.keys()
        and all(torch.equal(loaded.tensors[k], saved.tensors[k]) for k in saved.tensors)
        and all(loaded.tensors[k].dtype == saved.tensors[k].dtype for k in saved.tensors)
    )


@pytest.fixture(scope="module")
def killings(tmp_path_factory):
    """Lines of ``killed_training.py`` by chain; the last of each is the end of its training."""
    script = Path(__file__).with_name("killed_training.py")
    seed = int.from_bytes(os.urandom(4))
    directory = tmp_path_factory.mktemp("killings")
    command = [sys.executable, str(script), str(directory), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return seed, {chain: [x for x in lines if x["chain"] == chain] for chain in CHAINS}


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS[1:])
def test_killed_anywhere_and_resumed_the_weights_are_the_same_to_the_bit(chain, killings):
    seed, chains = killings
    *attempts, resumed = chains[chain]
    # A process that nothing but the clock kills may be done before.
    needed = 1 if chain == "killed_at_any_time" else len(attempts)
    assert sum(a["killed"] for a in attempts) >= needed, (seed, attempts)
    (undisturbed,) = chains["undisturbed"]
    assert resumed["status"] == undisturbed["status"] == "finished"
    assert resumed["digest"] == undisturbed["digest"], (seed, attempts)


def test_what_was_saved_is_what_is_loaded(tmp_path):
    save_checkpoint(tmp_path / "c", ONE, 1)
    assert same(load_checkpoint(tmp_path / "c"), ONE)
    save_checkpoint(tmp_path / "c", TWO, 2)
    assert same(load_checkpoint(tmp_path / "c"), TWO)


def test_only_the_newest_checkpoint_is_kept(tmp_path):
    for step, checkpoint in ((1, ONE), (2, TWO), (2, ONE)):
        save_checkpoint(tmp_path, checkpoint, step)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "state.json",
        "step-000000002.safetensors",
    ]


def test_there_is_no_checkpoint_before_the_first_and_after_it_is_discarded(tmp_path):
    folder = tmp_path / "checkpoint"
    assert load_checkpoint(folder) is None
    save_checkpoint(folder, ONE, 1)
    discard_checkpoint(folder)
    assert not folder.exists()
    discard_checkpoint(folder)


def test_tensors_that_share_memory_are_saved_each_whole(tmp_path):
    base = torch.arange(12.0)
    views = {"row": base[:4], "strided": base[::3], "same": base, "scalar": torch.tensor(3)}
    save_checkpoint(tmp_path, Checkpoint(views, {}), 0)
    loaded = load_checkpoint(tmp_path)
    assert all(torch.equal(loaded.tensors[name], views[name]) for name in views)


def test_a_full_disk_keeps_the_previous_checkpoint_and_says_so(tmp_path):
    save_checkpoint(tmp_path, ONE, 1)
    large = Checkpoint({"a": torch.zeros(100_000)}, {"step": 2})
    # No file may grow past 64 KiB: the write itself fails, as on a full disk.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, before[1]))
    try:
        with pytest.raises(UserError, match=r"cannot write a checkpoint.*previous .* is whole"):
            save_checkpoint(tmp_path, large, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert same(load_checkpoint(tmp_path), ONE)
    assert len(list(tmp_path.iterdir())) == 2
    save_checkpoint(tmp_path, large, 2)
    assert same(load_checkpoint(tmp_path), large)


@pytest.mark.parametrize("call", [1, 2, 3, 4])
def test_no_space_left_at_any_sync_ends_training_with_one_sentence_and_it_can_go_on(
    call, tmp_path, monkeypatch
):
    straight = small_model()
    train(straight, TASK, CONFIG, 0)
    train(small_model(), TASK, CONFIG, 0, tmp_path, stop_after(10))
    kept = load_checkpoint(tmp_path / "checkpoint").values["place"]["step"]
    assert kept == 10

    real, calls = os.fsync, 0

    def full(descriptor):
        nonlocal calls
        calls += 1
        if calls == call:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(UserError, match=r"No space left on device\); the previous"):
            train(small_model(), TASK, CONFIG, 0, tmp_path)
    resumed = small_model(seed=4)
    assert load_checkpoint(tmp_path / "checkpoint").values["place"]["step"] >= kept
    train(resumed, TASK, CONFIG, 0, tmp_path)
    assert weights(resumed) == weights(straight)


def stop_after(step):
    import signal

    def watch(progress):
        if progress.step == step:
            os.kill(os.getpid(), signal.SIGTERM)

    return watch


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "checkpoint").write_text("a file where the folder should be")
    with pytest.raises(UserError, match=r"cannot write a checkpoint to .*there is none"):
        train(small_model(), TASK, CONFIG, 0, tmp_path)


@pytest.mark.parametrize("damage", ["cut", "no json", "missing", "format"])
def test_a_damaged_checkpoint_is_one_sentence(damage, tmp_path):
    save_checkpoint(tmp_path, ONE, 1)
    tensors, state = tmp_path / "step-000000001.safetensors", tmp_path / "state.json"
    if damage == "cut":
        tensors.write_bytes(tensors.read_bytes()[:20])
    elif damage == "no json":
        state.write_bytes(b"{")
    elif damage == "missing":
        tensors.unlink()
    else:
        state.write_text(json.dumps({**json.loads(state.read_text()), "format": 99}))
    with pytest.raises(UserError, match=r"^checkpoint '"):
        load_checkpoint(tmp_path)


def test_a_checkpoint_holds_no_pickle(tmp_path):
    train(small_model(noise=True), TASK, replace(CONFIG, epochs=1), 0, tmp_path)
    files = sorted((tmp_path / "checkpoint").iterdir())
    assert [f.suffix for f in files] == [".json", ".safetensors"]
    json.loads(files[0].read_bytes())
    # safetensors begins with the length of its JSON header.
    content = files[1].read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert {"F32", "U8"} <= {entry["dtype"] for entry in header.values() if "dtype" in entry}


def test_generators_are_part_of_a_checkpoint(tmp_path):
    train(small_model(noise=True), TASK, replace(CONFIG, epochs=1), 0, tmp_path)
    names = load_checkpoint(tmp_path / "checkpoint").tensors
    assert {"generator.torch", "generator.python", "generator.numpy"} <= names.keys()
    assert "optimizer.embedding.weight.exp_avg_sq" in names
    assert "model.blocks.1.mixer.calls" in names


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_numbers_of_a_place_survive_json_to_the_bit(tmp_path):
    value = float(np.nextafter(1 / 3, 1))
    save_checkpoint(tmp_path, Checkpoint({}, {"x": value}), 0)
    assert load_checkpoint(tmp_path).values["x"] == value
