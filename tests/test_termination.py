from __future__ import annotations

import os
import signal

import pytest

from bestiary.termination import Terminated, exit_code, sigterm_raises


def test_sigterm_is_an_interrupt_while_the_context_lasts_and_what_it_was_after():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt) as stopped, sigterm_raises():
        os.kill(os.getpid(), signal.SIGTERM)
    assert isinstance(stopped.value, Terminated)
    assert signal.getsignal(signal.SIGTERM) is before


def test_exit_codes_are_those_a_shell_reports():
    assert exit_code(KeyboardInterrupt()) == 130
    assert exit_code(Terminated()) == 143
