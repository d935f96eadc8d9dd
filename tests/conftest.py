"""Shared fixtures: an environment over the current one, and what all tests use but only one
makes.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from onnxop_runtime.testing.plugin import ImportedModules

# CI draws the same examples each time, a desk new ones. The run, not the test, says how many:
# pytest --hypothesis-profile=everything draws ten times as many.
# Without a deadline for each example: it is of wall-clock time, which other processes take.
settings.register_profile("quick", max_examples=50, deadline=None, derandomize="CI" in os.environ)
settings.register_profile(
    "everything", max_examples=500, deadline=None, derandomize="CI" in os.environ
)
settings.load_profile("quick")

# Hundreds of processes import onnxop, which takes a third longer without cached bytecode. This
# process writes it, too: it has read the variable already, and the others of pytest would compile
# all tests and PyTorch again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Packages of one run share most of their sources, and runs of one machine nearly all: the
# compiler's cache serves them, as all have the same flags.
os.environ.setdefault("CXXFLAGS", "-Werror")
if not {"CC", "CXX"} & os.environ.keys():
    _cache = str(Path(sysconfig.get_path("scripts"), "sccache"))
    os.environ.update(CC=f"{_cache} gcc", CXX=f"{_cache} g++")
    # One server for all processes, unless one runs already; it ends after a while without requests.
    subprocess.run([_cache, "--start-server"], capture_output=True, check=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the first test of every file, then the second, and so on: a file's first tests build what
    the file needs, and processes seldom wait for the same build. Quick unit tests fill the end. A
    fixture with the scope of a module would be made anew for each test: give it the scope of the
    session.
    """
    turns = Counter[Path]()

    def turn(item: pytest.Item) -> tuple[bool, int]:
        turns[item.path] += 1
        is_quick = "unit" in item.path.parts and item.get_closest_marker("slow") is None
        return is_quick, turns[item.path]

    items.sort(key=turn)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect one process after the other where nothing is compiled yet: the first compiles what
    the others read.
    """
    tests = Path(__file__).parent
    with (tests / "conftest.py").open() as lock:
        if not any(tests.glob("unit/__pycache__/*-pytest-*")):
            fcntl.flock(lock, fcntl.LOCK_EX)
        return (yield)


@pytest.fixture(autouse=True)
def _seeded_torch() -> None:
    """Draw the same numbers in every run: a test that fails once fails again."""
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)  # torch.manual_seed takes longer than most tests


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ImportedModules())


def run_merged(
    command: Sequence[str | Path], cwd: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command without input; its errors are part of its output."""
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
        """Run the environment's Python; its errors are part of its output."""
        return run_merged([self.folder / "bin" / "python", *arguments], cwd, **variables)

    def checked(self, *arguments: str | Path, cwd: Path, **variables: str) -> str:
        """Return the output of a run that must succeed."""
        result = self.run(*arguments, cwd=cwd, **variables)
        assert result.returncode == 0, result.stdout
        return result.stdout

    def install(self, package: Path, **variables: str) -> None:
        """Build and install a package with the installed setuptools, which pip's isolation would
        install again for each.
        """
        options = ["--no-build-isolation", "--no-deps", "--force-reinstall"]
        options += ["--disable-pip-version-check", "--quiet"]
        self.checked("-m", "pip", "install", *options, ".", cwd=package, **variables)


@dataclass(frozen=True)
class Shared:
    """A folder that all processes of this run share."""

    folder: Path

    def once(self, name: str, make: Callable[[Path], object]) -> Path:
        """Return the folder of that name. The first caller makes it, the others wait; after a
        failure the next caller tries again.
        """
        place, marker = self.folder / name, self.folder / f"{name}.done"
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the lock ends with the process
            if not marker.exists():
                shutil.rmtree(place, ignore_errors=True)
                make(place)
                marker.touch()
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
    """Make an environment in a folder that is empty or missing."""
    venv.create(folder, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    outer = sysconfig.get_paths()["purelib"]
    link = folder / "lib" / version / "site-packages" / "outer.pth"
    link.write_text(f"import site; site.addsitedir({outer!r})\n", encoding="utf-8")
    return Environment(folder)
