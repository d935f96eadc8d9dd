"""A package with C++ installs like any other, wherever the runtime is; its libraries are small, do
not link PyTorch, and are compiled again when needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from onnxop_runtime.installer import pip_install
from tests.conftest import Environment, Shared
from tests.documents import blocks
from tests.packages.conftest import ROOT, Build
from tests.programs import program
from tests.tools.regenerate import generate

SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
BY_HAND = ROOT / "tests" / "specs" / "rms_norm.toml"
RUNTIME = ROOT / "runtime"
SYSTEM = re.compile(r"(libstdc\+\+|libgcc_s|libc|libm|libmvec|libdl|ld-linux-[-\w]+)\.so\.\d+")
BY_ITSELF = program("install/by_itself")


@pytest.fixture
def libraries(build: Build, environment: Environment) -> list[Path]:
    """Return the libraries of my_add: for PyTorch and Python, and for ONNX Runtime."""
    build(SPEC)
    return sorted(environment.folder.glob("lib/*/site-packages/my_add/*.so"))


def test_libraries_link_the_system_alone(libraries: list[Path]) -> None:
    assert len(libraries) == 2
    for library in libraries:
        headers = output("readelf", "--wide", "--dynamic", "--sections", library)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", headers)
        assert needed
        assert all(SYSTEM.fullmatch(name) for name in needed), needed
        assert "RUNPATH" not in headers
        assert ".symtab" not in headers  # symbols for debuggers, half of the file


def test_libraries_show_what_is_looked_for(libraries: list[Path]) -> None:
    shown = [output("nm", "-D", "--defined-only", library).split()[2::3] for library in libraries]
    assert shown == [
        ["PyInit__kernel"],
        ["RegisterCustomOps", "onnxop_library", "onnxop_served"],
    ]


def test_a_kernel_without_pytorch_says_so(libraries: list[Path]) -> None:
    (kernel,) = (library for library in libraries if library.name.startswith("_kernel"))
    assert output(sys.executable, "-S", "-c", BY_ITSELF, kernel) == (
        "PyTorch is not loaded: import torch first\n"
    )


# ---- How the build finds the runtime ----


@pytest.fixture(scope="session")
def links(shared: Shared) -> Path:
    """Return a folder with the wheels that an isolated build needs, except the runtime's."""

    def make(folder: Path) -> None:
        wanted = ["setuptools>=77", "pybind11>=3", "pip"]
        output(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, *wanted)

    return shared.once("links", make)


@pytest.fixture(scope="session")
def runtime_wheel(shared: Shared) -> Path:
    def make(folder: Path) -> None:
        output(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, RUNTIME)

    (wheel,) = shared.once("runtime_wheel", make).glob("*.whl")
    return wheel


class Bare:
    """A virtual environment with pip alone, and without an index."""

    def __init__(self, folder: Path, links: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        venv.create(folder, with_pip=False, symlinks=True)
        self.variables = {
            "PATH": "/usr/bin:/bin",
            "HOME": os.environ.get("HOME", "/"),
            "CC": os.environ.get("CC", "gcc"),
            "CXX": os.environ.get("CXX", "g++"),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(links),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_OFFLINE": "1",
            "UV_NO_INDEX": "1",
            "UV_FIND_LINKS": str(links),
            "UV_NO_CACHE": "1",
        }
        outer = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "-q", "pip"]
        subprocess.run(outer, env=self.variables, check=True)

    def run(
        self, *command: str | Path, cwd: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(argument) for argument in command],
            cwd=cwd,
            env={**self.variables, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )

    def checked(self, *command: str | Path, cwd: Path, **variables: str) -> str:
        result = self.run(*command, cwd=cwd, **variables)
        assert result.returncode == 0, result.stdout
        return result.stdout

    def pip(self, *arguments: str | Path, cwd: Path, **variables: str) -> str:
        return self.checked(self.python, "-m", "pip", *arguments, cwd=cwd, **variables)


@pytest.fixture
def bare(tmp_path: Path, links: Path) -> Bare:
    return Bare(tmp_path / "bare", links)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    generate(SPEC, tmp_path / "my_add")
    return tmp_path / "my_add"


def has_both(bare: Bare) -> bool:
    return len([*bare.folder.glob("lib/*/site-packages/my_add/*.so")]) == 2


