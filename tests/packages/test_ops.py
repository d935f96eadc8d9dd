"""A package of several operators of all kinds: built once, exported as one model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from onnxop import cli
from tests.conftest import Environment
from tests.packages.conftest import SEVERAL
from tests.packages.test_packages import PYTEST, at_most_ends
from tests.warm import Warm

SPECS = Path(__file__).resolve().parents[1] / "specs"
PARTS = range(8)  # of many_ops' own tests
USUAL = 1  # of kinds that the contract does not try: of two results, with a reference of its own

TWINS_USED = """
import onnxruntime, torch
from onnx import TensorProto, helper
import many_ops
from many_ops import _kernel

x = torch.rand(2, 3)
print(many_ops.twice(x, [3]).tolist() == [2.0] * 6, many_ops.thrice(x, [3]).tolist() == [3.0] * 9)
print(_kernel._infer_twice(x, [3]) == ((torch.float32, [6]),))
print(_kernel._infer_thrice(x, [3]) == ((torch.float32, [9]),))
try:
    _kernel.thrice(x.double(), [3])
except RuntimeError as error:
    print(str(error) == "other_lib::thrice supports float32, but x is float64")
nodes = [
    helper.make_node("twice", ["x"], ["two"], domain="one_domain", to=[3]),
    helper.make_node("thrice", ["x"], ["three"], domain="other_domain", to=[3]),
    helper.make_node("twice", ["x"], ["more"], domain="third_domain", to=[1]),
]
graph = helper.make_graph(
    nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
    [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("two", "three", "more")],
)
domains = ("", "one_domain", "other_domain", "third_domain")
imports = [helper.make_opsetid(domain, 18 if not domain else 1) for domain in domains]
model = helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString()
options = onnxruntime.SessionOptions()
options.add_session_config_entry("onnxop.domains.one_lib::twice", "third_domain")
for _ in range(2):
    options.register_custom_ops_library(many_ops.library_path())
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
two, three, more = session.run(None, {"x": x.numpy()})
print(two.tolist() == [2.0] * 6, three.tolist() == [3.0] * 9, more.tolist() == [2.0] * 2)
"""

MODEL_USED = """
import torch
import many_ops

class Net(torch.nn.Module):
    def forward(self, x, weight):
        y = many_ops.swish(x, alpha=1.5)
        mean, spread, *_ = many_ops.mean_and_spread(y, weight)
        return many_ops.axps(y, 1.5), mean, spread

net, args = Net().eval(), (torch.rand(3, 6), torch.rand(6))
own = {"my_ops::swish": "my_ops", "my_lib::mean_and_spread": "my_lib", "my::axps": "my"}
for domain in ("", own, "mine"):
    report = many_ops.verify(net, args, domain=domain, opset_version=24)
    print(sorted(report.errors), max(report.errors.values()) < 1e-5)
# swish is Swish of opset 22 and later, which the TorchScript exporter does not write.
report = many_ops.verify(net, args, domain={"my_ops::swish": "my_ops"}, dynamo=False)
print(sorted(report.errors), max(report.errors.values()) < 1e-5)
try:
    many_ops.export(net, args, "net.onnx", dynamo=False)
except ValueError as error:
    print("the TorchScript exporter cannot write my_ops::swish" in str(error))
"""

DTYPES_USED = """
import torch
import many_ops

x, y, scale = torch.rand(3, 4), torch.rand(4), torch.tensor(2.0)
slope = torch.func.jvp(lambda scale: many_ops.norms(scale, [x, y]), (scale,), (torch.tensor(3.0),))[1]
print(torch.allclose(slope, 3.0 * many_ops.norms(torch.tensor(1.0), [x, y])))
wide = x.double().requires_grad_()
for call in (many_ops.swish, lambda wide: many_ops.norms(scale.double(), [wide])):
    print(torch.autograd.gradgradcheck(call, wide, check_fwd_over_rev=True))
