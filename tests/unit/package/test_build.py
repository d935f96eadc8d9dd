"""The command that installs a package without a network, in environments with and without pip and
uv.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from onnxop.errors import BuildError
from onnxop.package import build

ROOT = Path(__file__).resolve().parents[3]
SOURCES = f"{ROOT / 'generator'}:{ROOT / 'runtime'}"
PROGRAM = """
import json
from onnxop.errors import BuildError
from onnxop.package import build
from onnxop_runtime.installer import pip_install

try:
    command = build.installer()
except BuildError as error:
    command = str(error)
print(json.dumps([command, pip_install()]))
"""


@pytest.fixture(scope="session")
def without_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of a new environment that has nothing, as ``uv venv`` makes it."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True, with_pip=False)
    return folder / "bin" / "python"


def answers(python: Path, path: str) -> tuple[list[str] | str, str]:
    """Return the installer of an environment, and how it is shown; ``path`` is the PATH of the
    shell.
    """
    variables = {"PYTHONPATH": SOURCES, "PATH": path}
    command = [str(python), "-c", PROGRAM]
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    installer, shown = json.loads(run.stdout)
    return installer, shown


def uv_folder() -> str:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    return str(Path(uv).parent)


@pytest.mark.nightly
@pytest.mark.slow
def test_pip_comes_first(tmp_path: Path) -> None:
    pytest.importorskip("ensurepip")
    venv.create(tmp_path, symlinks=True, with_pip=True)
    python = tmp_path / "bin" / "python"
    for path in ("/nowhere", uv_folder()):
        installer, shown = answers(python, path)
        assert installer[:4] == [str(python), "-m", "pip", "install"]
        assert shown == "pip install"


def test_uv_where_there_is_no_pip(without_pip: Path) -> None:
    folder = uv_folder()
    installer, shown = answers(without_pip, folder)
    uv = f"{folder}/uv"
    assert installer[:5] == [uv, "pip", "install", "--python", str(without_pip)]
    assert shown == "uv pip install"


def test_an_environment_without_pip_and_uv_is_named(without_pip: Path) -> None:
    installer, shown = answers(without_pip, "/nowhere")
    assert installer == f"{without_pip}: has neither pip nor uv; run python -m ensurepip"
    assert shown == "pip install"


def test_what_a_build_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build.check_can_build()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(BuildError, match="has no Python.h; install Python's headers .*apt install"):
        build.check_can_build()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(BuildError, match="no C.. compiler is found .*install g.."):
        build.check_can_build()
    build.check_can_build(has_kernels=False)
