"""Operators that write to arguments, as kernels with caches do."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop import cli
from tests.packages.test_packages import PYTEST, at_most_ends
from tests.programs import program
from tests.warm import Warm

APPEND = '''
[op]
schema = "writing::append(Tensor x, Tensor(a!) cache, int position) -> ()"

[onnx]
opset = 13
mapping = """
indices = op.Add(op.Range(0, x.shape[1], 1), position)
return op.ScatterElements(cache, op.Expand(op.Reshape(indices, [1, -1, 1]), op.Shape(x)), x, axis=1)
"""

[kernel]
python = "cache.index_copy(1, arange(position, position + x.shape[1], device=x.device), x)"

[[samples]]
x = "float32[2, 1, 3]"
cache = "float32[2, 4, 3]"
position = 2

[package]
name = "writing"
'''

ADD = """
[op]
schema = "writing::add_to(Tensor x, Tensor(a!) total) -> Tensor"

[onnx]
opset = 13
mapping = "return op.Mul(x, 2.0), op.Add(x, total)"

[kernel]
python = "return 2 * x, x + total"

[[samples]]
x = "float32[2, 3]"
total = "float32[2, 3]"
"""

OUT = """
[op]
schema = "writing::add_out(Tensor a, Tensor b, Tensor(a!) out) -> ()"

[onnx]
opset = 14
mapping = "op.Add(a, b)"

[kernel]
python = "a + b"

[[samples]]
a = "float32[n=3]"
b = "float32[n]"
out = "float32[n]"
"""
SPECS = {"append": APPEND, "add_to": ADD, "add_out": OUT}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package of these operators, which needs no build."""
    for name, text in SPECS.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    package = tmp_path / "writing"
    files = [str(tmp_path / f"{name}.toml") for name in SPECS]
    assert cli.main(["new", *files, str(package)]) == 0
    return package


@pytest.mark.slow
def test_caches_and_outputs(package: Path, warm: Warm, tmp_path: Path) -> None:
    source = str(package / "src")
    warm.checked("-c", program("written/cache"), cwd=tmp_path, PYTHONPATH=source)


@pytest.mark.nightly
def test_its_own_tests(package: Path, warm: Warm) -> None:
    source = str(package / "src")
    warm.checked(*PYTEST, "-k", at_most_ends(package), cwd=package, PYTHONPATH=source)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_kernel_in_c(many_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check that a kernel writes to the caller's tensor in PyTorch, and to a result in ONNX
    Runtime.
    """
    warm.checked("-W", "ignore", "-c", program("written/kernel"), cwd=tmp_path)
