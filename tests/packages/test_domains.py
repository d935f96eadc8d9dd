"""The reference ops, each as one node of its own domain: function bodies, and the library in sessions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from onnxop import cli
from tests.packages.conftest import Build
from tests.packages.models import MODELS
from tests.programs import program
from tests.warm import Warm

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ("asinh", "deform_conv2d", "my_add")

# Each op in its own domain, by both exporters: in a stock session if it has a body, and in a session
# with the library if there is one.
EVERY_OP = (
    MODELS
    + """
import asinh, deform_conv2d, dynamic_resize, my_add
x, scales = torch.rand(1, 3, 8, 8), torch.tensor([1, 1, 2.0, 1.5])
models = [
    (my_add, my_add.MyAdd(), (x, x), "my_lib", 13),
    (asinh, Asinh(), (x,), "asinh", 9),
    (deform_conv2d, Deformed().eval(), (x,), "deform_conv2d", 19),
    (dynamic_resize, dynamic_resize.Resize(), (x, scales), "dynamic_resize", 11),
]
for package, model, args, domain, first in models:
    for dynamo, opsets in ((False, {9, first, 23}), (True, {18, 25})):
        for opset in sorted(opsets):
            errors = package.verify(model, args, dynamo=dynamo, opset_version=opset, domain=domain).errors
            runtimes = {"ONNX Runtime", "onnx.reference"} if opset >= first else set()
            if hasattr(package, "library_path"):
                runtimes.add("native kernel")
            assert set(errors) == runtimes, (package, opset, errors)
            assert max(errors.values(), default=0) < 1e-5, (package, opset, errors)
    print(True)
"""
)

# A body that computes something else, to see whether it or the kernel runs.
PREFERRED = program("domains/preferred")

# A session that outlives its options, with two libraries registered twice; and many sessions.
SESSIONS = program("domains/sessions")

# A kernel's error is a Python exception with the kernel's sentence.
REFUSED = program("domains/refused")

# The library in other domains than its own, also for nodes without a body, and for bodies that differ
# from node to node; and the nodes that it must not serve.
OTHER_DOMAINS = (
    MODELS
    + """
import shutil, tempfile, numpy as np, onnx, onnxruntime, asinh, deform_conv2d, my_add
from pathlib import Path

class Both(torch.nn.Module):
    def forward(self, x, y):
        return asinh.asinh(my_add.my_add(x, y))

operator = lambda package: package.package.operators[0]
x, model = torch.rand(1, 3, 10, 10), DeformedTwice().eval()
for dynamo, opset in ((False, 11), (False, 17), (True, 18), (True, 25)):
    report = deform_conv2d.verify(model, (x,), opset_version=opset, domain="custom", dynamo=dynamo)
    stock = {"ONNX Runtime", "onnx.reference"} if opset >= 19 else set()
    print(set(report.errors) == {"native kernel", *stock} and max(report.errors.values()) < 1e-5)
print(set(my_add.verify(my_add.MyAdd(), (x, x), domain="other").errors) == {
    "ONNX Runtime", "onnx.reference", "native kernel"
})

# Each in domains of its own and in one they share, where the functions do not count.
folder = Path(tempfile.mkdtemp())
options = onnxruntime.SessionOptions()
for package in (asinh, my_add, deform_conv2d):
    for domain in ("shared", "shared", f"{package.__name__}.1", operator(package).domain):
        assert package.session_options(options, domain=domain) is options
for package, domain, model_, args in (
    (my_add, "shared", Both(), (x, x)),
    (asinh, "asinh.1", Both(), (x, x)),
    (deform_conv2d, "deform_conv2d.1", model, (x,)),
):
    path = folder / "m.onnx"
    package.export(model_, args, path, domain=domain)
    exported = onnx.load(path)
    assert len(exported.functions) == 1  # which refers to the nodes' attributes
    for function in exported.functions:
        del function.node[:]
        first = function.input[0]
        function.node.append(onnx.helper.make_node("Identity", [first], function.output))
    session = onnxruntime.InferenceSession(exported.SerializeToString(), options)
    feeds = {entry.name: x.numpy() for entry in session.get_inputs()}
    with torch.no_grad():
        print(np.allclose(session.run(None, feeds)[0], model_(*args), atol=1e-5))

