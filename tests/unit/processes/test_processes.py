"""Forks and Pythons that answer: their results, their limits, and the sentence about their
death.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from onnxop_runtime import processes
from onnxop_runtime.processes import Fork, Limits, ProcessDied, PythonProcess, python
from tests.programs import program

ECHO = program("processes/echo")


def crash() -> None:
    print("last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


def refuse() -> None:
    raise ValueError("refused")


def sleep() -> None:
    time.sleep(60)


@pytest.mark.slow
def test_each_piece_of_work_has_an_answer() -> None:
    works: list[Callable[[], Any]] = [lambda: 1, refuse, crash, os.getpid, sleep, lambda: 2]
    answers = dict(processes.run_each(works, limits=Limits(seconds=1), at_once=2))
    assert (answers[0], answers[5]) == (1, 2)
    assert answers[3] != os.getpid()
    assert isinstance(answers[1], ValueError)
    assert str(answers[2]) == "the process ended with SIGTERM: last words"
    assert str(answers[4]) == "no result within 1 s"
    with pytest.raises(ChildProcessError):  # it has ended, and was waited for
        os.waitpid(answers[3], os.WNOHANG)


def test_one_piece_of_work() -> None:
    assert processes.run(lambda: [1, 2]) == [1, 2]
    with pytest.raises(ValueError, match="refused"):
        processes.run(refuse)
    with pytest.raises(ProcessDied, match="status 4"):
        processes.run(lambda: os._exit(4))


def test_exceptions_that_cannot_be_pickled() -> None:
    class LocalError(Exception):
        pass

    def refuse_locally() -> None:
        raise LocalError("refused")

    with pytest.raises(RuntimeError, match="LocalError: refused"):
        processes.run(refuse_locally)


def endless() -> Iterator[int]:
    yield 1
    processes.allow_cpu_time(1)
    while True:
        pass


def greedy() -> Iterator[int]:
    yield 1
    yield len(bytearray(1 << 30))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        (endless, "the process used up its CPU time"),
        (greedy, "the process needs more than 0.5 GiB of memory: MemoryError"),
    ],
)
def test_items_up_to_a_limit(items: Callable[[], Iterator[int]], sentence: str) -> None:
    received, death = processes.collect(items(), Limits(memory=1 << 29))
    assert received == [1]
    assert str(death) == sentence
    assert death is not None and death.is_out_of_cpu_time == (items is endless)


def test_collect_returns_all_items() -> None:
    assert processes.collect([1, {"a": [2.5]}], Limits()) == ([1, {"a": [2.5]}], None)


def test_a_fork_that_collects_has_no_other_file(tmp_path: Path) -> None:
    def open_files() -> Iterator[int]:
        yield len(os.listdir("/proc/self/fd"))

    with (tmp_path / "file").open("w"):
        (count,), _ = processes.collect(open_files(), Limits())
    assert count == 5  # with that of the answers, and of the listed folder


@pytest.mark.parametrize(
    ("function", "status"), [(lambda: None, 0), (lambda: sys.exit(3), 3), (refuse, 1)]
)
def test_the_status_of_a_fork(function: Callable[[], object], status: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    assert Fork(function, (null, null, null)).wait() == status
    os.close(null)


@pytest.mark.parametrize(
    ("names", "count", "can_fork"),
    [
        (["python"], 8, True),
        (["python", "python"], 8, False),  # the other one may be of OpenMP
        (["python", "python"], 1, True),  # it is of a BLAS library
        (["python", "python", "pt_autograd_0"], 1, False),
    ],
)
def test_threads_that_a_fork_lacks(
    names: list[str], count: int, can_fork: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(python, "_thread_names", lambda: names)
    monkeypatch.setattr(torch, "get_num_threads", lambda: count)
    assert python._can_fork() is can_fork


def test_threads_are_counted() -> None:
    before, is_over = len(python._thread_names()), threading.Event()
    thread = threading.Thread(target=is_over.wait)
    thread.start()
    assert len(python._thread_names()) == before + 1
    is_over.set()
    thread.join()


@pytest.fixture(params=["fork", "new process"])
def echo(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PythonProcess]:
    if request.param == "fork":
        pytest.importorskip("torch")
        # Earlier tests of this process may have started PyTorch's threads, which these programs do
        # not need.
        monkeypatch.setattr(python, "_can_fork", lambda: True)
        process = PythonProcess("-c", ECHO, limits=Limits(seconds=5))
        assert isinstance(process._process, Fork)
    else:
        process = PythonProcess("-c", ECHO, environment={"A": "1"}, limits=Limits(seconds=5))
        assert not isinstance(process._process, Fork)
    yield process
    process.kill()


def test_answers_to_lines(echo: PythonProcess) -> None:
    for line in ("a", "b" * 100_000):
        echo.send(line)
        assert echo.receive() == line.upper()


def test_a_death_between_answers(echo: PythonProcess) -> None:
    echo.send("say last words")
    echo.send("exit")
    with pytest.raises(ProcessDied) as death:
        echo.receive()
    assert str(death.value) == "the process ended with status 3: last words"
    echo.send("nobody is there")
    with pytest.raises(ProcessDied, match="status 3"):
        echo.receive()


@pytest.mark.slow
def test_an_answer_that_takes_too_long(echo: PythonProcess) -> None:
    echo.limits = Limits(seconds=0.5)
    echo.send("sleep")
    with pytest.raises(ProcessDied, match="no result within"):
        echo.receive()


def test_the_end_of_the_input_ends_it(echo: PythonProcess) -> None:
    echo.close()
    assert echo._process.wait() == 0


def test_a_fork_ends_with_its_parent() -> None:
    reader, writer = os.pipe()

    def parent() -> None:
        Fork(sleep)
        os.kill(os.getpid(), signal.SIGKILL)

    Fork(parent, keep=[writer]).wait()
    os.close(writer)
    start = time.monotonic()
    assert os.read(reader, 1) == b""  # once no process holds the other end
    os.close(reader)
    assert time.monotonic() - start < 30


def test_quiet_hides_the_output_of_descriptors(capfd: pytest.CaptureFixture[str]) -> None:
    with processes.quiet():
        os.write(1, b"hidden")
        os.write(2, b"hidden, too")
    os.write(1, b"shown\n")
    assert capfd.readouterr() == ("shown\n", "")


def test_a_process_with_threads_is_not_forked() -> None:
    """A fork has none of them: PyTorch's autograd, once it has started its own, fails there."""
    pytest.importorskip("torch")
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    process = PythonProcess("-c", ECHO, limits=Limits(seconds=30))
    try:
        assert not isinstance(process._process, Fork)
        process.send("a")
        assert process.receive() == "A"
    finally:
        process.kill()
        done.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "hard"), [("CPU", 30), ("DATA", 2 << 30)])
def test_a_lower_limit_of_the_shell_stays(kind: str, hard: int) -> None:
    """A user may not raise a hard limit, as of ``ulimit -t``; the limits of work are the lower
    ones.
    """
    name = getattr(resource, f"RLIMIT_{kind}")

    def work() -> Iterator[Any]:
        if os.getuid() == 0:
            os.setuid(65534)
        processes.allow_cpu_time(40)
        yield resource.getrlimit(name)[0]

    def shell() -> Iterator[Any]:
        resource.setrlimit(name, (hard, hard))
        yield from processes.collect(work(), Limits(memory=3 << 30))[0]

    assert processes.collect(shell(), Limits()) == ([hard], None)


@pytest.mark.slow
def test_forks_of_forks_compute_gradients() -> None:
    """PyTorch's pool of threads is of another process there, and autograd starts several threads
    that use it.
    """
    command = [sys.executable, "-c", program("processes/gradients_in_forks")]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.splitlines() == ["[2.0] None"] * 20
