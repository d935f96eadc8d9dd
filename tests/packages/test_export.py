"""`export` of a package that needs no compiler, run from its source: its arguments and results."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop import cli
from onnxop.find import gallery
from tests.conftest import make_environment
from tests.programs import program
from tests.warm import Warm

SPEC = """
[op]
schema = "{namespace}::twin(Tensor a, Tensor add_0_0, bool flag=True) -> (Tensor, Tensor, Tensor)"

[onnx]
opset = 9
mapping = '''
y = op.Add(a, add_0_0)
z = a if flag else op.Neg(y)
return y, z, y if flag else a
'''

[kernel]
python = '''
y = a + add_0_0
return y, a if flag else -y, y if flag else a
'''
"""

START = """
import sys, torch, twin, warnings
import numpy as np, onnx, onnxruntime
from pathlib import Path
warnings.simplefilter("ignore")

class Model(torch.nn.Module):
    def __init__(self, flag=True):
        super().__init__()
        self.flag, self.linear = flag, torch.nn.Linear(3, 3)

    def forward(self, x):
        return twin.twin(self.linear(x), x, flag=self.flag)

x = torch.randn(2, 3)
model = Model().eval()

def is_close(file, x=x):
    session = onnxruntime.InferenceSession(file)
    actual = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    with torch.no_grad():
        return max(abs(f - w.numpy()).max() for f, w in zip(actual, model(x), strict=True)) < 1e-5
"""

# ONNX Runtime does not load a function whose output is its input, or another output.
RESULTS = """
from onnxop_runtime.operator.model import DYNAMO, TORCHSCRIPT

class Alone(torch.nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.flag = flag

    def forward(self, a, b):
        return twin.twin(a, b, flag=self.flag)

(operator,) = twin.package.operators
standard = {True: operator.dynamo, False: operator.torchscript}
for domain, spans in (("", standard), ("my_lib", {True: DYNAMO, False: TORCHSCRIPT})):
    for dynamo, opsets in spans.items():
        for opset in (opsets[0], opsets[-1]):
            for flag in (True, False):
                report = twin.verify(
                    Alone(flag), (x, x), dynamo=dynamo, opset_version=opset, domain=domain
                )
                assert set(report.errors) == {"ONNX Runtime", "onnx.reference"}, report
print("done")
"""

FORMS = """
Dim = torch.export.Dim
script = torch.jit.trace(model, x)
program = torch.export.export(model, (x,), dynamic_shapes=({0: Dim("n", min=1)},))
for domain in ("", "my_lib"):
    made = twin.export(model, (x,), "m.onnx", domain=domain, report=False)
    assert isinstance(made, torch.onnx.ONNXProgram) and is_close("m.onnx")
    alone = twin.export(model, x, domain=domain)
    actual = [tensor.detach().numpy() for tensor in alone(x)]
    assert all(np.allclose(f, w.detach(), atol=1e-5) for f, w in zip(actual, model(x)))
    for dynamo in (True, False):
        options = {"dynamo": dynamo, "domain": domain}
        twin.export(model, (x,), "m.onnx", external_data=False, **options)
        assert is_close("m.onnx")
        twin.export(model, ({"x": x},), "m.onnx", opset_version=20, dynamic_axes={"x": [0]}, **options)
        assert is_close("m.onnx", torch.randn(5, 3))
        twin.export(program, f="m.onnx", **options)
        assert is_close("m.onnx", torch.randn(5, 3))
        twin.verify(program, **options)
    for shapes in (({0: "b"},), {"x": {0: Dim.DYNAMIC}}, [["b", None]], ((Dim("b", min=1), None),)):
        twin.export(model, (x,), "m.onnx", dynamic_shapes=shapes, domain=domain)
        assert is_close("m.onnx", torch.randn(5, 3))
    options = {"export_params": False, "keep_initializers_as_inputs": True}
    twin.export(model, (x,), "m.onnx", domain=domain, **options)
    assert not onnx.load("m.onnx").graph.initializer

def refused(kind, words, *args, **options):
    try:
        twin.export(*args, **options)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)

# Results that are inputs, or have the name of an input.
class Through(torch.nn.Module):
    def forward(self, x, y):
        return x, *twin.twin(x, y), y + 1

for names in (None, ["add", "y"]):
    for options in ({}, {"dynamo": False}):
        twin.export(Through(), (x, 2 * x), "m.onnx", input_names=names, **options)
        session = onnxruntime.InferenceSession("m.onnx")
        assert [entry.name for entry in session.get_inputs()] == (names or ["x", "y"])
        feeds = dict(zip(names or ["x", "y"], (x.numpy(), 2 * x.numpy())))
        for actual, wanted in zip(session.run(None, feeds), Through()(x, 2 * x), strict=True):
            assert np.allclose(actual, wanted)

