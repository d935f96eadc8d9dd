"""What the tests share: one environment over the one they run in, and what is made once for all."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import settings

# CI judges a change, not the luck of the draw; at a desk every run draws anew. How much is drawn is
# for the run to say, not for the test: pytest --hypothesis-profile=everything draws ten times as much.
settings.register_profile("quick", max_examples=50, derandomize="CI" in os.environ)
settings.register_profile("everything", max_examples=500, derandomize="CI" in os.environ)
settings.load_profile("quick")

# Hundreds of processes import onnxop, which takes a third longer where none may keep what it compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Packages of one run share most of their sources, and runs of one machine nearly all.
if not {"CC", "CXX"} & os.environ.keys():
    _cache = str(Path(sysconfig.get_path("scripts"), "sccache"))
    os.environ.update(CC=f"{_cache} gcc", CXX=f"{_cache} g++")
    # One server for all processes, unless there is one; it ends when nobody asks it for a while.
    subprocess.run([_cache, "--start-server"], capture_output=True, check=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, its two halves by turns, so that processes which take turns
    seldom wait for one and the same build; small tests fill the end.
    """
    small = [item for item in items if "unit" in item.path.parts]
    long = [item for item in items if "unit" not in item.path.parts]
    middle = len(long) // 2
    turns = zip_longest(long[:middle], long[middle:])
    items[:] = [item for turn in turns for item in turn if item is not None] + small


def pytest_collection_finish() -> None:
    gc.freeze()  # what was imported stays: the collector need not look at it again


def run_merged(
    command: Sequence[str | Path], cwd: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command without input; its errors are part of its output."""
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@dataclass(frozen=True)
class Environment:
    """A throwaway virtual environment that sees the packages of the current one."""

    folder: Path

    def run(
        self, *arguments: str | Path, cwd: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs the environment's Python; its errors are part of its output."""
        return run_merged([self.folder / "bin" / "python", *arguments], cwd, **variables)

    def checked(self, *arguments: str | Path, cwd: Path, **variables: str) -> str:
        """What it prints, where it succeeds."""
        done = self.run(*arguments, cwd=cwd, **variables)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def install(self, package: Path, **variables: str) -> None:
        """Builds and installs a package, by the setuptools that are there: pip's isolation would
        install them anew for each. All by one command, of which the compiler's cache has the runtime's
        files, most of what is compiled.
        """
        variables = {"CXXFLAGS": "-Werror", **variables}
        options = ["--no-build-isolation", "--no-deps", "--force-reinstall"]
        options += ["--disable-pip-version-check", "--quiet"]
        self.checked("-m", "pip", "install", *options, ".", cwd=package, **variables)


@dataclass(frozen=True)
class Shared:
    """A folder of this run that all of its processes see."""

    folder: Path

    def once(self, name: str, make: Callable[[Path], object]) -> Path:
        """The folder of that name, made by the first who asks; the others wait for it. What could
        not be made is tried again by the next.
        """
        place, done = self.folder / name, self.folder / f"{name}.done"
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # which ends with the process, however that ends
            if not done.exists():
                shutil.rmtree(place, ignore_errors=True)
                make(place)
                done.touch()
        return place


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    return Shared(folder)


@pytest.fixture(scope="session")
def environment(shared: Shared) -> Environment:
    return Environment(shared.once("environment", make_environment))


def make_environment(folder: Path) -> Environment:
    """A new one, in a folder that is empty or not there."""
    venv.create(folder, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    outer = sysconfig.get_paths()["purelib"]
    link = folder / "lib" / version / "site-packages" / "outer.pth"
    link.write_text(f"import site; site.addsitedir({outer!r})\n", encoding="utf-8")
    return Environment(folder)
