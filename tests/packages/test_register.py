"""`onnxop_runtime.register`: specs without a package, through both exporters; and which
rule wins.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import Build
from tests.programs import PATH, program
from tests.tiers import nightly
from tests.warm import Warm

START = program("register/start")
RIGHT = program("register/right")
DOMAINS = program("register/domains")
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
PRECEDENCE = program("register/precedence")
ORDERS = [
    "gallery register",
    nightly("register gallery"),
    nightly("register"),
]
WITH_PACKAGE = [
    "package register gallery",
    nightly("gallery register package"),
    nightly("register package"),
]


def checked(warm: Warm | Environment, folder: Path, code: str, **variables: str) -> None:
    result = warm.run("-W", "ignore", "-c", code, cwd=folder, PYTHONPATH=PATH, **variables)
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
    [
        RIGHT,
        nightly(DOMAINS),
        nightly(START + OVERLOADS),
        nightly(START + PART_OF_SHAPE),
    ],
    ids=["unregister", "domains", "overloads", "part of a shape"],
)
def test_register(warm: Warm, tmp_path: Path, code: str) -> None:
    checked(warm, tmp_path, code)


@pytest.mark.parametrize("order", ORDERS)
def test_precedence_of_what_is_registered(warm: Warm, tmp_path: Path, order: str) -> None:
    checked(warm, tmp_path, PRECEDENCE, ORDER=order)


@pytest.mark.parametrize("order", WITH_PACKAGE)
def test_a_package_comes_first(warm: Warm, build: Build, tmp_path: Path, order: str) -> None:
    """Check the precedence in each order of imports: the caller's table, a package, `register`, the
    gallery.
    """
    build(Path(__file__).parents[2] / "reference_ops/asinh/ops/asinh.toml")
    checked(warm, tmp_path, PRECEDENCE, ORDER=order)
