"""What a deployer asks of a model: all of its nodes run native, as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.conftest import ROOT, Build
from tests.packages.test_native import BOTH
from tests.warm import Warm

# Parts of a node that a library ignores, and stock ONNX Runtime, too, unless the nodes are checked.
UNKNOWN = """
import many_ops

def model(attributes, version=3):
    text = f'''<ir_version: 8, opset_import: ["" : 18, "my_lib" : {version}]>
    g (float[n] x) => (float[m] y) {{ y = my_lib.keep_above <{attributes}> (x) }}
    <domain: "my_lib", opset_import: ["" : 18]>
    keep_above <margin, limit, side> (x) => (y) {{ y = Identity(x) }}'''
    onnx.save(onnx.parser.parse_model(text), "m.onnx")

def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return str(error)

x, common = torch.rand(20), 'margin: ints = [1, 1], side: string = "above"'
load = lambda: onnxruntime.InferenceSession("m.onnx", many_ops.session_options())
verify = lambda: many_ops.verify("m.onnx", (x,))
for limit in ("Limit", "LIMIT", "limits", "limt", "ilmit", "limmit"):
    model(f"{common}, {limit}: float = 0.5")
    print(f"has the attribute {limit}, which the op does not have; did you mean limit?" in error_of(load), error_of(load))
    print(f"m.onnx: the node y has an attribute {limit}, which my_lib::keep_above would ignore" in error_of(verify))
for attributes, version, message in (
    ("limit: float = 0.5, note: int = 1", 3, "has an attribute note"),
    ("limit: float = 0.5", 4, "my_lib::keep_above is a node of version 4 of my_lib, but the library supports 3"),
):
    model(f"{common}, {attributes}", version)
    print(message in error_of(verify), error_of(verify))
model(common + ', limit: float = 0.5, onnxop_note: int = 1')
print("InferenceSession" in error_of(load), error_of(load))

# Attributes that functions read have names that no argument has.
forward = lambda x: (many_ops.axpby(x, x, x, 1.5, flip=True), many_ops.axpby(x, x, x, 2.5, flip=True))
many_ops.export(model_of(forward), (x,), "m.onnx", domain="my_ops")
nodes = onnx.load("m.onnx").graph.node
print([a.name for a in nodes[1].attribute if a.name not in ("alpha", "n", "flip")] == ["onnxop_value"])
"""

# The nodes of one session that the library computes; a model that must run native.
SERVED = """
import aminmax, ctypes, many_ops, warnings

def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return str(error)

x = torch.rand(20)
three = model_of(lambda x: (many_ops.keep_above(x), many_ops.keep_above(x, [2, 3]), many_ops.axpby(x, x, x)))
wanted = {"many_ops": {"my_lib::keep_above": {"cpu": 2}, "my_ops::axpby": {"cpu": 1}}}
for bodies in (True, False):
    for dynamo in (True, False):
        options = dict(domain="other", input_names=["x"], function_bodies=bodies, dynamo=dynamo)
        many_ops.export(three, (x,), "three.onnx", **options)
        stock = error_of(lambda: onnxruntime.InferenceSession("three.onnx"))
        print(("InferenceSession" in stock) == bodies == bool(onnx.load("three.onnx").functions), stock)
        session = many_ops.session("three.onnx", require_native=True)
        print(session.served == wanted, session.served)
        outputs = session.run(None, {"x": x.numpy()})
        print(all(np.allclose(a, b) for a, b in zip(outputs, three(x), strict=True)))

# By a C function, and once for each session.
served = ctypes.CDLL(many_ops.library_path()).onnxop_served
served.restype = ctypes.c_char_p
for _ in range(2):
    onnxruntime.InferenceSession("three.onnx", many_ops.session_options(domain="other"))
    print(served(None) == served(b"three.onnx") == b'{"other::axpby": {"cpu": 1}, "other::keep_above": {"cpu": 2}}', served(None))

# A kernel of no integers, and standard nodes: each time in a sentence, or an error.
integers = (torch.arange(12).reshape(3, 4),)
both = model_of(lambda x: torch.aminmax(x, dim=0))
aminmax.export(both, integers, "integers.onnx", domain="aminmax", verbose=False)
many_ops.export(three, (x,), "standard.onnx", domain="", verbose=False)
for _ in range(2):
    print(aminmax.session("integers.onnx").served == {"aminmax": {"aminmax::aminmax": {"cpu": 0}}})
    print(many_ops.session("standard.onnx").served == {})
