"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# How long one example takes is a matter of what else the machine does, and no property of ours.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A terminal's width, which readline sets for the processes that run tests side by side, would break
# lines that are told whole to a file or a pipe.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
