"""The reference packages in one process: models that call their ops, exports in threads, copies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.packages.models import MODELS
from tests.warm import Warm

ONE_MODEL = """
import tempfile, torch, asinh, my_add

class Both(torch.nn.Module):
    def forward(self, x, y):
        return my_add.my_add(asinh.asinh(x), y)

model, args = Both().eval(), (torch.rand(2, 3), torch.rand(3))
for dynamo in (True, False):
    for package in (asinh, my_add):
        print(package.verify(model, args, dynamo=dynamo).errors["ONNX Runtime"] < 1e-6)
"""

IN_THREADS = """
import tempfile, torch, asinh, my_add
from concurrent.futures import ThreadPoolExecutor

x = torch.rand(2, 3)
jobs = [(my_add, my_add.MyAdd(), (x, x)), (asinh, asinh.Asinh(), (x,))] * 6

def work(number, job):
    package, model, args = job
    return package.verify(model.eval(), args, dynamo=number % 4 > 1).errors["ONNX Runtime"] < 1e-6

with ThreadPoolExecutor(4) as pool:
    print(all(pool.map(work, range(len(jobs)), jobs)))
"""

NEGATED = """
import torch, asinh, my_add

x = torch.imag(torch.conj(torch.randn(5, dtype=torch.complex64)))
assert x.is_neg()
print(torch.equal(my_add.package.kernel.my_add(x, x), my_add.my_add(x, x)))
print(torch.equal(my_add.my_add(x, x), 3 * x))
"""

COPY = """
import sys, my_add
del sys.modules["my_add"]
for name in [name for name in sys.modules if name.startswith("my_add.")]:
    del sys.modules[name]
sys.path.insert(0, {copy!r})
try:
    import my_add
except ImportError as error:
    print(error)
"""

INDUCTOR = """
import torch, my_add
from torch._inductor import config

config.cpp.vec_isa_ok = True  # else it compiles a program to try it
f = torch.compile(my_add.my_add, fullgraph=True, dynamic=True)
for size in (3, 5):
    a, b = torch.randn(size, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    f(a, b).sum().backward()
    assert torch.equal(a.grad, torch.full_like(a, 2))
    assert torch.equal(b.grad, torch.full_like(b, size))
print(torch.equal(f(a, b), my_add.my_add(a, b)))
"""


DEFORMED = (
    MODELS
    + """
import sys, tempfile, deform_conv2d
from pathlib import Path

model, x = Deformed().eval(), torch.rand(1, 3, 10, 10)
for dynamo, opsets in ((False, (19, 23)), (True, (19, 25))):
    for opset in opsets:
        report = deform_conv2d.verify(
            model, (x,), dynamo=dynamo, opset_version=opset,
            dynamic_axes={"x": {0: "n", 2: "h", 3: "w"}}, others=[(torch.rand(2, 3, 8, 7),)],
        )
        print(report.opset == opset and report.errors["ONNX Runtime"] < 1e-5)

folder = Path(tempfile.mkdtemp())
for dynamo in (True, False):
    for opset in (11, 13, 18):
        try:
            deform_conv2d.export(model, (x,), folder / "x.onnx", dynamo=dynamo, opset_version=opset)
        except ValueError as error:
            print("use opset_version=19" in str(error) and not list(folder.iterdir()))

torch.onnx.export(model, (x,), folder / "plain.onnx", dynamo=False, opset_version=19)
import onnx, onnxruntime
nodes = [node.op_type for node in onnx.load(folder / "plain.onnx").graph.node]
print("DeformConv" in nodes)

# As torchvision's, and differentiable in its own name.
torch.manual_seed(0)
own = lambda *args: torch.ops.deform_conv2d.deform_conv2d(*args)
theirs = lambda *args: torch.ops.torchvision.deform_conv2d(*args)
numbers = (2, 1, 1, 2, 1, 2, 2, 2, True)
for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-10)):
    sizes = (2, 8, 11, 13), (6, 4, 3, 3), (2, 36, 6, 13), (2, 18, 6, 13), (6,)
    tensors = [torch.randn(size, dtype=dtype).requires_grad_() for size in sizes]
    results = [function(*tensors, *numbers) for function in (own, theirs)]
    grad = torch.randn_like(results[0])
    gradients = [torch.autograd.grad(result, tensors, grad) for result in results]
    for actual, wanted in zip((results[0], *gradients[0]), (results[1], *gradients[1])):
        print((actual - wanted).abs().max().item() <= tolerance * wanted.abs().max().item())

# Halves are computed in float, and rounded once; bits depend on no number of threads.
def with_gradients(function, tensors, grad):
    result = function(*tensors, *numbers)
    return [result, *torch.autograd.grad(result, tensors, grad)]

for dtype, tolerance in ((torch.float16, 2**-10), (torch.bfloat16, 2**-7), (torch.float32, 1e-5)):
    halves = [tensor.detach().to(dtype).requires_grad_() for tensor in tensors]
    wide = [tensor.detach().float().requires_grad_() for tensor in halves]
    torch.set_num_threads(1)
    actual = with_gradients(own, halves, grad.to(dtype))
    torch.set_num_threads(3)
    again = with_gradients(own, halves, grad.to(dtype))
    print(all(map(torch.equal, actual, again)))
    wanted = with_gradients(theirs, wide, grad.to(dtype).float())
    print(all(
        one.dtype == dtype and (one - other).abs().max() <= tolerance * other.abs().max()
        for one, other in zip(actual, wanted)
    ))

