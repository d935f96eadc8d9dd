"""The library for ONNX Runtime: every model that runs without it runs with it, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import ROOT, Build
from tests.programs import program
from tests.warm import Warm

# A session with the library and one without; the number of nodes that the library computes.
BOTH = """
import numpy as np, onnx, onnxruntime, torch

def model_of(forward):
    class Model(torch.nn.Module):
        def forward(self, *tensors):
            return forward(*tensors)
    return Model().eval()

def both(package, path, feeds):
    native = onnxruntime.InferenceSession(path, package.session_options())
    count = sum(counts["cpu"] for counts in package.package.library.served().values())
    stock = onnxruntime.InferenceSession(path)
    pairs = list(zip(native.run(None, feeds), stock.run(None, feeds), strict=True))
    assert all(a.dtype == b.dtype and a.shape == b.shape for a, b in pairs)
    worst = max(abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0) for a, b in pairs)
    return count, float(worst), [a.dtype.name for a, _ in pairs]
"""

# A kernel of float32 and float64, in a model converted to float16 afterwards.
HALVES = """
import many_ops

args = torch.rand(6, 4), torch.rand(5, 4), torch.rand(4)
forward = lambda a, b, c: many_ops.squared_distances(a, b, c)
many_ops.export(model_of(forward), args, "m.onnx", domain="my_lib", input_names=list("abc"))
model = onnx.load("m.onnx")
for port in (*model.graph.input, *model.graph.output):
    port.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
del model.graph.value_info[:]
onnx.save(model, "half.onnx")
feeds = {name: value.numpy().astype(np.float16) for name, value in zip("abc", args)}
count, worst, dtypes = both(many_ops, "half.onnx", feeds)
print(count == 1 and worst < 4e-3 and dtypes == ["float16"], count, worst, dtypes)
"""

# Dtypes that the kernel lacks: the function computes them, and the kernel half floats as floats.
OTHER_DTYPES = """
import aminmax

forward = lambda x: (*torch.aminmax(x, dim=0), *torch.aminmax(x), *torch.aminmax(x, dim=1, keepdim=True))
for dtype, wanted in ((torch.float32, 3), (torch.float16, 3), (torch.int64, 0)):
    for dynamo in (True, False):
        x = (torch.rand(3, 4) * 100).to(dtype)
        aminmax.export(model_of(forward), (x,), "m.onnx", domain="aminmax", dynamo=dynamo)
        name = onnx.load("m.onnx").graph.input[0].name
        result = both(aminmax, "m.onnx", {name: x.numpy()})
        print(result == (wanted, 0.0, [str(dtype).removeprefix("torch.")] * 6), result)

# The TorchScript exporter numbers the results of an operator that has several.
forward = lambda x: (*torch.aminmax(x, dim=0), x.exp(), *torch.aminmax(x))
aminmax.export(model_of(forward), (torch.rand(3, 4),), "m.onnx", domain="", dynamo=False)
names = [output.name for output in onnx.load("m.onnx").graph.output]
print(names[:2] == ["min", "max"] and names[3:] == ["min_1", "max_1"], names)
"""

# A hundred values, which give two kinds of body.
HUNDRED = """
import many_ops

def forward(x):
    results = [
        many_ops.keep_above(x, [i % 3, 1 + i % 2], limit=i / 200, side="above" if i % 2 else "below")
        for i in range(100)
    ]
    return torch.stack([result.sum() for result in results])

x = torch.rand(20)
for dynamo, opset in ((True, 25), (False, 13)):
    model = model_of(forward)
    many_ops.export(model, (x,), "m.onnx", domain="my_lib", dynamo=dynamo, opset_version=opset)
    exported = onnx.load("m.onnx")
    count, worst, _ = both(many_ops, "m.onnx", {exported.graph.input[0].name: x.numpy()})
    print(count == 100 and worst < 1e-6 and len(exported.functions) == 2, count, worst)
"""

# A kernel of version 3 serves models of version 3 only; earlier models run their functions.
VERSIONS = """
import many_ops