refused(TypeError, "give the original module", script, (x,), dynamo=False)
refused(ValueError, "call verify(model, args)", model, (x,), verify=True)
refused(TypeError, "model must be a torch.nn.Module", lambda x: x, (x,))
refused(ValueError, "f is missing", model, (x,), dynamo=False)
refused(ValueError, "write dynamic_axes", model, (x,), "n.onnx", dynamo=False, dynamic_shapes=[None])
refused(ValueError, "cannot change an ExportedProgram", program, f="n.onnx", dynamic_axes={"x": [0]})
fact = "torch.export specialised a dynamic dimension to a size; the inputs are x[2, 3]"
refused(ValueError, fact, model, (x,), "n.onnx", dynamic_shapes=({1: Dim("n")},))
fact = "Failed to export the model with torch.export"  # PyTorch's error
refused(RuntimeError, fact, model, (x,), "n.onnx", dynamic_shapes=({1: Dim.DYNAMIC},))
assert not Path("n.onnx").exists()
made = twin.export(model, (x,), dynamic_shapes={"x": {0: Dim.AUTO, 1: Dim.AUTO}})
assert [isinstance(size, int) for size in made.model.graph.inputs[0].shape] == [False, True]
print("done")
"""

NEAR = '''
[op]
schema = "my_lib::near(Tensor x, float eps=1e-9, Scalar scale=1.000001) -> Tensor"

[onnx]
opset = 15
mapping = """
plus = op.Add(op.Log(x + eps), op.Log(eps + x))
minus = op.Log(op.Neg(op.Sub(x, eps))) - op.Log(x + op.CastLike(op.Constant(value_float=2e-9), x))
one = x + 1.0
grown = (one * scale - one) + (scale * one - one)
return plus + minus + (grown + one / scale - one) / 1e-6
"""

[kernel]
python = """
plus = log(x + eps) + log(eps + x)
minus = log(-(x - eps)) - log(x + tensor(2e-9, dtype=x.dtype))
one = x + 1.0
grown = (one * scale - one) + (scale * one - one)
return plus + minus + (grown + one / scale - one) / 1e-6
"""

[[samples]]
x = [[0.0]]
'''
NEAR_USED = program("export/near_used")


DYNAMIC_SIZES = program("export/dynamic_sizes")


def test_sizes_that_the_model_computes(warm: Warm, tmp_path: Path) -> None:
    spec = gallery.specs()["aten::_upsample_bilinear2d_aa.vec"]
    command = ["new", str(spec), str(tmp_path / "package"), "--name", "resize"]
    assert cli.main(command) == 0
    source = str(tmp_path / "package" / "src")
    output = warm.checked("-c", DYNAMIC_SIZES, cwd=tmp_path, PYTHONPATH=source)
    why = "aten::_upsample_bilinear2d_aa.vec: output_size is dynamic, but the rule needs a constant"
    assert output.startswith(why), output


KINDS = """
[op]
schema = "my_lib::parts(Tensor x) -> (Tensor, Tensor)"

[onnx]
opset = 13
mapping = "return op.Where(x > 0, 1.0, 0.0), x / 2"

[kernel]
python = "return where(x > 0, 1.0, 0.0).to(x.dtype), x / 2"

[[samples]]
x = "float32[n=3]"
"""

# Dtypes that no sample has; files that are links; and places that are no files.
KINDS_USED = program("export/kinds_used")


def write(folder: Path, namespace: str) -> Path:
    folder.mkdir()
    spec = folder / "op.toml"
    spec.write_text(SPEC.format(namespace=namespace), encoding="utf-8")
    return spec


def run(warm: Warm, folder: Path, text: str, code: str) -> None:
    """Make the package of a spec, and run code that uses it from its source, to its end."""
    spec = folder / "op.toml"
    spec.write_text(text, encoding="utf-8")
    assert cli.main(["new", str(spec), str(folder / "package")]) == 0
    result = warm.run("-c", code, cwd=folder, PYTHONPATH=str(folder / "package" / "src"))
    assert result.stdout.splitlines()[-1:] == ["done"], result.stdout


@pytest.mark.parametrize("code", [RESULTS, FORMS], ids=["results", "forms"])
def test_export(warm: Warm, tmp_path: Path, code: str) -> None:
    run(warm, tmp_path, SPEC.format(namespace="my_lib"), START + code)


def test_numbers_next_to_0_and_1(warm: Warm, tmp_path: Path) -> None:
    """Check numbers that onnxscript's optimizer, the dynamo exporter's last step, takes for 0 and 1."""
    run(warm, tmp_path, NEAR, NEAR_USED)


def test_dtypes_and_files(warm: Warm, tmp_path: Path) -> None:
    """Check results in dtypes that the mapping does not return by itself, and what a file's path may be."""
    run(warm, tmp_path, KINDS, KINDS_USED)


def test_two_packages_of_one_name(tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "environment")
    first, second = write(tmp_path / "first", "my_lib"), write(tmp_path / "second", "third")
    other = first.with_name("other.toml")
    text = SPEC.format(namespace="my_lib").replace("::twin", "::other")
    other.write_text(text, encoding="utf-8")
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert cli.main(["new", str(first), str(other), "--name", "twin", one]) == 0
    for _ in range(2):  # the same package again is allowed
        environment.install(Path(one))
    result = environment.run("-m", "onnxop", "new", second, two, "--build", cwd=tmp_path)
    assert result.returncode == 1
    assert "would replace twin 0.1.0; " in result.stdout
    assert not Path(two).exists()
    assert cli.main(["new", str(second), two]) == 0
    silent = environment.run("-W", "error", "-c", "import twin", cwd=tmp_path)
    assert silent.returncode == 0, silent.stdout
