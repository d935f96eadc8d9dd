"""The reference ops as one node of a domain each: function bodies, and the library in sessions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import Environment

ROOT = Path(__file__).resolve().parents[2]
NATIVE = sorted(folder.parent.name for folder in ROOT.glob("reference_ops/*/csrc"))
pytestmark = pytest.mark.xdist_group("together")

# Each op in a domain of its own, by both exporters: a stock session where a body is possible, and
# a session with the library where there is one.
EVERY_OP = """
import torch, asinh, deform_conv2d, dynamic_resize, my_add
from torchvision.ops import DeformConv2d

class Deformed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)

    def forward(self, x):
        return self.deform(x, self.offset(x))

class Asinh(torch.nn.Module):
    def forward(self, x):
        return torch.asinh(x)

x, scales = torch.rand(1, 3, 8, 8), torch.tensor([1, 1, 2.0, 1.5])
models = [
    (my_add, my_add.MyAdd(), (x, x), "my_lib", 13),
    (asinh, Asinh(), (x,), "asinh", 9),
    (deform_conv2d, Deformed().eval(), (x,), "deform_conv2d", 19),
    (dynamic_resize, dynamic_resize.Resize(), (x, scales), "dynamic_resize", 11),
]
for package, model, args, domain, first in models:
    for dynamo, opsets in ((False, (9, 11, 17, 19, 23)), (True, (18, 19, 25))):
        for opset in opsets:
            found = package.verify(model, args, dynamo=dynamo, opset=opset, domain=domain).errors
            runtimes = {"ONNX Runtime", "onnx.reference"} if opset >= first else set()
            if hasattr(package, "library_path"):
                runtimes.add("native kernel")
            assert set(found) == runtimes, (package, opset, found)
            assert max(found.values(), default=0) < 1e-5, (package, opset, found)
    print(True)
"""

# A body that computes something else shows which of the two runs.
PREFERRED = """
import numpy as np, onnx, onnxruntime, tempfile, torch, my_add
from pathlib import Path

path = Path(tempfile.mkdtemp(), "m.onnx")
x = torch.rand(3, 4)
my_add.export(my_add.MyAdd(), (x, x), path, domain="my_lib", dynamo=False)
model = onnx.load(path)
for node in model.functions[0].node:
    if node.op_type == "Add":
        node.op_type = "Sub"
onnx.save(model, path)
feeds = {entry.name: x.numpy() for entry in model.graph.input}
stock = onnxruntime.InferenceSession(path).run(None, feeds)[0]
native = onnxruntime.InferenceSession(path, my_add.session_options()).run(None, feeds)[0]
print(np.allclose(stock, x.numpy()))
print(np.allclose(native, 3 * x.numpy()))
"""

# Two libraries in one session, registered twice, which outlives its options; and many sessions.
SESSIONS = """
import gc, tempfile, numpy as np, onnxruntime, torch, asinh, my_add
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

class Both(torch.nn.Module):
    def forward(self, x, y):
        return asinh.asinh(my_add.my_add(x, y))

path = Path(tempfile.mkdtemp(), "m.onnx")
x = torch.rand(50, 40)
my_add.export(Both(), (x, x), path, domain="my_lib")

def session():
    options = asinh.session_options(my_add.session_options(my_add.session_options()))
    return onnxruntime.InferenceSession(path, options)

kept = session()
gc.collect()
wanted = torch.asinh(3 * x).numpy()
run = lambda s: np.allclose(s.run(None, {"x": x.numpy(), "y": x.numpy()})[0], wanted, atol=1e-6)
print(run(kept))
with ThreadPoolExecutor(8) as pool:
    print(all(pool.map(lambda _: run(session()), range(40))))
"""

# What a kernel refuses is an exception of Python's with the kernel's sentence.
REFUSED = """
import numpy as np, onnx, onnxruntime, torch, my_add
from onnx import TensorProto, helper

def model(kind):
    a, b, c = (helper.make_tensor_value_info(n, kind, None) for n in "abc")
    node = helper.make_node("my_add", ["a", "b"], ["c"], domain="my_lib")
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", 1)]
    graph = helper.make_graph([node], "g", [a, b], [c])
    return helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()

session = onnxruntime.InferenceSession(model(TensorProto.FLOAT), my_add.session_options())
try:
    session.run(None, {"a": np.ones((2, 3), np.float32), "b": np.ones(2, np.float32)})
except Exception as error:
    print("a and b of shapes [2, 3] and [2] cannot be broadcast together" in str(error))
try:
    onnxruntime.InferenceSession(model(TensorProto.STRING), my_add.session_options())
except Exception as error:
    print("my_add" in str(error))
for kind, dtype in ((1, np.float32), (11, np.float64), (10, np.float16), (6, np.int32), (7, np.int64)):
    session = onnxruntime.InferenceSession(model(kind), my_add.session_options())
    a, b = np.arange(6).reshape(2, 3).astype(dtype), np.arange(3).astype(dtype)
    print(np.array_equal(session.run(None, {"a": a, "b": b})[0], 2 * a + b))
"""


@pytest.mark.parametrize(
    ("code", "answers"),
    [(EVERY_OP, 4), (PREFERRED, 2), (SESSIONS, 2), (REFUSED, 7)],
    ids=["every op", "preferred", "sessions", "refused"],
)
def test_answers(packages: Environment, tmp_path: Path, code: str, answers: int) -> None:
    done = packages.run("-W", "ignore", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line in ("True", "False")]
    assert lines == ["True"] * answers, done.stdout


@pytest.mark.parametrize("package", NATIVE)
def test_malformed_nodes_and_inputs_are_refused(
    packages: Environment, tmp_path: Path, package: str
) -> None:
    samples = ROOT / "reference_ops" / package / "tests"
    done = packages.run(
        "-W", "ignore", ROOT / "tests" / "malformed.py", package, samples, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout
    assert "calls accepted" in done.stdout


def test_the_library_needs_no_python(packages: Environment, tmp_path: Path) -> None:
    """It shows one function, and links nothing of PyTorch, Python or ONNX Runtime."""
    where = packages.run("-c", "import my_add; print(my_add.library_path())", cwd=tmp_path)
    library = Path(where.stdout.strip())
    assert library.is_file(), where.stdout
    tools = shutil.which("nm"), shutil.which("ldd")
    assert all(tools)
    shown = packages.run(
        "-c",
        f"import subprocess as s; print(s.run(['nm', '-D', '--defined-only', {str(library)!r}], "
        f"capture_output=True, text=True).stdout); print(s.run(['ldd', {str(library)!r}], "
        "capture_output=True, text=True).stdout)",
        cwd=tmp_path,
    ).stdout
    assert shown.count(" T ") == 1
    assert "RegisterCustomOps" in shown
    for name in ("torch", "python", "onnxruntime.so"):
        assert name not in shown