lengths = lambda scale: many_ops.norms(scale, [x.double()])
print(torch.autograd.gradgradcheck(lengths, scale.double().requires_grad_(), check_fwd_over_rev=True))
rows, others = (torch.rand(n, 4).half().requires_grad_() for n in (3, 2))
many_ops.squared_distances(rows, others).sum().backward()  # by the reference: the kernel has no float16
wanted = 2 * (rows.detach()[:, None] - others.detach()).sum(1)
print(rows.grad.dtype, torch.allclose(rows.grad, wanted, atol=0.01))
try:  # results of two sizes
    torch.vmap(many_ops.keep_above)(torch.tensor([[0.0, 1.0, 2.0, 0.0], [0.0, -1.0, 2.0, 0.0]]))
except RuntimeError as error:
    print("vmap needs results of one shape, but those of this batch have [(1,), (2,)]" in str(error))
with torch.autocast("cpu", torch.bfloat16):
    for weight in (y.bfloat16(), y, y.double()):
        means, lengths = many_ops.mean_and_spread(x.bfloat16(), weight)[0], many_ops.norms(scale, [x, weight])
        added, *_ = many_ops.squared_distances(x.bfloat16(), weight.expand(2, 4))
        print(means.dtype, lengths.dtype, added.dtype)
    batch = torch.rand(2, 3, 4)
    print(torch.vmap(lambda x: many_ops.mean_and_spread(x, y.bfloat16())[0])(batch.bfloat16()).dtype)
    print(torch.vmap(lambda x: many_ops.norms(scale, [x]))(batch).dtype)
"""

LISTS_USED = """
import torch
import many_ops

x, y = torch.rand(3), torch.rand(5)
for call in (many_ops.pad_stack, many_ops.PadStackFunction.apply):
    for argument in (x, None, [x, None]):
        try:
            call(argument, 0.0)
        except (RuntimeError, TypeError) as error:
            print("for argument 'rows'" in str(error) or str(error))
print(many_ops.pad_stack((x, y)).shape == (2, 5), torch.jit.script(many_ops.PadStack())([x]).shape == (1, 3))
slopes = torch.func.grad(lambda rows: (2 * many_ops.pad_stack(rows)).sum())([x, y])
print([slope.tolist() for slope in slopes] == [[2.0] * 3, [2.0] * 5])
x.requires_grad_()
for call in (many_ops.pad_stack, many_ops.PadStackFunction.apply, torch.ops.my_lib.pad_stack):
    (3 * call([x, y], 0.0)).sum().backward()
