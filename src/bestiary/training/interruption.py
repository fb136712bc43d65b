"""Let a training step end before Ctrl-C or SIGTERM takes effect."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Whether, and by which signal, the process was asked to stop."""

    signal_name: str | None = None

    def __bool__(self) -> bool:
        return self.signal_name is not None


@contextmanager
def deferred_signals() -> Iterator[Interruption]:
    """Note SIGINT and SIGTERM instead of dying of them; the caller looks between steps.

    A second SIGINT raises ``KeyboardInterrupt`` at once. Outside of the main thread, where
    Python allows no handlers, nothing is changed.
    """
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return

    def note(number: int, frame: FrameType | None) -> None:
        if interruption and number == signal.SIGINT:
            raise KeyboardInterrupt
        interruption.signal_name = signal.Signals(number).name

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