@pytest.mark.nightly
def test_pip_without_isolation(
    bare: Bare, package: Path, runtime_wheel: Path, tmp_path: Path
) -> None:
    """Build with the installed runtime, in an environment that is not activated, without torch,
    openvino or an index.
    """
    bare.pip("install", runtime_wheel, "setuptools", "pybind11", cwd=tmp_path)
    bare.pip("install", "--no-build-isolation", "--no-deps", "./my_add", cwd=tmp_path)
    assert has_both(bare)


@pytest.mark.everything
def test_the_first_command_of_the_readme(tmp_path: Path) -> None:
    """Run it in a clone, in an environment that has what it installs and nothing else."""
    (command,) = (block for block in blocks("README.md", "sh") if "--build" in block)
    output("git", "clone", "-q", ROOT, tmp_path / "clone")
    venv.create(tmp_path / "venv", with_pip=True, symlinks=True)
    home = {key: value for key, value in os.environ.items() if key not in ("CXX", "CXXFLAGS")}
    places = {"VIRTUAL_ENV": str(tmp_path / "venv"), "PATH": f"{tmp_path}/venv/bin:/usr/bin:/bin"}
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path / "clone",
        env=home | places,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    shown = blocks("README.md", "text")[0].splitlines()
    assert {line for line in shown if "0.0e+00" in line} <= {*result.stdout.splitlines()}


@pytest.mark.everything
def test_an_editable_runtime_and_package(bare: Bare, package: Path, tmp_path: Path) -> None:
    """Use an editable runtime: a path in a .pth file, as hatchling writes it."""
    (site,) = bare.folder.glob("lib/*/site-packages")
    (site / "runtime.pth").write_text(f"{RUNTIME}\n", encoding="utf-8")
    bare.pip("install", "setuptools", "pybind11", cwd=tmp_path)
    options = ["--no-build-isolation", "--no-deps", "--force-reinstall"]
    bare.pip("install", *options, "./my_add", cwd=tmp_path)
    assert has_both(bare)
    bare.pip("install", *options, "-e", "./my_add", cwd=tmp_path)
    assert len([*(package / "src" / "my_add").glob("*.so")]) == 2


@pytest.mark.everything
@pytest.mark.parametrize("is_isolated", [True, False], ids=["isolated", "not isolated"])
def test_uv(
    package: Path, runtime_wheel: Path, links: Path, tmp_path: Path, is_isolated: bool
) -> None:
    if (uv := shutil.which("uv")) is None:
        pytest.skip("uv is not installed")
    bare = Bare(tmp_path / ".venv", links)
    command = [uv, "pip", "install", "--no-deps"]
    variables = {"UV_FIND_LINKS": f"{links},{runtime_wheel.parent}"}
    if not is_isolated:
        bare.pip("install", runtime_wheel, "setuptools", "pybind11", cwd=tmp_path)
        command.append("--no-build-isolation")
        variables = {}
    bare.checked(*command, "./my_add", cwd=tmp_path, **variables)
    assert has_both(bare)


@pytest.mark.everything
def test_an_isolated_build_finds_a_wheel_of_the_runtime(
    bare: Bare, package: Path, links: Path, runtime_wheel: Path, tmp_path: Path
) -> None:
    both = f"{links} {runtime_wheel.parent}"
    bare.pip("install", "--no-deps", "./my_add", cwd=tmp_path, PIP_FIND_LINKS=both)
    assert has_both(bare)


@pytest.mark.everything
def test_two_wheels_are_enough(
    bare: Bare,
    package: Path,
    environment: Environment,
    links: Path,
    runtime_wheel: Path,
    tmp_path: Path,
) -> None:
    """Install without the sources and a compiler; a wheel has no sources."""
    both = f"{links} {runtime_wheel.parent}"
    bare.pip("wheel", "--no-deps", "-w", "wheels", "./my_add", cwd=tmp_path, PIP_FIND_LINKS=both)
    (wheel,) = tmp_path.glob("wheels/*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert sorted(Path(name).name for name in names if name.startswith("my_add/")) == [
        "__init__.py",
        f"_kernel.{sys.implementation.cache_tag}-{os.uname().machine}-linux-gnu.so",
        "_my_add.py",
        "libmy_add_onnxruntime.so",
        "py.typed",
    ]
    assert wheel.stat().st_size < 1_000_000
    other = Bare(tmp_path / "other", links)
    other.pip("install", "--no-deps", wheel, runtime_wheel, cwd=tmp_path)
    outer = environment.checked("-c", "import torch; print(torch.__path__[0])", cwd=tmp_path)
    (site,) = other.folder.glob("lib/*/site-packages")
    (site / "outer.pth").write_text(str(Path(outer.strip()).parent), encoding="utf-8")
    code = "import my_add as it, torch; print(it.my_add(torch.ones(2), torch.ones(2)), it.__file__)"
    stdout = other.checked(other.python, "-c", code, cwd=tmp_path)
    assert "tensor([3., 3.])" in stdout
    assert str(other.folder) in stdout


