"""The sentence about a process that died: its limits, its status, and the last line of its
stderr.
"""

from __future__ import annotations

import io
import signal

import pytest

from onnxop_runtime.processes.death import died, lines_of
from onnxop_runtime.processes.limits import NO_LIMITS, Limits

SMALL = Limits(seconds=2, memory=2**30)


@pytest.mark.parametrize(
    ("status", "limits", "stderr", "sentence"),
    [
        (3, NO_LIMITS, "", "the process ended with status 3"),
        (1, NO_LIMITS, "a\n\n  ValueError: b \n", "the process ended with status 1: ValueError: b"),
        (-signal.SIGSEGV, NO_LIMITS, "", "the process ended with SIGSEGV"),
        (-signal.SIGXCPU, NO_LIMITS, "", "the process used up its CPU time"),
        (1, SMALL, "MemoryError\n", "the process needs more than 1.0 GiB of memory: MemoryError"),
        (1, NO_LIMITS, "MemoryError\n", "the process ended with status 1: MemoryError"),
        (
            -6,
            SMALL,
            "std::bad_alloc",
            "the process needs more than 1.0 GiB of memory: std::bad_alloc",
        ),
    ],
)
def test_sentences(status: int, limits: Limits, stderr: str, sentence: str) -> None:
    error = died(status, limits, io.BytesIO(stderr.encode()))
    assert (str(error), error.status) == (sentence, status)


def test_a_process_that_was_ended_for_its_time() -> None:
    error = died(-signal.SIGKILL, SMALL, io.BytesIO(), is_late=True)
    assert str(error) == "no result within 2 s"
    assert not error.is_out_of_cpu_time
    assert died(-signal.SIGXCPU, SMALL, io.BytesIO()).is_out_of_cpu_time


def test_a_long_stderr_is_read_at_its_end() -> None:
    stderr = io.BytesIO(b"line\n" * 100_000 + "the cause: \u00b5\n".encode())
    assert str(died(1, NO_LIMITS, stderr)).endswith("status 1: the cause: \u00b5")


def test_the_text_of_a_cpp_exception_is_told_and_not_its_stack() -> None:
    stderr = b"""terminate called after throwing an instance of 'c10::Error'
  what():  too few devices
Exception raised from setDevice at /c10/Guard.h:44 (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation) + 0x80 (0x7f in /lib/libc10.so)
frame #1: __clone + 0x40 (0x7f in /lib/libc.so.6)
"""
    death = died(-signal.SIGABRT, NO_LIMITS, io.BytesIO(stderr))
    assert str(death) == "the process ended with SIGABRT: too few devices"


def test_lines_of_the_loader_and_empty_ones_are_left_out() -> None:
    stderr = io.BytesIO(b"ERROR: ld.so: object 'x' cannot be preloaded\n\nfirst\n second \n")
    assert lines_of(stderr) == ["first", "second"]
