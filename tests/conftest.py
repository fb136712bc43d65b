"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long one example takes is a matter of what else the machine does, and no property of ours.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