why = error_of(lambda: aminmax.session("integers.onnx", require_native=True))
print("require_native, but of 1 nodes" in why and "computes 0, and no aminmax::aminmax_function" in why, why)
why = error_of(lambda: many_ops.session("standard.onnx", require_native=True))
print("require_native, but of 0 nodes" in why, why)
for dynamo in (True, False):
    why = error_of(lambda: aminmax.export(both, integers, "n.onnx", domain="aminmax", function_bodies=False, dynamo=dynamo))
    print("kernel does not support the input dtypes" in why, why)
mixed = model_of(lambda x: (many_ops.axpby(x, x, x), many_ops.quick_gelu(x)))
many_ops.export(mixed, (x,), "mixed.onnx", domain="other", verbose=False)
why = error_of(lambda: many_ops.session("mixed.onnx", require_native=True))
print("of 2 nodes" in why and "computes 1, and no other::quick_gelu; my_lib::quick_gelu has no C++ kernel" in why, why)
call = 'export(..., domain={"my_ops::axpby": "other", "my_lib::quick_gelu": ""}, function_bodies=False)'
print(call in why, why)
for dynamo in (True, False):
    options = dict(function_bodies=False, dynamo=dynamo, verbose=False)
    why = error_of(lambda: many_ops.export(mixed, (x,), "mixed.onnx", domain="other", **options))
    print(why.startswith("my_lib::quick_gelu: function_bodies=False, but it has no C++ kernel") and call in why, why)
    domains = {"my_ops::axpby": "other", "my_lib::quick_gelu": ""}
    many_ops.export(mixed, (x,), "mixed.onnx", domain=domains, **options)
    print(many_ops.session("mixed.onnx", require_native=True).served == {"many_ops": {"my_ops::axpby": {"cpu": 1}}})

# A kernel without 16-bit floats, which has a reference: the node, in both exporters; of other dtypes dynamo says why not.
distances = model_of(lambda x: many_ops.squared_distances(x, x))
for dtype in (torch.float16, torch.bfloat16):
    for dynamo in (True, False):
        options = dict(domain="my_lib", function_bodies=False, dynamo=dynamo, verbose=False)
        many_ops.export(distances, (x.reshape(4, 5).to(dtype),), "half.onnx", **options)
        wanted = {"many_ops": {"my_lib::squared_distances": {"cpu": 1}}}
        print(many_ops.session("half.onnx", require_native=True).served == wanted)
options = dict(domain="my_lib", verbose=False)
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    many_ops.export(distances, integers, "n.onnx", **options)
noted = [str(warning.message) for warning in noted if "its kernel has no torch.int64" in str(warning.message)]
print(len(noted) == 1 and "standard nodes, not a node of my_lib" in noted[0], noted)
why = error_of(lambda: many_ops.export(distances, integers, "n.onnx", function_bodies=False, **options))
print("function_bodies=False needs the node" in why, why)
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    many_ops.export(model_of(many_ops.quick_gelu), (x,), "n.onnx", dynamo=False, opset_version=12, domain="my_lib")
noted = [str(warning.message) for warning in noted if "only your own engine" in str(warning.message)]
print(len(noted) == 1 and "no function body at opset 12" in noted[0], noted)
why = error_of(lambda: many_ops.export(three, (x,), "n.onnx", domain="", function_bodies=False))
print("function_bodies=False needs nodes of a custom domain" in why, why)
"""

# Omitted trailing inputs are neither on the node nor on its function.
LEFT_OUT = """
import many_ops

