"""A package's README: what a new environment needs before the package is installed."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests import rendering

SPEC = """
[package]
{runtimes}
[op]
schema = "my_lib::negated(Tensor x) -> Tensor"
[onnx]
opset = 18
mapping = "op.Neg(x)"
[kernel]
{kernel}
[[samples]]
x = "float32[2, 3]"
"""
PYTHON = 'python = "torch.neg(x)"'
ELEMENTWISE = 'elementwise = "-x"'
BOTH = 'runtimes = ["onnxruntime", "openvino"]'


@pytest.mark.parametrize(
    ("kernel", "runtimes"), [(PYTHON, ""), (ELEMENTWISE, ""), (ELEMENTWISE, BOTH)]
)
def test_what_a_new_environment_needs(kernel: str, runtimes: str, tmp_path: Path) -> None:
    """Check that these are the requirements of a build without isolation, or else the runtime, which
    no index has.
    """
    spec, package = tmp_path / "negated.toml", tmp_path / "package"
    spec.write_text(SPEC.format(kernel=kernel, runtimes=runtimes), encoding="utf-8")
    rendering.generate(spec, package)
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    readme = (package / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"A new environment first needs .*?`pip install (.*?)`", readme)
    needed = shlex.split(command)
    assert needed[0] == "ONNXOP/runtime"
    assert ("--no-build-isolation" in readme) is (kernel == ELEMENTWISE)
    if kernel == PYTHON:
        assert needed == ["ONNXOP/runtime"]
        return
    of_build = project["build-system"]["requires"]
    assert {*needed[1:]} == {name for name in of_build if not name.startswith("onnxop-runtime")}
    listed = readme.partition("pip adds ")[2].partition(".")[0]
    dependencies = {re.split("[<>=]", name)[0] for name in project["project"]["dependencies"]}
    assert {*re.split(", | and ", listed)} == dependencies - {"onnxop-runtime"}