print(x.grad.tolist() == [9.0] * 3, y.grad is None)
"""


def test_lists_of_tensors(many_ops: Path, warm: Warm) -> None:
    result = warm.run("-W", "ignore", "-c", LISTS_USED, cwd=many_ops.parent)
    assert result.returncode == 0, result.stdout
    refused = ["True", "my_lib::pad_stack: rows must be a list, but it is None", "True"]
    assert result.stdout.splitlines() == [*2 * refused, "True True", "True", "True True"]


def test_dtypes(many_ops: Path, warm: Warm) -> None:
    """Check each value of ``kernel.autocast``, the tangent of a formula that autograd sums to a shape, and a
    gradient of a dtype that the kernel lacks.
    """
    result = warm.run("-W", "ignore", "-c", DTYPES_USED, cwd=many_ops.parent)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines() == [
        "True",
        *["True"] * 3,
        "torch.float16 True",
        "True",
        "torch.float32 torch.bfloat16 torch.float32",
        "torch.float32 torch.bfloat16 torch.float32",
        "torch.float64 torch.float64 torch.float64",
        "torch.float32",
        "torch.bfloat16",
    ]


def test_two_kernels_of_one_signature(many_ops: Path, warm: Warm) -> None:
    result = warm.run("-c", TWINS_USED, cwd=many_ops.parent)
    assert result.returncode == 0, result.stdout
    assert result.stdout.split() == ["True"] * 8, result.stdout


def test_one_model(many_ops: Path, warm: Warm, tmp_path: Path) -> None:
    result = warm.run("-c", MODEL_USED, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    lines = [
        line for line in result.stdout.splitlines() if line.startswith(("['", "True", "False"))
    ]
    assert lines[0] == "['ONNX Runtime', 'onnx.reference'] True", result.stdout
    assert ["'native kernel'" in line and line.endswith("] True") for line in lines[1:]] == [
        True,
        True,
        True,
        False,
    ], result.stdout
    assert lines[-1] == "True", result.stdout


def test_touching_one_kernel_compiles_that_one(
    many_ops: Path, environment: Environment, tmp_path: Path
) -> None:
    package = shutil.copytree(many_ops, tmp_path / "many_ops", symlinks=True)
    objects = {file: file.stat().st_mtime_ns for file in (package / "build").rglob("*.o")}
    assert {"twice", "thrice", "swish", "keep_above", "axps"} < {file.stem for file in objects}
    header = package / "ops" / "thrice.h"
    header.write_text(header.read_text("utf-8") + "// Touched.\n", "utf-8")
    environment.checked("setup.py", "build", cwd=package)
    recompiled = {file.stem for file, time in objects.items() if file.stat().st_mtime_ns != time}
    assert recompiled == {"thrice"}


@pytest.mark.parametrize(
    "part", [pytest.param(n, marks=[pytest.mark.everything] * (n != USUAL)) for n in PARTS]
)
def test_its_own_tests(part: int, many_ops: Path, warm: Warm) -> None:
    names = " or ".join(spec.stem for spec in SEVERAL[part :: len(PARTS)])
    warm.checked(*PYTEST, "-k", f"({names}) and {at_most_ends(many_ops)}", cwd=many_ops)


def test_a_folder_of_specs(tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    for name in ("swish", "roi_align"):
        shutil.copy(SPECS / f"{name}.toml", folder)
    package = tmp_path / "from_folder"
    assert cli.main(["new", str(folder), str(package), "--name", "from_folder"]) == 0
    names = {file.name for file in (package / "ops").iterdir()}
    assert names == {"swish.toml", "roi_align.toml"}


ROI_POOL = (
    """
[op]
schema = "torchvision::roi_pool"
requires = ["torchvision"]

[onnx]
opset = {opset}
mapping = """
    + "'''"
    + """
size = [pooled_height, pooled_width]
return op.MaxRoiPool(input, rois, pooled_shape=size, spatial_scale=spatial_scale), None
"""
    + "'''"
    + """

[[samples]]
input = "float32[2, 3, h=8, w=9]"
rois = [[0.0, 0.0, 0.0, 6.0, 5.0], [1.0, 1.0, 2.0, 7.0, 7.0]]
spatial_scale = 0.5
pooled_height = 2
pooled_width = 3
"""
)


@pytest.mark.parametrize("opset", [21, 22])
def test_nodes_without_a_kernel(
    opset: int, tmp_path: Path, warm: Warm, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that one test is skipped, not all comparisons: no runtime runs MaxRoiPool since opset 22."""
    spec, package = tmp_path / "roi_pool.toml", tmp_path / "roi_pool"
    spec.write_text(ROI_POOL.format(opset=opset), encoding="utf-8")
    assert cli.main(["check", str(spec)]) == 0
    output = capsys.readouterr()
    assert "at opsets 22 to 25 ONNX Runtime has no kernel of MaxRoiPool" in output.out + output.err
    assert cli.main(["new", str(spec), str(package)]) == 0
    readme = (package / "README.md").read_text(encoding="utf-8")
    assert "at which no installed runtime has a kernel" in readme
    chosen = ("-k", "(test_roundtrip and 22) or some_runtime", "-rs")
    result = warm.run(*PYTEST, *chosen, cwd=package, PYTHONPATH=str(package / "src"))
    assert (
        "no kernel: ONNX Runtime: Could not find an implementation for MaxRoiPool" in result.stdout
    )
    is_reported = (
        "no installed runtime has kernels for the mapping's nodes, at any opset" in result.stdout
    )
    assert (result.returncode, is_reported) == ((0, False) if opset < 22 else (1, True)), (
        result.stdout
    )