a, b, weight = torch.rand(3, 4), torch.rand(5, 4), torch.rand(4)
model = model_of(lambda a, b, c: (many_ops.squared_distances(a, b, c), many_ops.squared_distances(b, a)))
for bodies in (True, False):
    for dynamo in (True, False):
        options = dict(domain="my_lib", dynamo=dynamo, function_bodies=bodies)
        many_ops.export(model, (a, b, weight), "m.onnx", input_names=["a", "b", "c"], **options)
        exported = onnx.load("m.onnx")
        print([list(node.input) for node in exported.graph.node] == [["a", "b", "c"], ["b", "a"]])
        inputs = [["a", "b", "weight"], ["a", "b"]] if bodies else []
        print([list(function.input) for function in exported.functions] == inputs)
        if bodies:
            feeds = {"a": a.numpy(), "b": b.numpy(), "c": weight.numpy()}
            count, worst, _ = both(many_ops, "m.onnx", feeds)
            print(count == 2 and worst < 1e-5, count, worst)
"""

# Functions whose dtype stock ONNX Runtime does not support: export says so once.
NO_KERNEL = """
import many_ops, warnings

forward = lambda x: (many_ops.quick_gelu(x), many_ops.quick_gelu(x.t()), many_ops.axps(x, 0.5))
for dtype, wanted in ((torch.bfloat16, ["my::axps", "my_lib::quick_gelu"]), (torch.float16, []), (torch.float64, [])):
    for dynamo in (True, False):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            options = dict(domain="d", dynamo=dynamo, verbose=False)
            many_ops.export(model_of(forward), (torch.rand(2, 3).to(dtype),), "m.onnx", **options)
        said = sorted(str(warning.message) for warning in caught if "no CPU kernel" in str(warning.message))
        print([message.partition(": ")[0] for message in said] == wanted, said)
        print(all("CPU kernel for Mul(14) in bfloat16" in message for message in said))
        print(["library is not registered" in message for message in said] == [True, False][: len(wanted)])
        try:
            onnxruntime.InferenceSession("m.onnx")
            print(not wanted)
        except Exception as error:
            print(bool(wanted) and "Mul(14)" in str(error), error)
"""

# Lists of floats, which the TorchScript exporter converts to float32 before it asks for the node.
FLOATS = """
import onnxop_runtime

torch.library.define("s_lib::blend", "(Tensor x, float[] weights) -> Tensor")

@torch.library.impl("s_lib::blend", ("CPU", "Meta"))
def blend(x, weights):
    return x * weights[0] + weights[1]

onnxop_runtime.register('''
[op]
schema = "s_lib::blend(Tensor x, float[] weights) -> Tensor"
[onnx]
opset = 18
mapping = "op.Add(op.Mul(x, weights[0]), weights[1])"
''')
x = torch.rand(4, dtype=torch.float64)
model = model_of(lambda x: (torch.ops.s_lib.blend(x, [1 / 3, 1e300]), torch.ops.s_lib.blend(x, [0.1, 5e-324])))
for domain in ("", "s_lib"):
    for dynamo in (True, False):
        options = dict(domain=domain, dynamo=dynamo, opset_version=18, verbose=False)
        onnxop_runtime.export(model, (x,), "m.onnx", input_names=["x"], **options)
        outputs = onnxruntime.InferenceSession("m.onnx").run(None, {"x": x.numpy()})
        worst = max(abs(a / b.numpy() - 1).max() for a, b in zip(outputs, model(x), strict=True))
        print(worst < 1e-15 and bool(onnx.load("m.onnx").functions) == bool(domain), worst)
"""
NOTHING = "this library for ONNX Runtime computed no node of"


@pytest.mark.parametrize(
    ("code", "answers", "sentences"),
    [
        (UNKNOWN, 16, {}),
        (
            SERVED,
            12 + 2 + 4 + 2 + 3 + 2 + 5 + 6,
            {f"{NOTHING} {m}.onnx": 3 for m in ("integers", "standard")},
        ),
        (LEFT_OUT, 10, {}),
        (NO_KERNEL, 24, {}),
        (FLOATS, 4, {}),
    ],
    ids=["unknown", "served", "left out", "no kernel", "floats"],
)
@pytest.mark.usefixtures("many_ops")
def test_what_is_served(
    build: Build, warm: Warm, tmp_path: Path, code: str, answers: int, sentences: dict[str, int]
) -> None:
    build(ROOT / "tests" / "specs" / "aminmax.toml")
    output = warm.checked("-W", "ignore", "-c", BOTH + code, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, output
    assert {sentence: output.count(sentence) for sentence in sentences} == sentences, output