args = (torch.rand(20),)
model = model_of(lambda x: many_ops.keep_above(x))
for dynamo in (True, False):
    many_ops.export(model, args, "m.onnx", domain="my_lib", dynamo=dynamo)
    exported = onnx.load("m.onnx")
    feeds = {exported.graph.input[0].name: args[0].numpy()}
    (own,) = (entry for entry in exported.opset_import if entry.domain == "my_lib")
    for version, wanted in ((own.version, 1), (2, 0)):
        own.version = version
        onnx.save(exported, "m.onnx")
        result = both(many_ops, "m.onnx", feeds)
        print(result == (wanted, 0.0, ["float32"]), version, result)
    own.version = 4
    (said,) = (attribute for attribute in exported.graph.node[0].attribute if attribute.name == "onnxop_version")
    said.i = 4
    onnx.save(exported, "m.onnx")
    try:
        print(not both(many_ops, "m.onnx", feeds))
    except Exception as error:
        print("the node is of version 4, but this library, of many_ops 0.1.0" in str(error), error)
"""

# Numbers that float32 cannot hold, of float64 nodes that share a function with others: as exact as
# standard nodes. Float32 nodes need no more than float32.
DOUBLES = """
import many_ops
from onnx.reference import ReferenceEvaluator

def forward(x, w):
    scaled = [many_ops.axpby(x, x, x, alpha, flip=True) for alpha in (1 / 3, 0.5, 16777217.0, huge)]
    result = many_ops.weighted_totals(w, [x, x, x], offset=0.1)[0]
    return *scaled, many_ops.rms_norm(x, w, eps=0.1), many_ops.rms_norm(x, w, eps=float(np.float32(0.1))), result

model = model_of(forward)
for dynamo in (True, False):
    for dtype, wanted, digits in ((torch.float64, 6, 1e-15), (torch.float32, 0, 1e-6)):
        huge = 1e300 if wanted else 2.0
        args = [torch.rand(5, 3, dtype=dtype) + 1, torch.rand(3, dtype=dtype) + 1]
        many_ops.export(model, tuple(args), "m.onnx", domain="d", dynamo=dynamo, input_names=["x", "w"])
        exported, feeds = onnx.load("m.onnx"), {"x": args[0].numpy(), "w": args[1].numpy()}
        exact = [a.s for n in exported.graph.node for a in n.attribute if a.name.startswith("onnxop_float64_")]
        options = many_ops.session_options(domain="d")
        sessions = onnxruntime.InferenceSession("m.onnx"), onnxruntime.InferenceSession("m.onnx", options)
        for session in (*sessions, ReferenceEvaluator("m.onnx")):
            pairs = zip(session.run(None, feeds), model(*args), strict=True)
            worst = max(abs(result / value.numpy() - 1).max() for result, value in pairs)
            print(worst < digits and len(exact) == wanted and len(exported.functions) == 3, worst, exact)

# Beside what was changed by hand, it is no longer the number.
node = next(n for n in exported.graph.node if n.op_type == "rms_norm")
node.attribute.add(name="onnxop_float64_eps", type="STRING", s=b"0.2")
onnx.save(exported, "m.onnx")
try:
    print(not onnxruntime.InferenceSession("m.onnx", options))
except Exception as error:
    expected = "the attribute onnxop_float64_eps must be the numbers that round to eps in float32, but is '0.2'"
    print(expected in str(error), error)
