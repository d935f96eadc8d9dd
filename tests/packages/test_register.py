"""`onnxop_runtime.register`: specs without a package, through both exporters; and which rule wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import Build
from tests.warm import Warm

START = """
import io, sys, warnings
warnings.simplefilter("ignore")
import onnx, onnxruntime, torch
import onnxop_runtime

MODULES = {"pydantic", "onnxop", "copier", "torchvision", "sympy.printing"}
SPEC = '''
[op]
schema = "aten::asinh"

[onnx]
opset = 9
mapping = "op.NAME(self)"
DOMAIN

[[samples]]
self = "float32[3]"
'''

def spec(name, domain=""):
    return SPEC.replace("NAME", name).replace("DOMAIN", domain)

class Asinh(torch.nn.Module):
    def forward(self, x):
        return torch.asinh(x)

def nodes(model, export=torch.onnx.export, call=None, **options):
    file = io.BytesIO()
    try:
        x = torch.linspace(-2.0, 2.0, 5)
        done = export(call or Asinh(), (x,), file, dynamo=False, verbose=False, **options)
    except Exception as error:
        return [type(error).__name__]
    model = onnx.load_from_string(file.getvalue())
    return [node.op_type for node in model.graph.node]

"""
RIGHT = """
from onnxop_runtime import export, register, translation_table, unregister, verify

before = {name for name in MODULES if name in sys.modules}
assert nodes(None) == ["UnsupportedOperatorError"]
made = register(spec("Asinh"))
assert {name for name in MODULES if name in sys.modules} == before
assert nodes(None) == ["Asinh"]
for dynamo in (True, False):
    verify(Asinh(), (torch.linspace(-2.0, 2.0, 5),), dynamo=dynamo)
again = register(spec("Asinh"))  # in its place
assert len(onnxop_runtime.translation_table()) == 1
unregister(made)
assert nodes(None) == ["Asinh"]
unregister(again)
unregister(again)
assert nodes(None) == ["UnsupportedOperatorError"]
assert not translation_table()

# A user's own symbolics, of before and after.
def own(g, x):
    return g.op("Neg", x)

torch.onnx.register_custom_op_symbolic("aten::asinh", own, 17)
made = register(spec("Asinh"))
assert nodes(None, opset_version=17) == ["Asinh"]
unregister(made)
assert nodes(None, opset_version=17) == ["Neg"]
torch.onnx.unregister_custom_op_symbolic("aten::asinh", 17)
made = register(spec("Asinh"))
torch.onnx.register_custom_op_symbolic("aten::asinh", own, 17)
assert nodes(None, opset_version=17) == ["Neg"]
unregister(made)
assert nodes(None, opset_version=17) == ["Neg"]
print("done")
"""
DOMAINS = """
from onnxop_runtime import export, register, unregister

x = torch.linspace(-2.0, 2.0, 5)
for text, options in (
    (spec("Asinh"), {"domain": "acme"}),
    (spec("Asinh", 'domain = "acme"'), {}),
    (spec("Asinh", 'domain = "acme"\\nop_type = "ArSinh"\\nversion = 3'), {}),
):
    made = register(text)
    for dynamo in (True, False):
        export(Asinh(), (x,), "m.onnx", dynamo=dynamo, verbose=False, **options)
        model = onnx.load("m.onnx")
        kind = "ArSinh" if "ArSinh" in text else "asinh"
        assert [(n.domain, n.op_type) for n in model.graph.node] == [("acme", kind)], model.graph.node
        assert [f.name for f in model.functions] == [kind]
        versions = {entry.domain: entry.version for entry in model.opset_import}
        assert versions["acme"] == (3 if "ArSinh" in text else 1)
        session = onnxruntime.InferenceSession("m.onnx")
        [output] = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        torch.testing.assert_close(torch.from_numpy(output), torch.asinh(x))
    unregister(made)
import onnxop_runtime.gallery  # of whose operators many can be no node
made = register(spec("Asinh"))
export(Asinh(), (x,), "m.onnx", verbose=False, domain={"aten::asinh": "acme"})
assert [node.domain for node in onnx.load("m.onnx").graph.node] == ["acme"]
print("done")
"""
OVERLOADS = (
    """
from onnxop_runtime import export, register, unregister

MEDIAN = '''
[op]
schema = "aten::median.dim"
name = "median_dim"

[onnx]
opset = 18
mapping = """
    + '"""'
    + """
last = op.Shape(self, start=-1)
ordered, places = op.TopK(self, (last + 1) / 2, axis=-1, largest=0, sorted=1)
return op.Identity(op.Gather(ordered, [-1], axis=-1)), op.Identity(op.Gather(places, [-1], axis=-1))
"""
    + '"""'
    + """
'''
made = register(MEDIAN)
assert str(made[0]) == "aten::median.dim"

