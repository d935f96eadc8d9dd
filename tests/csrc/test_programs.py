"""Programs that need only headers, compiled like packages: each prints nothing, or what is
wrong.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CSRC = ROOT / "runtime" / "onnxop_runtime" / "include"
FLAGS = "-std=c++20 -O3 -Wall -Wextra -Werror -fno-math-errno -fno-trapping-math -ffp-contract=off"
PROGRAMS = ("functions", "matrix", "places", "reduce")
LEVELS = {"x86-64-v2": ("sse4_2", 16), "x86-64-v3": ("avx2", 32), "x86-64-v4": ("avx512vl", 64)}
"""The main feature of each level of CPUs, and the bytes of its registers."""

CPU = Path("/proc/cpuinfo").read_text(encoding="utf-8")
SUPPORTED = [level for level, (feature, _) in LEVELS.items() if feature in CPU]

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


def compiled(name: str, folder: Path, level: str = "") -> Path:
    """Compile the program like a package, for all levels of CPUs or for one."""
    program = folder / f"{name}{level}"
    if not program.exists():
        compiler = shlex.split(os.environ.get("CXX", "g++"))
        flags = [*shlex.split(FLAGS), "-fwrapv", "-pthread", f"-I{CSRC}"]
        if level:
            flags.append(f'-DONNXOP_EACH_CPU=__attribute__((target("arch={level}")))')
            flags.append(f"-DONNXOP_REGISTER_BYTES={LEVELS[level][1]}")
        source, object_file = ROOT / "tests" / "csrc" / f"{name}.cpp", program.with_suffix(".o")
        subprocess.run([*compiler, *flags, "-c", source, "-o", object_file], check=True)
        subprocess.run([*compiler, "-pthread", object_file, "-o", program], check=True)
    return program


def run(*command: str | Path) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, folder: Path) -> None:
    """Check ``functions`` to 4 units in the last place, over all exponents; ``places`` to the same
    bits; ``matrix`` and ``reduce`` against plain sums. The code is this CPU's alone, which packages
    would choose.
    """
    run(compiled(name, folder, *SUPPORTED[-1:]))


def test_loops_of_each_cpu_are_of_one_file(folder: Path) -> None:
    """A loop that other files could share is what g++ 14.2 cannot compile for several levels of
    CPUs.
    """
    program = compiled("clones", folder)
    run(program)
    table = subprocess.run(
        ["nm", "-C", program.with_suffix(".o")], capture_output=True, text=True, check=True
    )
    loops = [line for line in table.stdout.splitlines() if "onnxop::detail::reduce<" in line]
    assert loops
    assert not [line for line in loops if line.split()[1] in "WVu"], "weak symbols"


@pytest.mark.everything
@pytest.mark.parametrize("level", ["", *SUPPORTED[:-1]])
@pytest.mark.parametrize("name", PROGRAMS)
def test_level(name: str, level: str, folder: Path) -> None:
    run(compiled(name, folder, level))


@pytest.mark.everything
def test_every_float(folder: Path) -> None:
    run(compiled("functions", folder), "all")


@pytest.mark.everything
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="needs qemu-user")
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_file_runs_on_old_cpus(name: str, folder: Path) -> None:
    """Run the file that uses AVX-512 where supported on a CPU without AVX."""
    run("qemu-x86_64", "-cpu", "Nehalem", compiled(name, folder))