for domain in ("aten", "ai.onnx", "com.microsoft", "1st", "with space"):
    entry = onnxruntime.SessionOptions()
    entry.add_session_config_entry("onnxop.domains.my_lib::my_add", f"good,{domain}")
    for call, sentence in (
        (lambda: my_add.session_options(domain=domain), "my_lib"),
        (lambda: entry.register_custom_ops_library(my_add.library_path()), "cannot be served"),
    ):
        try:
            call()
        except Exception as error:
            print(domain in str(error) and sentence in str(error))

copy = str(shutil.copy(my_add.library_path(), folder / "copy.so"))
try:
    my_add.session_options().register_custom_ops_library(copy)
except Exception as error:
    said = f"the node my_lib::my_add is already registered by {my_add.library_path()}"
    print(said in str(error))
"""
)

# The shapes that a session infers after a node with dynamic sizes.
SHAPES = program("domains/shapes")


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        (EVERY_OP, 4),
        (PREFERRED, 2),
        (SESSIONS, 2),
        (REFUSED, 8),
        (OTHER_DOMAINS, 19),
        (SHAPES, 8),
    ],
    ids=["every op", "preferred", "sessions", "refused", "other domains", "shapes"],
)
def test_answers(packages: Warm, tmp_path: Path, code: str, answers: int) -> None:
    result = packages.run("-W", "ignore", "-c", code, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    lines = [line for line in result.stdout.splitlines() if line in ("True", "False")]
    assert lines == ["True"] * answers, result.stdout


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.everything)])
@pytest.mark.parametrize("package", NATIVE)
def test_malformed_nodes_and_inputs_are_refused(
    build: Build, warm: Warm, tmp_path: Path, package: str, step: int
) -> None:
    tests = build(ROOT / "reference_ops" / package / "ops" / f"{package}.toml") / "tests"
    malformed = ROOT / "tests" / "malformed.py"
    output = warm.checked("-W", "ignore", malformed, tests, str(step), cwd=tmp_path)
    assert "calls accepted" in output


def test_the_library_needs_no_python(packages: Warm, tmp_path: Path) -> None:
    """Check that it exports three functions, and links neither PyTorch, Python nor ONNX Runtime."""
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
    names = re.findall(r" T (\w+)", shown)
    assert names == ["RegisterCustomOps", "onnxop_library", "onnxop_served"]
    for name in ("torch", "python", "onnxruntime.so"):
        assert name not in shown


# Two ops of one node type: distinct in their own domains, ambiguous in one domain.
SAME_OP_TYPE = program("domains/same_op_type")
SAME_SPEC = """
[op]
schema = "{op}(Tensor x) -> Tensor"
[onnx]
domain = "{domain}"
op_type = "Same"
opset = 13
mapping = "op.Mul(x, {factor})"
[kernel]
python = "x * {factor}"
"""


def test_one_op_type_of_two_operators(warm: Warm, tmp_path: Path) -> None:
    for number, op in enumerate(("a::f", "a::g", "b::h"), 2):
        domain = ("one", "two", "three")[number - 2]
        text = SAME_SPEC.format(op=op, domain=domain, factor=number)
        (tmp_path / f"{op[-1]}.toml").write_text(text, encoding="utf-8")
    for name, files in (("a_ops", ("f.toml", "g.toml")), ("b_ops", ("h.toml",))):
        specs = [str(tmp_path / file) for file in files]
        assert cli.main(["new", *specs, "--name", name, str(tmp_path / name)]) == 0
    source = ":".join(str(tmp_path / name / "src") for name in ("a_ops", "b_ops"))
    result = warm.run("-W", "ignore", "-c", SAME_OP_TYPE, cwd=tmp_path, PYTHONPATH=source)
    assert result.returncode == 0, result.stdout
    output = [line for line in result.stdout.splitlines() if line in ("True", "False")]
    assert output == ["True"] * 7, result.stdout