class Median(torch.nn.Module):
    def forward(self, x):
        return torch.median(x, -1, True)[0]

x = torch.tensor([[3.0, 1.0, 2.0]])
for dynamo in (True, False):
    onnxop_runtime.verify(Median(), (x,), dynamo=dynamo)

class All(torch.nn.Module):
    def forward(self, x):
        return torch.median(x)

assert nodes(None, call=All()) == ["UnsupportedOperatorError"]  # of another overload
unregister(made)

class Cond(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.cond(x)

folder = onnxop_runtime.__path__[0] + "/gallery/aten/"
try:
    register(folder + "linalg_cond.toml")
except ValueError as error:
    assert "onnx.decomposed: aten::_linalg_svd has no rule; register a spec of it" in str(error)
needed = register(folder + "linalg_svd_factors.toml")
made = register(folder + "linalg_cond.toml")
for dynamo in (True, False):
    onnxop_runtime.verify(Cond(), (torch.tensor([[4.0, 1.0], [2.0, 3.0]]),), dynamo=dynamo, atol=1e-4)
unregister([*needed, *made])
assert not onnxop_runtime.translation_table()
print("done")
"""
)
PRECEDENCE = """
import os
for step in os.environ["ORDER"].split():
    if step == "package":
        import asinh
    elif step == "gallery":
        import onnxop_runtime.gallery
    else:
        made = onnxop_runtime.register(spec("Neg"))

def names(dynamo, **options):
    onnxop_runtime.export(Asinh(), (x,), "m.onnx", dynamo=dynamo, verbose=False, **options)
    return [node.op_type for node in onnx.load("m.onnx").graph.node]

from onnxscript import opset20

def caller(self):
    return opset20.Abs(self)

x = torch.ones(3)
table = {torch.ops.aten.asinh.default: caller}
has_package = "package" in os.environ["ORDER"]
for dynamo in (True, False):
    assert names(dynamo) == (["Asinh"] if has_package else ["Neg"]), names(dynamo)
assert names(True, custom_translation_table=table) == ["Abs"]
rule = onnxop_runtime.translation_table()[torch.ops.aten.asinh.default]
onnxop_runtime.unregister(made)
gallery = "gallery" in os.environ["ORDER"]
for dynamo in (True, False) if has_package or gallery else ():
    assert "Neg" not in names(dynamo)
if not has_package and not gallery:
    assert nodes(None) == ["UnsupportedOperatorError"]
print("done")
"""
ORDERS = ["gallery register", "register gallery", "register"]
WITH_PACKAGE = ["package register gallery", "gallery register package", "register package"]


def checked(warm: Warm | Environment, folder: Path, code: str, **variables: str) -> None:
    result = warm.run("-W", "ignore", "-c", START + code, cwd=folder, **variables)
    assert result.stdout.splitlines()[-1:] == ["done"], result.stdout


PART_OF_SHAPE = """
rule = "op.Asinh(op.Reshape(op.Slice(op.Tile(self, op.Concat([1], op.Shape(self, start=1), axis=0)), "
rule += "[0, 0, 0], op.Shape(self, end=3), [0, 1, 2]), op.Concat([-1], op.Shape(self, start=-2), axis=0)))"
text = spec("Asinh").replace("op.Asinh(self)", rule).replace("opset = 9", "opset = 15")
onnxop_runtime.register(text.replace("float32[3]", "float32[2, 3, 4]"))
for dynamo, sizes in ((True, {}), (False, {}), (False, {"dynamic_axes": {"x": [0, 1]}})):
    args = (torch.tensor([0.5, 2.0]).repeat(2, 3, 2),)
    onnxop_runtime.verify(Asinh(), args, dynamo=dynamo, input_names=["x"], **sizes)
print("done")
"""


@pytest.mark.parametrize(
    "code",
    [RIGHT, DOMAINS, OVERLOADS, PART_OF_SHAPE],
    ids=["unregister", "domains", "overloads", "part of a shape"],
)
def test_register(warm: Warm, tmp_path: Path, code: str) -> None:
    checked(warm, tmp_path, code)


@pytest.mark.parametrize("order", ORDERS)
def test_precedence_of_what_is_registered(warm: Warm, tmp_path: Path, order: str) -> None:
    checked(warm, tmp_path, PRECEDENCE, ORDER=order)


@pytest.mark.parametrize("order", WITH_PACKAGE)
def test_a_package_comes_first(warm: Warm, build: Build, tmp_path: Path, order: str) -> None:
    """Check the precedence in each order of imports: the caller's table, a package, `register`, the gallery."""
    build(Path(__file__).parents[2] / "reference_ops/asinh/ops/asinh.toml")
    checked(warm, tmp_path, PRECEDENCE, ORDER=order)
