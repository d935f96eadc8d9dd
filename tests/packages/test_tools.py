"""Other tools and runtimes on nodes with function bodies, as DEPLOYMENT.md describes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.documents import blocks

pytestmark = pytest.mark.everything

MODEL = """
import numpy, onnx, onnxruntime, torch, deform_conv2d, my_add
from torchvision.ops import DeformConv2d

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)
        self.convolution = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return torch.relu(self.convolution(self.deform(x, self.offset(x))))

net, x = Net().eval(), torch.rand(1, 3, 12, 12)
with torch.no_grad():
    wanted = net(x).numpy()
deform_conv2d.export(net, (x,), "net.onnx", domain="deform_conv2d", verbose=False)
"""

TOOLS = """
import onnx.compose, onnx.inliner, onnx.utils, onnx.version_converter, onnxscript.optimizer
from onnxruntime.quantization import quant_pre_process, quantize_dynamic
from onnxconverter_common import float16

def told(model, tolerance=1e-5):
    sessions = []
    for options in (onnxruntime.SessionOptions(), deform_conv2d.session_options()):
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        except Exception:
            sessions.append("refused")
            continue
        (actual,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        sessions.append("right" if abs(actual - wanted).max() < tolerance else "wrong")
    own = [node.op_type for node in model.graph.node if "deform_conv2d" in node.op_type]
    return own, *sessions

def file(path, call):
    call("net.onnx", path)
    return onnx.load(path)

load = lambda: onnx.load("net.onnx")
stays, gone = (["deform_conv2d"], "right", "right"), ([], "right", "right")
alone = (["deform_conv2d"], "refused", "right")
print(told(float16.convert_float_to_float16(load(), keep_io_types=True), 1e-2) == stays)
print(told(file("q.onnx", quantize_dynamic), 5e-2) == stays)
kept = {"skip_optimization": True, "skip_symbolic_shape": True}
print(told(file("p.onnx", quant_pre_process)) == gone)
print(told(file("p.onnx", lambda *files: quant_pre_process(*files, **kept))) == stays)
print(told(onnx.inliner.inline_local_functions(load())) == gone)
print(told(onnxscript.optimizer.optimize(load())) == gone)
print(told(onnx.version_converter.convert_version(load(), 21)) == alone)
print(told(onnx.compose.add_prefix(load(), "a_"))[0] == ["a_deform_conv2d"])
print(told(onnx.compose.add_prefix(load(), "a_", rename_functions=False)) == stays)
"""

# Two models of one package merged, and a node without a function.
MORE_TOOLS = """
import onnx.compose
from onnxruntime.quantization import quant_pre_process

class Twice(torch.nn.Module):
    def forward(self, a):
        return my_add.my_add(a, a)

ones = torch.ones(2, 3)
for name in "ab":
    names = {"input_names": [f"{name}_in"], "output_names": [f"{name}_out"]}
    my_add.export(Twice(), (ones,), f"{name}.onnx", domain="my_lib", verbose=False, **names)

def merged(prepare=lambda a, b: None, **options):
    a, b = onnx.load("a.onnx"), onnx.load("b.onnx")
    prepare(a, b)
    try:
        model = onnx.compose.merge_models(a, b, io_map=[("a_out", "b_in")], **options)
    except ValueError as error:
        return "overlapping local function names" in str(error)
    are_right = []
    for options in (onnxruntime.SessionOptions(), my_add.session_options()):
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        (port,) = session.get_inputs()
        are_right.append(bool((session.run(None, {port.name: ones.numpy()})[0] == 9).all()))
    return are_right, sum(counts["cpu"] for counts in my_add.package.library.served().values())

def take_functions(a, b):
    assert list(a.functions) == list(b.functions)
    del b.functions[:]

print(merged() is True)
print(merged(take_functions, prefix2="b_") == ([True, True], 2))
print(merged(prefix1="a_", prefix2="b_") == ([True, True], 0))

deform_conv2d.export(net, (x,), "bare.onnx", domain="deform_conv2d", opset_version=18, verbose=False)
try:
    quant_pre_process("bare.onnx", "p.onnx")
except Exception as error:
    print("Incomplete symbolic shape inference" in str(error))
quant_pre_process("bare.onnx", "p.onnx", skip_optimization=True, skip_symbolic_shape=True)
session = onnxruntime.InferenceSession("p.onnx", deform_conv2d.session_options())
print(abs(session.run(None, {"x": x.numpy()})[0] - wanted).max() < 1e-5)
"""

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
    output = packages.checked("-W", "ignore", "-c", f"{path}\n{MODEL}\n{code}", cwd=folder)
    return [line for line in output.splitlines() if line in ("True", "False")]


def test_tools(packages: Environment, tmp_path: Path) -> None:
    wheels = ["onnxconverter-common"]
    assert run(packages, tmp_path, wheels, TOOLS) == ["True"] * 9


SLIM = """
import many_ops, onnxslim

class Both(torch.nn.Module):
    def forward(self, a, b, weight):
        return many_ops.squared_distances(a, b, weight), many_ops.squared_distances(a, b + 1)

both, args = Both().eval(), (torch.rand(2, 4), torch.rand(3, 4), torch.rand(4))
for dynamo in (True, False):
    many_ops.export(both, args, "m.onnx", domain="my_lib", opset_version=19, dynamo=dynamo)
    slim = onnxslim.slim(onnx.load("m.onnx")).SerializeToString()
    for options in (onnxruntime.SessionOptions(), many_ops.session_options()):
        session = onnxruntime.InferenceSession(slim, options)
        feeds = {port.name: x.numpy() for port, x in zip(session.get_inputs(), args, strict=True)}
        pairs = zip(session.run(None, feeds), both(*args), strict=True)
        print(all(numpy.allclose(actual, wanted, atol=1e-5) for actual, wanted in pairs))
"""


@pytest.mark.usefixtures("many_ops")
def test_onnxslim(packages: Environment, tmp_path: Path) -> None:
    """Check a function with fewer inputs than another one."""
    assert run(packages, tmp_path, ["onnxslim", "colorama"], SLIM) == ["True"] * 4


def test_tools_of_onnx_and_of_the_runtime(packages: Environment, tmp_path: Path) -> None:
    output = packages.checked("-W", "ignore", "-c", f"{MODEL}\n{MORE_TOOLS}", cwd=tmp_path)
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
import onnx.inliner
a, b = torch.ones(2, 3), torch.zeros(2, 3)
for name, domain in (("node.onnx", "my_lib"), ("standard.onnx", "")):
    my_add.export(my_add.MyAdd(), (a, b), name, domain=domain, verbose=False)
"""
    code = "\n".join([ready, *rules, OPENVINO])
    assert run(packages, tmp_path, ["openvino", "openvino-telemetry"], code) == ["True"] * 3
