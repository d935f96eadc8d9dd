"""The library for ONNX Runtime on its own: built without Python, in programs that have none of ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import onnxruntime  # type: ignore[import-untyped,unused-ignore]
import pytest

from tests.conftest import Environment, Shared

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "reference_ops" / "my_add"
HOST = ROOT / "tests" / "csrc" / "host.cpp"
CAPI = Path(onnxruntime.__file__).parent / "capi"
# ONNX Runtime is all that a server has; what it stands on comes with it.
ALONE = [
    "onnxruntime",
    "numpy",
    "flatbuffers",
    "google",
    "packaging",
    "sympy",
    "mpmath",
    "coloredlogs",
]

EXPORT = """
import my_add, torch

args = torch.rand(2, 3), torch.rand(2, 3)
my_add.export(my_add.MyAdd(), args, "node.onnx", domain="my_lib", dynamic_axes={"a": [0], "b": [0]})
print(my_add.library_path())
"""

SERVE = """
import sys, numpy, onnxruntime
for name in ("torch", "onnx", "my_add", "onnxop"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{name} is there")
options = onnxruntime.SessionOptions()
options.register_custom_ops_library("./libmy_add_onnxruntime.so")
session = onnxruntime.InferenceSession("node.onnx", options)
a, b = numpy.ones((2, 3), numpy.float32), numpy.full((2, 3), 0.5, numpy.float32)
print(session.run(None, {"a": a, "b": b})[0].tolist() == [[2.5] * 3] * 2)
"""

# How much is kept of options that are gone, by the C library's own account.
KEPT = """
import ctypes, onnxruntime, my_add

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

mallinfo = ctypes.CDLL(None).mallinfo2
mallinfo.restype = Info
path = my_add.library_path()

def register(times):
    for _ in range(times):
        onnxruntime.SessionOptions().register_custom_ops_library(path)

register(50)
before = mallinfo().uordblks
register(2000)
print((mallinfo().uordblks - before) / 2000)
"""


def built(compiler: str, folder: Path) -> Path:
    """The library, by the one command that the package's CMakeLists.txt has."""
    lines = (PACKAGE / "csrc" / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
    (first,) = (n for n, line in enumerate(lines) if line.startswith("#   g++ "))
    words = " ".join(line.strip("# \\") for line in lines[first : first + 3])
    command = words.replace("g++", compiler, 1).replace("-o ", f"-o {folder}/")
    subprocess.run(command, shell=True, check=True, cwd=PACKAGE)
    return folder / "libmy_add_onnxruntime.so"


def needed(library: Path) -> set[str]:
    told = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True)
    lines = [line for line in told.stdout.splitlines() if "(NEEDED)" in line]
    return {line.partition("[")[2].rstrip("]") for line in lines}


C_LIBRARY = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0"}


@pytest.fixture(scope="session")
def shipped(packages: Environment, shared: Shared) -> Path:
    """A folder with a model and the library that belongs to it."""
    return shared.once("shipped", partial(ship, packages))


def ship(packages: Environment, folder: Path) -> None:
    folder.mkdir()
    told = packages.checked("-W", "ignore", "-c", EXPORT, cwd=folder)
    library = Path(told.splitlines()[-1])
    shutil.copy(library, folder)


def test_it_needs_the_c_library_alone(shipped: Path) -> None:
    library = shipped / "libmy_add_onnxruntime.so"
    assert {name for name in needed(library) if not name.startswith("ld-linux")} <= C_LIBRARY
    for word in (b"my_add 0.1.0", b"my_lib::my_add"):
        assert word in library.read_bytes()


def test_where_onnxruntime_is_all_there_is(shipped: Path, tmp_path: Path) -> None:
    for name in ALONE:
        if (CAPI.parents[1] / name).exists():
            (tmp_path / name).symlink_to(CAPI.parents[1] / name)
    libraries = CAPI.parents[1] / "numpy.libs"
    if libraries.exists():
        (tmp_path / "numpy.libs").symlink_to(libraries)
    code = f"import sys; sys.path.append({str(tmp_path)!r})\n{SERVE}"
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    done = subprocess.run(
        [base, "-I", "-S", "-c", code], cwd=shipped, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["True"], done.stderr


def test_a_program_in_cpp(shipped: Path, tmp_path: Path) -> None:
    """Built by one command, the library serves a program that knows the C API alone."""
    library = built("g++", tmp_path)
    (runtime,) = CAPI.glob("libonnxruntime.so.*")
    (tmp_path / "libonnxruntime.so.1").symlink_to(runtime)
    program = tmp_path / "host"
    link = [str(tmp_path / "libonnxruntime.so.1"), f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["g++", "-std=c++20", HOST, "-o", program, *link], check=True)
    done = subprocess.run(
        [program, shipped / "node.onnx", library], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["2.5"] * 6, done.stderr


def test_another_architecture(tmp_path: Path) -> None:
    compiler = "aarch64-linux-gnu-g++"
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    library = built(compiler, tmp_path)
    assert {name for name in needed(library) if not name.startswith("ld-linux")} <= C_LIBRARY
    header = subprocess.run(["readelf", "-h", library], check=True, capture_output=True, text=True)
    assert "AArch64" in header.stdout


@pytest.mark.everything
def test_by_cmake(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    for command in (["-S", str(PACKAGE / "csrc"), "-B", str(tmp_path)], ["--build", str(tmp_path)]):
        subprocess.run(["cmake", *command], check=True)
    shown = subprocess.run(
        ["nm", "-D", "--defined-only", tmp_path / "libmy_add_onnxruntime.so"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "RegisterCustomOps" in shown.stdout


def test_options_that_are_gone_leave_nothing(packages: Environment, tmp_path: Path) -> None:
    kept = packages.checked("-W", "ignore", "-c", KEPT, cwd=tmp_path)
    assert float(kept.splitlines()[0]) < 1


def test_one_set_of_flags() -> None:
    """Those of the library are the same without Python as with it."""
    setup = (PACKAGE / "setup.py").read_text(encoding="utf-8")
    flags = (PACKAGE / "csrc" / "onnxop" / "onnxruntime" / "library.flags").read_text().split()
    ours = [flag for flag in flags if flag not in ("-std=c++20", "-shared", "-fPIC")]
    assert [flag for flag in ours if f'"{flag}"' not in setup] == []
    assert "cxx_std=20" in setup
