"""Limits that a process sets on itself."""

from __future__ import annotations

import os
import resource
import signal
import time

import pytest

from onnxop_runtime.processes import Limits, ProcessDied, run, run_each
from onnxop_runtime.processes.limits import allow_cpu_time


def limits_inside(memory: int | None) -> tuple[int, int]:
    Limits(memory=memory).apply()
    return resource.getrlimit(resource.RLIMIT_DATA)[0], resource.getrlimit(resource.RLIMIT_CORE)[0]


def test_memory() -> None:
    assert run(lambda: limits_inside(2**33)) == (2**33, 0)


def test_no_limit_changes_nothing() -> None:
    before = (
        resource.getrlimit(resource.RLIMIT_DATA)[0],
        resource.getrlimit(resource.RLIMIT_CORE)[0],
    )
    assert run(lambda: limits_inside(None)) == before


def test_a_lower_limit_stays() -> None:
    def nested() -> int:
        Limits(memory=2**33).apply()
        return limits_inside(2**34)[0]

    assert run(nested) == 2**33


@pytest.mark.slow
def test_cpu_time() -> None:
    def spin() -> None:
        allow_cpu_time(1)
        while True:
            os.getpid()

    with pytest.raises(ProcessDied) as caught:
        run(spin, limits=Limits(seconds=30))
    assert caught.value.status == -signal.SIGXCPU
    assert caught.value.is_out_of_cpu_time


def test_cpu_time_begins_again() -> None:
    def limit_after(seconds: int) -> int:
        allow_cpu_time(seconds)
        allow_cpu_time(2 * seconds)
        return resource.getrlimit(resource.RLIMIT_CPU)[0]

    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    assert 200 <= run(lambda: limit_after(100)) <= 200 + used + 1


@pytest.mark.slow
def test_cpu_time_begins_again_after_calls_of_the_system() -> None:
    """Spend more time in the system than is allowed next: what was used before does not count."""

    def answer() -> str:
        with open("/dev/zero", "rb", buffering=0) as zeros:
            while resource.getrusage(resource.RUSAGE_SELF).ru_stime < 1.5:
                zeros.read(1 << 20)
        allow_cpu_time(1)
        for _ in range(100_000):
            os.getpid()
        return "ended"

    assert run(answer, limits=Limits(seconds=60)) == "ended"


@pytest.mark.slow
def test_cpu_time_of_each_piece_of_work() -> None:
    """A process that does several pieces has this time for each, and leaves no core file."""

    def work() -> int:
        end = time.process_time() + 0.7
        while time.process_time() < end:
            os.getpid()
        return resource.getrlimit(resource.RLIMIT_CORE)[0]

    def spin() -> None:
        while True:
            os.getpid()

    limits = Limits(seconds=60, cpu_seconds=1)
    answers = dict(run_each([work, work, work, spin], limits=limits))
    assert [answers[index] for index in range(3)] == [0, 0, 0]
    assert answers[3].is_out_of_cpu_time