# In ONNX Runtime, too, whose own DeformConv knows no halves.
from onnx import TensorProto, helper
names = ["stride_h", "stride_w", "pad_h", "pad_w", "dilation_h", "dilation_w", "groups", "offset_groups", "use_mask"]
node = helper.make_node(
    "deform_conv2d", list("xwomb"), ["y"], domain="deform_conv2d", **dict(zip(names, map(int, numbers))),
)
for dtype, element in ((torch.float16, TensorProto.FLOAT16), (torch.float32, TensorProto.FLOAT)):
    values = [tensor.detach().to(dtype) for tensor in tensors]
    inputs = [helper.make_tensor_value_info(n, element, v.shape) for n, v in zip("xwomb", values)]
    graph = helper.make_graph(
        [node], "g", inputs, [helper.make_tensor_value_info("y", element, None)]
    )
    imports = [helper.make_opsetid("", 19), helper.make_opsetid("deform_conv2d", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), deform_conv2d.session_options(),
    )
    actual, = session.run(None, {n: v.numpy() for n, v in zip("xwomb", values)})
    print(torch.equal(torch.tensor(actual), own(*values, *numbers)))
"""
)

SUPER_RESOLUTION = """
import math, tempfile, onnx, onnxruntime, torch, dynamic_resize
from pathlib import Path

class SuperResolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolutions = torch.nn.Sequential(
            torch.nn.Conv2d(3, 64, 9, padding=4), torch.nn.ReLU(),
            torch.nn.Conv2d(64, 32, 1), torch.nn.ReLU(),
            torch.nn.Conv2d(32, 3, 5, padding=2),
        )

    def forward(self, x, scales):
        return self.convolutions(dynamic_resize.resize(x, scales))

net, folder = SuperResolution().eval(), Path(tempfile.mkdtemp())
FACTORS = [(1, 1), (2, 2), (3, 3), (0.5, 0.5), (1.1, 1.1), (1.5, 2.25), (0.5, 0.75)]
args = torch.rand(1, 3, 10, 10), torch.tensor([1, 1, 2, 2], dtype=torch.float32)
for dynamo, opset in ((False, 11), (False, 20), (True, 25)):
    path = folder / "net.onnx"
    dynamic_resize.export(
        net, args, path, dynamo=dynamo, opset_version=opset,
        dynamic_axes={"x": {0: "n", 2: "h", 3: "w"}},
    )
    model = onnx.load(path)
    resize, = (node for node in model.graph.node if node.op_type == "Resize")
    print([entry.name for entry in model.graph.input] == ["x", "scales"])
    print(resize.input[0] == "x" and resize.input[2] == "scales")
    session = onnxruntime.InferenceSession(path)
    for shape in ((1, 3, 10, 10), (2, 3, 7, 12), (1, 3, 13, 8), (1, 3, 2, 3)):
        for factors in FACTORS:
            if any(math.floor(a * b) < 1 for a, b in zip(shape[2:], factors)):
                continue
            x, scales = torch.rand(shape), torch.tensor([1, 1, *factors], dtype=torch.float32)
            with torch.no_grad():
                wanted = net(x, scales)
            actual, = session.run(None, {"x": x.numpy(), "scales": scales.numpy()})
            assert actual.shape == wanted.shape, (shape, factors, actual.shape, wanted.shape)
            assert abs(actual - wanted.numpy()).max() < 1e-4, (shape, factors)
    print(True)

# PyTorch's own interpolate, where ONNX Runtime's rules say the same.
x = torch.rand(1, 3, 10, 10, dtype=torch.float64)
for factors in FACTORS:
    scales = torch.tensor([1, 1, *factors], dtype=torch.float32)
    wanted = torch.nn.functional.interpolate(
        x, scale_factor=scales.tolist()[-2:], mode="bicubic", align_corners=False
    )
    print(torch.allclose(dynamic_resize.resize(x, scales), wanted))

# Equal sizes are copied, a single row or column is sampled at 0: as ONNX Runtime does it.
dynamic_resize.export(
    dynamic_resize.Resize(), args, folder / "resize.onnx",
    dynamic_axes={"input": {2: "h", 3: "w"}}, input_names=["input", "scales"],
)
session = onnxruntime.InferenceSession(folder / "resize.onnx")
for height, width, scale_h, scale_w in ((5, 5, 1.1, 1.1), (5, 9, 1.1, 1.2), (2, 7, 0.5, 2), (7, 3, 2, 0.4)):
    x, scales = torch.rand(1, 3, height, width), torch.tensor([1, 1, scale_h, scale_w])
    actual, = session.run(None, {"input": x.numpy(), "scales": scales.numpy()})
    print(torch.allclose(torch.tensor(actual), dynamic_resize.resize(x, scales), atol=1e-5))
"""


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        (ONE_MODEL, 4),
        (IN_THREADS, 1),
        (NEGATED, 2),
        (INDUCTOR, 1),
        (DEFORMED, 31),
        (SUPER_RESOLUTION, 20),
    ],
    ids=[
        "one model",
        "in threads",
        "negated view",
        "inductor",
        "deformable convolution",
        "super-resolution",
    ],
)
def test_answers(packages: Warm, tmp_path: Path, code: str, answers: int) -> None:
    result = packages.run("-W", "ignore", "-c", code, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    lines = [line for line in result.stdout.splitlines() if line in ("True", "False")]
    assert lines == ["True"] * answers, result.stdout


def test_a_copy_elsewhere_is_refused(packages: Warm, tmp_path: Path) -> None:
    where = packages.run("-c", "import my_add; print(my_add.__path__[0])", cwd=tmp_path)
    shutil.copytree(where.stdout.strip(), tmp_path / "copy" / "my_add")
    result = packages.run("-c", COPY.format(copy=str(tmp_path / "copy")), cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    assert "my_lib::my_add is already registered by another library" in result.stdout
