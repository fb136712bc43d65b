"""A config whose runs train in a fraction of a second, written to a file."""

from __future__ import annotations

from pathlib import Path

TINY = """\
task:
  name: mqar
  vocab_size: 16
  segments: [{length: 16, pairs: 2}]
  train_examples: 128
  validation_examples: 32
  test_examples: 32
model: {d_model: 8, n_layers: 1}
training: {epochs: 2, batch_size: 32, validate_every: 4, checkpoint_every: 2}
seeds: [0]
sweep: {models: [attention, short_conv]}
executor: {name: local, workers: 2}
"""

OWN = """\
import time
import torch
from torch import nn


class Mean(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x):
        count = torch.arange(1, x.shape[1] + 1, dtype=x.dtype)
        return self.linear(x.cumsum(dim=1) / count[:, None])

    def state_size(self, length):
        return self.linear.in_features


class Slow(Mean):
    def forward(self, x):
        if len(x) > 16:
            time.sleep(0.1)
        return super().forward(x)


class Failing(Mean):
    def forward(self, x):
        if len(x) > 16:
            raise RuntimeError("out of luck")
        return super().forward(x)


class Prophet(Mean):
    def forward(self, x):
        return super().forward(x.flip(1))


class Narrow(Mean):
    def forward(self, x):
        return super().forward(x)[..., :1]


class Picky(Mean):
    def __init__(self, d_model, stubborn):
        super().__init__(d_model)
"""


def write_config(folder: Path, text: str = TINY) -> Path:
    """tiny.yaml and own_recall_mixers.py in ``folder``; the path of the config."""
    (folder / "own_recall_mixers.py").write_text(OWN)
    path = folder / "tiny.yaml"
    path.write_text(text)
    return path
