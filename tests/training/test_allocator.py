"""Freed memory stays in the process once that is asked for, and not before."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

from bestiary.training import allocator

# 128 MB is above the largest size at which glibc may by itself stop using mmap (32 MB).
FAULTS = """
import resource
import numpy as np
import bestiary.training
from bestiary.training.allocator import keep_freed_memory

def faults():
    np.ones(16_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        np.ones(16_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults(), keep_freed_memory(), faults())
"""


@pytest.mark.slow
def test_after_the_call_equal_allocations_fault_no_pages_in_and_the_import_alone_changes_nothing():
    done = subprocess.run(
        [sys.executable, "-c", FAULTS],
        capture_output=True,
        text=True,
        check=True,
        env={"NUMPY_MADVISE_HUGEPAGE": "0"},
    )
    before, agreed, after = done.stdout.split()
    is_glibc = platform.libc_ver()[0] == "glibc"
    assert agreed == str(is_glibc)
    if is_glibc:
        # Three times 128 MB in pages of 2 MB or less.
        assert int(before) >= 3 * 61
        assert int(after) < 10


def test_other_c_libraries_are_left_alone(monkeypatch):
    class Other:
        """A C library with neither mallopt nor a glibc version."""

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Other())
    assert allocator.keep_freed_memory() is False
