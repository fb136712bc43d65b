"""SIGTERM as an exception, so that whatever cleans up after Ctrl-C cleans up after it too."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Terminated(KeyboardInterrupt):
    """SIGTERM was received, which is what a cluster sends before it kills."""


@contextlib.contextmanager
def sigterm_raises() -> Iterator[None]:
    """Raise ``Terminated`` where SIGTERM arrives while the context lasts.

    Outside of the main thread, where Python allows no handlers, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def exit_code(stop: KeyboardInterrupt) -> int:
    """What a shell reports of a process that ended by the signal: 128 and its number."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)
