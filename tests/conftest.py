"""What the tests share: an environment to install packages into, over the one they run in."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

# CI judges a change, not the luck of the draw; at a desk every run draws anew. How much is drawn is
# for the run to say, not for the test: pytest --hypothesis-profile=everything draws ten times as much.
settings.register_profile("quick", max_examples=50, derandomize="CI" in os.environ)
settings.register_profile("everything", max_examples=500, derandomize="CI" in os.environ)
settings.load_profile("quick")


@dataclass(frozen=True)
class Environment:
    """A throwaway virtual environment that sees the packages of the current one."""

    folder: Path

    def run(
        self, *arguments: str | Path, cwd: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs the environment's Python; its errors are part of its output."""
        return subprocess.run(
            [self.folder / "bin" / "python", *arguments],
            cwd=cwd,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_environment(tmp_path_factory.mktemp("environment"))


def make_environment(folder: Path) -> Environment:
    """A new one, in an empty folder."""
    venv.create(folder, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    outer = sysconfig.get_paths()["purelib"]
    link = folder / "lib" / version / "site-packages" / "outer.pth"
    link.write_text(f"import site; site.addsitedir({outer!r})\n", encoding="utf-8")
    return Environment(folder)
