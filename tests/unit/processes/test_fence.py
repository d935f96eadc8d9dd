"""The fence of processes that run a spec's code: what it refuses, by each part of Linux, as root
and as a user.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from onnxop_runtime import processes
from onnxop_runtime.processes import Limits, fence

NOBODY = 65534
PARTS = {"both": (), "Landlock": ("_seccomp",), "seccomp": ("_landlock",)}
"""The parts of Linux by the functions that a test leaves out."""


def send() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(b"x", ("127.0.0.1", 9))


def connect() -> None:
    with socket.create_server(("127.0.0.1", 0)):
        pass


def opened(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


CHANGES: dict[str, Callable[[], Any]] = {
    "write": lambda: Path("file").write_text("changed"),
    "append": lambda: opened("file", os.O_WRONLY | os.O_APPEND),
    "read and write": lambda: opened("file", os.O_RDWR),
    "truncate": lambda: os.truncate("file", 0),
    "truncate at opening": lambda: opened("file", os.O_RDONLY | os.O_TRUNC),
    "create": lambda: opened("new", os.O_RDONLY | os.O_CREAT),
    "temporary": lambda: opened(".", os.O_RDWR | os.O_TMPFILE),
    "unlink": lambda: os.unlink("file"),
    "rename": lambda: os.rename("file", "new"),
    "replace": lambda: os.replace("file", "other"),
    "mkdir": lambda: os.mkdir("new"),
    "rmdir": lambda: os.rmdir("folder"),
    "link": lambda: os.link("file", "new"),
    "symlink": lambda: os.symlink("file", "new"),
    "pipe": lambda: os.mkfifo("new"),
    "shared memory": lambda: opened("/dev/shm/onnxop-fence", os.O_RDWR | os.O_CREAT),
}
STARTS: dict[str, Callable[[], Any]] = {
    "program": lambda: subprocess.run(["true"], check=True),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "signal": lambda: os.kill(os.getppid(), 0),
}
SOCKETS: dict[str, Callable[[], Any]] = {"TCP": connect, "UDP": send}
BY_SECCOMP: dict[str, Callable[[], Any]] = {
    "chmod": lambda: os.chmod("file", 0o777),
    "times": lambda: os.utime("file", (0, 0)),
    "attribute": lambda: os.setxattr("file", "user.x", b"x"),
    "fork": fork,
    "socket": lambda: socket.socket(socket.AF_UNIX).close(),
    **SOCKETS,
}
ALLOWED: dict[str, Callable[[], Any]] = {
    "read": lambda: Path("file").read_text(),
    "list": lambda: os.listdir("."),
    "thread": lambda: threading.Thread(target=lambda: None).start(),
    "own signal": lambda: os.kill(os.getpid(), 0),
}


def raise_parts(left_out: tuple[str, ...], *, is_root: bool) -> list[str]:
    """Raise the fence in this process, which is a fork, without some of its parts."""
    if not is_root:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for name in left_out:
        setattr(fence, name, lambda _: set())
    return fence.raise_fence()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("file", "other"):
        (tmp_path / name).write_text("kept")
        (tmp_path / name).chmod(0o666)
    (tmp_path / "folder").mkdir()
    for part in (tmp_path, *tmp_path.parents[:3]):
        part.chmod(0o777)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tried(attempts: dict[str, Callable[[], Any]]) -> Iterator[str]:
    """Yield the attempts that succeed."""
    for name, attempt in attempts.items():
        try:
            attempt()
        except PermissionError:
            continue
        yield name


@pytest.mark.parametrize("is_root", [True, False], ids=["root", "user"])
@pytest.mark.parametrize("part", PARTS)
def test_what_each_part_refuses(part: str, is_root: bool, folder: Path) -> None:
    if is_root != (os.getuid() == 0) and is_root:
        pytest.skip("this is not root")
    refused = {**CHANGES, **STARTS}
    if part != "Landlock":
        refused |= BY_SECCOMP

    def work() -> Iterator[Any]:
        yield raise_parts(PARTS[part], is_root=is_root or os.getuid() != 0)
        yield [*tried(refused)]
        yield [*tried(ALLOWED)]

    (left, passed, allowed), death = processes.collect(work(), Limits())
    assert death is None
    by_seccomp_alone = ["change modes, owners and times of files", "open sockets"]
    assert left == (by_seccomp_alone if part == "Landlock" else [])
    assert passed == []
    assert allowed == [*ALLOWED]
    assert {path.name for path in folder.iterdir()} == {"file", "other", "folder"}
    assert (folder / "file").read_text() == "kept"


def test_each_attempt_succeeds_without_the_fence(folder: Path) -> None:
    """Check that the attempts above are attempts: none fails for another reason."""
    for name, attempt in {**CHANGES, **STARTS, **BY_SECCOMP}.items():
        for path in folder.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
        for file in ("file", "other"):
            (folder / file).write_text("kept")
        (folder / "folder").mkdir()
        if name not in ("exec", "attribute", "shared memory"):
            attempt()


def test_neither_part_is_there() -> None:
    def work() -> Iterator[Any]:
        yield raise_parts(("_landlock", "_seccomp"), is_root=True)

    assert processes.collect(work(), Limits()) == ([[*fence.RIGHTS]], None)


def test_other_system_calls_of_a_program(folder: Path) -> None:
    """Check calls that go around: by numbers, by newer forms, and by io_uring."""
    import ctypes

    numbers = {
        "openat2": 437,
        "clone3": 435,
        "io_uring_setup": 425,
        "x32": 0x40000000 | 2,
        "new": 9999,
    }

    def work() -> Iterator[Any]:
        fence.raise_fence()
        libc = ctypes.CDLL(None, use_errno=True)
        for name, number in numbers.items():
            yield [name, libc.syscall(number, 0, 0, 0), ctypes.get_errno()]

    answers, death = processes.collect(work(), Limits())
    assert death is None
    assert all(result == -1 and error in (1, 38) for _, result, error in answers)
