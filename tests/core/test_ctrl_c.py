"""Who decides what Ctrl-C does: nobody but the one who left it as Python has it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from sttest.core.interrupts import INTERRUPTED, leave_at_once, leave_silently, raise_again


@pytest.fixture(autouse=True)
def as_python_has_it() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("leave", [leave_at_once, leave_silently])
def test_an_interrupt_is_an_exception_again_once_verbs_run(leave: Callable[[], None]) -> None:
    leave()
    assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    raise_again()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def ours(*_: object) -> None:
    """What somebody else does with Ctrl-C."""


@pytest.mark.parametrize("other", [signal.SIG_IGN, ours])
def test_where_somebody_else_decides_nothing_changes(other: signal.Handlers) -> None:
    signal.signal(signal.SIGINT, other)
    leave_at_once()
    assert signal.getsignal(signal.SIGINT) is other
    raise_again()
    assert signal.getsignal(signal.SIGINT) is other


def in_a_thread(function: Callable[[], None]) -> list[BaseException]:
    failed = list[BaseException]()

    def run() -> None:
        try:
            function()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return failed


def test_a_thread_which_is_never_interrupted_changes_nothing_and_does_not_fail() -> None:
    assert in_a_thread(leave_at_once) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    leave_at_once()
    leaving = signal.getsignal(signal.SIGINT)
    assert in_a_thread(raise_again) == []
    assert signal.getsignal(signal.SIGINT) is leaving


LEAVE = """
import os, signal, sys
from sttest.core.interrupts import {name}
{before}
{name}()
try:
    os.kill(os.getpid(), signal.SIGINT)
    print("went on")
except BaseException:
    print("caught")
"""


@pytest.mark.parametrize(
    ("name", "before", "code", "told"),
    [
        ("leave_at_once", "", INTERRUPTED, "interrupted\n"),
        ("leave_at_once", "os.close(2)", INTERRUPTED, ""),
        ("leave_silently", "", -signal.SIGINT, ""),
    ],
)
def test_the_process_ends_whatever_catches_exceptions(name: str, before: str, code: int, told: str) -> None:
    script = LEAVE.format(name=name, before=f"signal.signal(signal.SIGINT, signal.default_int_handler)\n{before}")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", told)
