"""Compiled parts of different releases: each pair that does not fit raises a sentence."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import onnx
import pytest

import onnxop_runtime
from tests.conftest import Environment, Shared
from tests.packages.conftest import ROOT, Build
from tests.programs import program
from tests.warm import Warm

RUNTIME = ROOT / "runtime" / "onnxop_runtime"
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
LATER = """
[op]
schema = "my_lib::later(Tensor a, Tensor b) -> Tensor"
[onnx]
opset = 13
domain = "later_lib"
mapping = "op.Sub(a, b)"
[kernel]
elementwise = "a - b"
[[samples]]
a = "float32[2]"
b = "float32[2]"
"""
# A session with both libraries and a node of each; `entries` are those of its options.
SESSIONS = program("abi/sessions")


def numbers(text: str, pattern: str) -> list[str]:
    return re.findall(pattern, text, flags=re.MULTILINE)


def test_one_abi() -> None:
    header = (RUNTIME / "include" / "onnxop" / "op.h").read_text(encoding="utf-8")
    assert numbers(header, r"int kAbi = (\d+);") == [str(onnxop_runtime.ABI)]


@pytest.fixture(scope="session")
def later(build: Build, environment: Environment, shared: Shared, warm: Warm) -> None:
    """Build `my_lib::later` with a runtime of another ABI, which is not installed."""
    build(SPEC)
    shared.once("later", partial(_make_later, environment, warm))


def _make_later(environment: Environment, warm: Warm, folder: Path) -> None:
    runtime = folder / "onnxop_runtime"
    shutil.copytree(RUNTIME, runtime)
    header = runtime / "include" / "onnxop" / "op.h"
    text = header.read_text(encoding="utf-8")
    changed = re.sub(r"int kAbi = \d+;", "int kAbi = 99;", text)
    header.write_text(changed, encoding="utf-8")
    flags = (
        runtime / "build.py"
    )  # nobody else compiles these headers, and their speed does not matter
    text = flags.read_text(encoding="utf-8")
    flags.write_text(text.replace('"-O3"', '"-O0"'), encoding="utf-8")
    (folder / "later.toml").write_text(LATER, encoding="utf-8")
    warm.checked("-m", "onnxop", "new", "later.toml", "later", cwd=folder)
    environment.install(folder / "later", PYTHONPATH=str(folder))


@pytest.mark.nightly
@pytest.mark.usefixtures("later")
def test_import_of_another_abi(warm: Warm, tmp_path: Path) -> None:
    result = warm.run("-c", "import later", cwd=tmp_path)
    last = result.stdout.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert "was built for another onnxop-runtime (ABI 99, this one has 1); rebuild later:" in last


@pytest.mark.nightly
@pytest.mark.usefixtures("later")
def test_ship_of_another_abi(warm: Warm, tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 18, "later_lib" : 1]>
    g (float[2] x) => (float[2] y) { y = later_lib.later(x, x) }"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    result = warm.run("-m", "onnxop", "ship", "model.onnx", "shipped", cwd=tmp_path)
    fact = (
        "model.onnx: no installed package computes later_lib::later; install the package that does"
    )
    assert f"{fact}; or rebuild later, built for another onnxop-runtime" in result.stdout
    assert result.returncode == 1 and not (tmp_path / "shipped").exists()


@pytest.mark.nightly
@pytest.mark.usefixtures("later")
def test_one_domain_of_two_abis(warm: Warm, tmp_path: Path) -> None:
    """Check that the second library is refused."""
    code = 'both({"onnxop.domains.my_lib::later": "my_lib"})'
    output = warm.checked("-W", "ignore", "-c", SESSIONS + code, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("refused", "ran"))]
    assert len(lines) == 2, output
    for line, (first, second) in zip(lines, [(1, 99), (99, 1)], strict=True):
        assert line.startswith("refused: ")
        fact = (
            f"another library with onnxop's ABI {first} has set onnxop.domain.my_lib in the "
            f"session's options, but this library has ABI {second}; build both packages"
        )
        assert fact in line


@pytest.mark.nightly
@pytest.mark.usefixtures("later")
def test_domains_of_two_abis(warm: Warm, tmp_path: Path) -> None:
    """Check that each library serves its own domain, and does not read the other's records."""
    code = 'both({}); both({"onnxop.domains.my_lib::later": "a", "onnxop.domains.my_lib::nobody": "b"})'
    output = warm.checked("-W", "ignore", "-c", SESSIONS + code, cwd=tmp_path)
    assert [line for line in output.splitlines() if line.startswith(("refused", "ran"))] == (
        ["ran: [2.0, 4.0]"] * 4
    )


@pytest.mark.slow
def test_the_same_operator_twice(build: Build, warm: Warm, tmp_path: Path) -> None:
    """Check that the second package is refused; it would end the process."""
    build(SPEC)
    installed = warm.checked("-c", "import my_add; print(my_add.__path__[0])", cwd=tmp_path)
    shutil.copytree(installed.strip(), tmp_path / "own" / "again")
    for first, second in (("my_add", "again"), ("again", "my_add")):
        code = f"import sys; sys.path.insert(0, 'own')\nimport {first}\nprint('first', flush=True)\nimport {second}"
        result = warm.run("-c", code, cwd=tmp_path)
        assert result.returncode == 1, result.stdout
        assert "first\n" in result.stdout
        last = result.stdout.splitlines()[-1]
        assert last.startswith(
            "ImportError: my_lib::my_add is already registered by another library, so"
        )