"""


@pytest.mark.parametrize(
    ("code", "answers"),
    [(DOUBLES, 13), (HALVES, 1), (OTHER_DTYPES, 7), (HUNDRED, 2), (VERSIONS, 6)],
    ids=["doubles", "halves", "other dtypes", "a hundred values", "versions"],
)
@pytest.mark.usefixtures("many_ops")
def test_what_stock_runs_runs_with_the_library(
    build: Build, warm: Warm, tmp_path: Path, code: str, answers: int
) -> None:
    build(ROOT / "tests" / "specs" / "aminmax.toml")
    output = warm.checked("-W", "ignore", "-c", BOTH + code, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, output


# The library's warnings about sessions, each in its own process: the entries of the options, and the
# models loaded with them, by the domain of their node.
TOLD = program("native/told")
NOTHING = "my_add 0.1.0: this library for ONNX Runtime computed no node of a session"
UNREAD = "of a session's options is read by none of their registered libraries"


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("load({}, own, own)", []),
        ('load({key: "other"}, own, other)', []),
        ('load({f"{key}.2": "other", key: "a,b"}, own, other)', []),
        ('load({"session.of_the_caller": "1"}, own)', []),
        ("load({}, other)", [NOTHING]),
        ("load({}, other, own, other)", [NOTHING] * 2),
        ('load({}, other, other); load({key: "othr"}, other)', [NOTHING] * 3),
        ('load({f"{key}.3": "other"}, own); load({f"{key}.3": "other"}, own)', [UNREAD]),
        (
            'load({key: "othr"}, other)',
            [f"{NOTHING}: its model was refused, or has no my_lib::my_add "],
        ),
        ("load({}, other); load({}, own)", [NOTHING]),
        ('load({"onnxop.domain.my_lib::my_add": "other"}, own)', [UNREAD]),
        ('load({"onnxop.domains.my_lib::my_ad": "other"}, own, own)', [UNREAD]),
        ('load({f"{key}.3": "other"}, own)', [UNREAD]),
        (
            'load({key: ""}, own)',
            [
                "node of '', which is not a valid domain; set the entry \"onnxop.domains.my_lib::my_add\" to"
            ],
        ),
        ('load({key: "other,"}, own)', ["node of '', which is not a valid domain"]),
        ('load({}, model("my_lib", ("float", "double")))', ["must have the same dtype"]),
        (
            'load({}, model("my_lib", ir=99))',
            ["IR version", f"{NOTHING}: its model was refused, or"],
        ),
    ],
)
def test_what_it_says_of_sessions(
    packages: Environment, tmp_path: Path, code: str, facts: list[str]
) -> None:
    """Check the warning about each session without a computed node, printed when its thread makes the next
    session; and the one about unread entries, printed once.
    """
    output = packages.run("-W", "ignore", "-c", TOLD + code, cwd=tmp_path).stdout
    assert "loading" in output or "not a valid domain" in output, output
    assert sum(output.count(fact) for fact in (NOTHING, UNREAD)) == sum(
        fact.startswith((NOTHING, UNREAD)) for fact in facts
    ), output
    for fact in facts:
        assert fact in output


@pytest.mark.usefixtures("packages")
def test_what_it_says_at_the_end(environment: Environment, tmp_path: Path) -> None:
    """Check the warning about the last session, at the end of the process. A library registered later
    may read an entry.
    """
    code = """
import asinh
options = onnxruntime.SessionOptions()
for package in (my_add, asinh):
    name = package.package.operators[0]
    options.add_session_config_entry(f"onnxop.domains.{name}", "other")
for package in (my_add, asinh, my_add):
    options.register_custom_ops_library(package.library_path())
onnxruntime.InferenceSession(other, options)
print("the end", file=sys.stderr, flush=True)
"""
    output = environment.checked("-W", "ignore", "-c", TOLD + code, cwd=tmp_path)
    said = "asinh 0.1.0: this library for ONNX Runtime computed no node of a session"
    assert output.index("the end") < output.index(said)
    assert NOTHING not in output
    assert UNREAD not in output


RAMP = """
[op]
schema = "my_lib::ramp(Tensor x, int steps=2) -> Tensor"
[onnx]
opset = 13
domain = "my_lib"
mapping = '''
y = x
for i in range(steps):
    y = y + x
return y
'''
[kernel]
elementwise = "x + x * steps"
"""
SINC = """
[op]
schema = "aten::sinc"
[onnx]
opset = 15
domain = "my_lib"
mapping = '''
z = self * 3.141592653589793
zero = op.Equal(self, 0.0)
result = op.Where(zero, op.CastLike(1.0, self), op.Sin(z) / op.Where(zero, op.CastLike(1.0, self), z))
return result
'''
[[samples]]
self = "float32[n=2, 7]"
"""
# An operator with a kernel and one without, each with nodes whose functions differ.
KINDS = program("native/kinds")


def test_kinds_of_nodes(environment: Environment, warm: Warm, tmp_path: Path) -> None:
    for name, text in (("ramp", RAMP), ("sinc", SINC)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    specs = ["ramp.toml", "sinc.toml"]
    warm.checked("-m", "onnxop", "new", *specs, "--name", "kinds", "made", cwd=tmp_path)
    environment.install(tmp_path / "made")
    output = warm.checked("-W", "ignore", "-c", KINDS, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * 15, output
    assert "graph(" not in output  # the exporter's graphs, before our sentence
    assert "Custom opset domain" not in output  # an operator that the model does not use
