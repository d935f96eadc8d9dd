"""Other tools and runtimes on nodes with function bodies, as DEPLOYMENT.md describes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.documents import blocks
from tests.programs import PATH, program

pytestmark = pytest.mark.everything

TOOLS = program("tools/tools")

# Two models of one package merged, and a node without a function.
MORE_TOOLS = program("tools/more_tools")

OPENVINO = """
inlined = onnx.inliner.inline_local_functions(onnx.load("net.onnx"))
onnx.save(inlined, "inlined.onnx")
precise = {"INFERENCE_PRECISION_HINT": "f32"}
actual = core.compile_model(core.read_model("inlined.onnx"), "CPU", precise)({0: x.numpy()})[0]
print(abs(actual - wanted).max() < 1e-5)
ones = numpy.ones((2, 3), numpy.float32)
standard = core.compile_model(core.read_model("standard.onnx"), "CPU")
for model in (compiled, standard):
    print((model([ones, ones])[0] == 3).all())
"""


def run(packages: Environment, folder: Path, wheels: list[str], code: str) -> list[str]:
    tools = folder / "tools"
    options = ["--quiet", "--no-deps", "--target", str(tools)]
    packages.checked("-m", "pip", "install", *options, *wheels, cwd=folder)
    path = f"import sys; sys.path.append({str(tools)!r})"
    output = packages.checked("-W", "ignore", "-c", f"{path}\n{code}", cwd=folder, PYTHONPATH=PATH)
    return [line for line in output.splitlines() if line in ("True", "False")]


def test_tools(packages: Environment, tmp_path: Path) -> None:
    wheels = ["onnxconverter-common"]
    assert run(packages, tmp_path, wheels, TOOLS) == ["True"] * 9


SLIM = program("tools/slim")


@pytest.mark.usefixtures("many_ops")
def test_onnxslim(packages: Environment, tmp_path: Path) -> None:
    """Check a function with fewer inputs than another one."""
    assert run(packages, tmp_path, ["onnxslim", "colorama"], SLIM) == ["True"] * 4


def test_tools_of_onnx_and_of_the_runtime(packages: Environment, tmp_path: Path) -> None:
    output = packages.checked("-W", "ignore", "-c", MORE_TOOLS, cwd=tmp_path, PYTHONPATH=PATH)
    assert [line for line in output.splitlines() if line in ("True", "False")] == ["True"] * 5, (
        output
    )


NODE = """
const fs = require("fs");
(async () => {
  for (const name of ["onnxruntime-node", "onnxruntime-web"]) {
    const ort = require(name);
    ort.env.wasm.numThreads = 1;
    const session = await ort.InferenceSession.create(fs.readFileSync("node.onnx"));
    const ones = new ort.Tensor("float32", new Float32Array(6).fill(1), [2, 3]);
    const actual = await session.run({a: ones, b: ones});
    console.log(Array.from(actual[session.outputNames[0]].data).every((value) => value === 3));
  }
  process.exit(0);
})();
"""


def test_node_and_web(packages: Environment, tmp_path: Path) -> None:
    """Check that both run a node by its function."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    model = """
import my_add, torch

args = torch.rand(2, 3), torch.rand(2, 3)
my_add.export(my_add.MyAdd().eval(), args, "node.onnx", domain="my_lib", verbose=False)
"""
    packages.checked("-W", "ignore", "-c", model, cwd=tmp_path)
    # Their install scripts would fetch libraries for GPUs.
    install = ["npm", "install", "--ignore-scripts", "onnxruntime-node", "onnxruntime-web"]
    subprocess.run(install, cwd=tmp_path, check=True, capture_output=True)
    result = subprocess.run(
        ["node", "-e", NODE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.stdout.split() == ["true"] * 2, result.stderr


def test_openvino(packages: Environment, tmp_path: Path) -> None:
    """Check the page's rules, for the node and for a standard one."""
    rules = [block for block in blocks("DEPLOYMENT.md", "py") if "def " in block]
    ready = """
import my_add, numpy, onnx.inliner, torch
from tests.programs.tools.model import wanted, x
a, b = torch.ones(2, 3), torch.zeros(2, 3)
for name, domain in (("node.onnx", "my_lib"), ("standard.onnx", "")):
    my_add.export(my_add.MyAdd(), (a, b), name, domain=domain, verbose=False)
"""
    code = "\n".join([ready, *rules, OPENVINO])
    assert run(packages, tmp_path, ["openvino", "openvino-telemetry"], code) == ["True"] * 3
