"""The process that watches drawn calls: which of them it takes for calls that do not return."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from onnxop_runtime.testing import first_calls

_ASK = """
import sys
from onnxop_runtime.testing import first_calls
first_calls._LONGEST, first_calls._STEP = 0.5, 0.1
print(first_calls._hang_of(int(sys.argv[1])))
"""


@contextmanager
def running(code: str) -> Iterator[int]:
    """Run a program for as long as the test needs it; yield its process."""
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@contextmanager
def watching(process: int) -> Iterator[subprocess.Popen[str]]:
    """Run a program that prints how the process hangs, or "" at a line on stdin."""
    asked = [sys.executable, "-c", _ASK, str(process)]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watch:
        yield watch


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", "does not return within 0.5 s of CPU time"),
        (
            "import time; time.sleep(60)",
            "does not return: it has waited for 0.5 s, without CPU time",
        ),
    ],
)
def test_a_process_that_hangs(code: str, reason: str) -> None:
    with running(code) as process, watching(process) as watch:
        assert watch.stdout is not None
        assert watch.stdout.readline() == f"{reason}\n"


def test_a_call_that_returns_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes have the CPU meanwhile: it gets a second of each minute."""
    steps = 240
    times = iter([step // 12 for step in range(steps + 1)])
    nothing: tuple[list[int], list[int], list[int]] = ([], [], [])
    answers = iter([*[nothing] * steps, ([0], [], [])])
    monkeypatch.setattr(first_calls, "_cpu_seconds", lambda process: next(times))
    monkeypatch.setattr(select, "select", lambda *arguments: next(answers))
    assert not first_calls._hang_of(0)


def test_a_process_that_has_ended() -> None:
    with running("pass") as process:
        pass
    assert first_calls._cpu_seconds(process) == 0
