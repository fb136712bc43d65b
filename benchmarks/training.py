"""What the labelled-only head and the allocator setting gain in training.

`python -m benchmarks training` shows the ratios. The head is measured against a plain loop with
logits at every position and a masked cross-entropy; model, data, optimizer, clipping and allocator
are the same. The allocator is measured in two processes, one with the setting and one without,
which take turns.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.ratio import Ratio, interleaved
from bestiary.models import LanguageModel, ModelConfig, build_model
from bestiary.operators.convolution import conv
from bestiary.tasks.mqar import MQAR
from bestiary.training import TrainingConfig, train
from bestiary.training.allocator import keep_freed_memory
from bestiary.training.optimizer import adamw, set_learning_rate
from bestiary.training.order import EpochOrder
from bestiary.training.schedule import learning_rate

LENGTH, PAIRS, WIDTH, BATCH = 64, 4, 64, 64

CONFIG = TrainingConfig(
    epochs=1, batch_size=BATCH, stop_at=None, validate_every=999, checkpoint_every=0, device="cpu"
)


def measure() -> list[Ratio]:
    torch.set_num_threads(1)
    # In their own processes, before this one changes how it allocates.
    rows = allocator_ratios()
    keep_freed_memory()
    return [
        head_ratio(8192, mlp_expansion=0, steps=10, rounds=3, bound=5.0),
        head_ratio(8192, mlp_expansion=4, steps=10, rounds=3, bound=3.0),
        head_ratio(256, mlp_expansion=0, steps=20, rounds=5, bound=1.0),
        head_ratio(256, mlp_expansion=4, steps=20, rounds=5, bound=1.0),
        *rows,
    ]


def task(vocab_size: int, steps: int) -> MQAR:
    """An epoch of ``steps`` updates, and one batch of validation, which ours has to do as well.

    A longer epoch is as many times longer for both loops.
    """
    return MQAR(
        vocab_size=vocab_size,
        segments=({"length": LENGTH, "pairs": PAIRS},),
        train_examples=steps * BATCH,
        validation_examples=BATCH,
    )


def model(vocab_size: int, mlp_expansion: float) -> LanguageModel:
    config = ModelConfig(
        d_model=WIDTH, n_layers=2, mixers=("attention",), mlp_expansion=mlp_expansion
    )
    return build_model(config, vocab_size, LENGTH, seed=0)


def head_ratio(
    vocab_size: int, mlp_expansion: float, steps: int, rounds: int, bound: float
) -> Ratio:
    """One epoch of the plain full-head loop over one epoch of ``train``."""
    data = task(vocab_size, steps)
    full, ours = model(vocab_size, mlp_expansion), model(vocab_size, mlp_expansion)
    best = interleaved(
        {"full": lambda: full_head_epoch(full, data), "ours": lambda: train(ours, data, CONFIG, 0)},
        rounds=rounds,
        warmup=1,
    )
    mlp = "with MLP" if mlp_expansion else "no MLP"
    return Ratio(
        subject="training epoch",
        setting=f"V={vocab_size} N={LENGTH} K={PAIRS} d={WIDTH}, 2 layers, {mlp}, {steps} steps",
        baseline="logits everywhere, masked loss",
        ours="labelled positions only",
        baseline_seconds=best["full"],
        ours_seconds=best["ours"],
        bound=bound,
    )


def full_head_epoch(net: LanguageModel, data: MQAR) -> None:
    """The loop as it is usually written, with the same order of data and the same AdamW."""
    stream = data.stream("train")
    optimizer = adamw(net, CONFIG)
    order = EpochOrder([s.examples for s in stream.segments], BATCH, 0, 0)
    for step in range(len(order)):
        batch = stream.examples(*order.batch(step))
        tokens, labels = torch.from_numpy(batch.tokens), torch.from_numpy(batch.labels)
        set_learning_rate(optimizer, learning_rate(step, len(order), CONFIG))
        logits = net(tokens)
        F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100).backward()
        nn.utils.clip_grad_norm_(net.parameters(), CONFIG.clip)
        optimizer.step()
        optimizer.zero_grad()


def convolution() -> Callable[[], object]:
    """Forward and backward of the long convolution at d = 64, N = 512, batch 64."""
    x = torch.randn(64, 512, 64, requires_grad=True)
    h = torch.randn(512, 64, requires_grad=True)

    def run() -> None:
        conv(x, h).sum().backward()
        x.grad = h.grad = None

    return run


def plain_convolution() -> Callable[[], object]:
    """The same by rfft and irfft at twice the length under autograd."""
    x = torch.randn(64, 64, 512, requires_grad=True)
    h = torch.randn(64, 512, requires_grad=True)

    def run() -> None:
        product = torch.fft.rfft(x, 1024) * torch.fft.rfft(h, 1024)
        torch.fft.irfft(product, 1024)[..., :512].sum().backward()
        x.grad = h.grad = None

    return run


def small_training() -> Callable[[], object]:
    """An epoch of a small model, as most runs of a sweep are."""
    data, net = task(64, 10), model(64, 0)
    return lambda: train(net, data, CONFIG, 0)


def full_head_training() -> Callable[[], object]:
    """An epoch of the full-head loop, which frees and asks for 134 MB of logits a step."""
    data, net = task(8192, 3), model(8192, 0)
    return lambda: full_head_epoch(net, data)


ALLOCATING = {
    "long convolution, N=512": convolution,
    "rfft convolution, N=512": plain_convolution,
    "training epoch, V=64": small_training,
    "full-head epoch, V=8192": full_head_training,
}


def allocator_ratios() -> list[Ratio]:
    """Each workload under glibc's defaults over the same with freed memory kept."""
    command = [sys.executable, "-m", "benchmarks.training"]
    processes = {
        mode: subprocess.Popen(
            [*command, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for mode in ("default", "keep")
    }

    def seconds(mode: str, subject: str) -> float:
        process = processes[mode]
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(subject + "\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    rows = []
    for subject in ALLOCATING:
        best = dict.fromkeys(processes, float("inf"))
        for turn in range(5):
            for mode in processes:
                taken = seconds(mode, subject)
                if turn:
                    best[mode] = min(best[mode], taken)
        rows.append(
            Ratio(
                subject="allocator",
                setting=f"{subject}, d={WIDTH}, batch {BATCH}",
                baseline="glibc's defaults",
                ours="freed memory kept",
                baseline_seconds=best["default"],
                ours_seconds=best["keep"],
            )
        )
    for process in processes.values():
        process.communicate()
    return rows


def answer(mode: str) -> None:
    """Time the workload named on each line of standard input, in this process."""
    if mode == "keep":
        keep_freed_memory()
    torch.set_num_threads(1)
    made: dict[str, Callable[[], object]] = {}
    for line in sys.stdin:
        subject = line.strip()
        run = made.setdefault(subject, made.get(subject) or ALLOCATING[subject]())
        start = perf_counter()
        run()
        sys.stdout.write(f"{perf_counter() - start}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    answer(sys.argv[1])
