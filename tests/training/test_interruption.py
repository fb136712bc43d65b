"""Signals are noted between updates; a second Ctrl-C is obeyed at once."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from bestiary.training.interruption import deferred_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_noted_by_name_and_nothing_else_happens(number):
    with deferred_signals() as interruption:
        assert not interruption
        os.kill(os.getpid(), number)
        assert interruption
        assert interruption.signal_name == number.name


def test_a_second_ctrl_c_interrupts_at_once():
    with deferred_signals(), pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)


def test_handlers_are_put_back_even_after_an_error():
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(RuntimeError), deferred_signals():
        raise RuntimeError
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before


def test_outside_of_the_main_thread_training_goes_on_without_handlers():
    seen = []

    def body():
        with deferred_signals() as interruption:
            seen.append(bool(interruption))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert seen == [False]