@pytest.mark.everything
def test_a_source_distribution_has_all(tmp_path: Path) -> None:
    """Check that it has the kernel that csrc includes from ops/, without a manifest, and builds."""
    generate(BY_HAND, tmp_path / "package")
    python = [sys.executable, "setup.py", "-q"]
    result = subprocess.run([*python, "sdist"], cwd=tmp_path / "package", check=False)
    assert result.returncode == 0
    (archive,) = (tmp_path / "package" / "dist").iterdir()
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("rms_norm-*")
    assert (unpacked / "ops" / "rms_norm.h").is_file()
    assert (unpacked / "ops" / "rms_norm.toml").is_file()
    subprocess.run([*python, "build"], cwd=unpacked, check=True)
    assert len([*unpacked.glob("build/lib*/rms_norm/*.so")]) == 2


# ---- Refused installations ----


def refused(package: Path, runtime: Path) -> str:
    """Return what setup.py prints: a sentence, nothing else."""
    result = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(runtime.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, result.stdout
    (line,) = (line for line in result.stderr.splitlines() if "distutils" not in line)
    return line


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r'__version__ = ".*"', '__version__ = "0.5.0"', "my_add needs onnxop-runtime<0.5,>="),
        ("API = 1", "API = 0", "my_add was made for API 1 of onnxop-runtime, but "),
        ("OLDEST_API = 1", "OLDEST_API = 2", "supports 2 to 1; run onnxop update in"),
    ],
)
def test_another_runtime(package: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    runtime = tmp_path / "onnxop_runtime"
    shutil.copytree(RUNTIME / "onnxop_runtime", runtime)
    text = (runtime / "__init__.py").read_text(encoding="utf-8")
    changed = re.sub(f"^{old}$", new, text, flags=re.MULTILINE)
    assert changed != text
    (runtime / "__init__.py").write_text(changed, encoding="utf-8")
    assert message in refused(package, runtime)


@pytest.mark.everything
def test_old_setuptools_are_told(package: Path, tmp_path: Path) -> None:
    command = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    output(sys.executable, *command, "--target", tmp_path / "old", "setuptools==65.5.0")
    result = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=package,
        env={"PYTHONPATH": str(tmp_path / "old"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"setuptools 65.5.0 is older than 77; run first {pip_install()}")


# ---- Compiling again ----


@pytest.mark.everything
def test_what_has_changed_is_compiled(package: Path, tmp_path: Path) -> None:
    """Compare bytes, not times: a later runtime's headers may be older files."""
    runtime = tmp_path / "onnxop_runtime"
    shutil.copytree(RUNTIME / "onnxop_runtime", runtime)

    def compiled(**variables: str) -> set[str]:
        before = {file: file.stat().st_mtime_ns for file in package.rglob("*.o")}
        environment = {**os.environ, "PYTHONPATH": str(runtime.parent), **variables}
        command = [sys.executable, "setup.py", "-q", "build"]
        subprocess.run(command, cwd=package, env=environment, check=True)
        after = {file: file.stat().st_mtime_ns for file in package.rglob("*.o")}
        names = {f"{file.parent.name}/{file.stem}" for file in after.keys() - before.keys()}
        changed = (file for file in before if after[file] != before[file])
        return names | {f"{file.parent.name}/{file.stem}" for file in changed}

    kernel, module, library = "csrc/my_add", "python/module", "onnxruntime/library"
    everything = {kernel, module, library, "torch/abi", "torch/library"}
    assert compiled() == everything
    assert compiled() == set()
    (package / "csrc" / "my_add.h").touch()
    assert compiled() == set()
    header = runtime / "include" / "onnxop" / "onnxruntime" / "session.h"
    header.write_text(header.read_text() + "// Later.\n")
    os.utime(header, (0, 0))
    assert compiled() == {library}
    header = package / "csrc" / "my_add.h"
    header.write_text(header.read_text() + "// Later.\n")
    assert compiled() == {kernel}
    assert compiled(CXXFLAGS="-DNOTHING") == everything


def output(*command: str | Path) -> str:
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return result.stdout
