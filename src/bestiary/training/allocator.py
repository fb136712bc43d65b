"""Keep freed memory in the process, so that the next step need not fault its pages in again.

By default glibc's malloc serves large blocks by mmap and gives them back to the system as soon
as they are freed. A training step frees and asks for the same large tensors every time, and each
time the kernel has to map and zero every page.
"""

from __future__ import annotations

import ctypes
import sys

# Numbers of mallopt's parameters in glibc's malloc.h; they are part of its ABI.
_M_TRIM_THRESHOLD = -1
_M_TOP_PAD = -2
_M_MMAP_MAX = -4

_LARGEST = 2**31 - 1
"""mallopt takes an int; memory is given back only past 2 GiB of it at the top of the heap."""
_GROW_BY = 64 * 2**20


def keep_freed_memory() -> bool:
    """Tell glibc's malloc never to use mmap and hardly ever to trim; whether it agreed.

    Returns False, and changes nothing, where the C library is not glibc. To be called once at
    the start of a process that trains and is Bestiary's own: it changes how the whole process
    allocates, which is not a library's business elsewhere.
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version"):
        return False
    settings = ((_M_MMAP_MAX, 0), (_M_TRIM_THRESHOLD, _LARGEST), (_M_TOP_PAD, _GROW_BY))
    return all([libc.mallopt(parameter, value) == 1 for parameter, value in settings])
