"""The reference packages in one process: models that call their ops, exports in threads, copies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.programs import PATH, program
from tests.tiers import nightly
from tests.warm import Warm

ONE_MODEL = program("together/one_model")

IN_THREADS = program("together/in_threads")

NEGATED = program("together/negated")

COPY = """
import sys, my_add
del sys.modules["my_add"]
for name in [name for name in sys.modules if name.startswith("my_add.")]:
    del sys.modules[name]
sys.path.insert(0, {copy!r})
try:
    import my_add
except ImportError as error:
    print(error)
"""

INDUCTOR = program("together/inductor")


DEFORMED = program("together/deformed")

SUPER_RESOLUTION = program("together/super_resolution")


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        (ONE_MODEL, 4),
        nightly(IN_THREADS, 1),
        nightly(NEGATED, 2),
        nightly(INDUCTOR, 1),
        nightly(DEFORMED, 31),
        nightly(SUPER_RESOLUTION, 20),
    ],
    ids=[
        "one model",
        "in threads",
        "negated view",
        "inductor",
        "deformable convolution",
        "super-resolution",
    ],
)
def test_packages_work_in_one_process(
    packages: Warm, tmp_path: Path, code: str, answers: int
) -> None:
    result = packages.run("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=PATH)
    assert result.returncode == 0, result.stdout
    lines = [line for line in result.stdout.splitlines() if line in ("True", "False")]
    assert lines == ["True"] * answers, result.stdout


def test_a_copy_elsewhere_is_refused(packages: Warm, tmp_path: Path) -> None:
    where = packages.run("-c", "import my_add; print(my_add.__path__[0])", cwd=tmp_path)
    shutil.copytree(where.stdout.strip(), tmp_path / "copy" / "my_add")
    result = packages.run("-c", COPY.format(copy=str(tmp_path / "copy")), cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    assert "my_lib::my_add is already registered by another library" in result.stdout
