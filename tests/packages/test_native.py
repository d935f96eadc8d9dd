"""What the library for ONNX Runtime serves: it adds to what runs without it, and takes nothing away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import Build

SPECS = Path(__file__).resolve().parents[1] / "specs"

# A session with the library and one without; how many nodes the library computes.
BOTH = """
import numpy as np, onnx, onnxruntime, torch

def model_of(forward):
    class Model(torch.nn.Module):
        def forward(self, *tensors):
            return forward(*tensors)
    return Model().eval()

def both(package, path, feeds):
    kernels = package._onnxop.native.library().onnxop_kernels
    before = kernels()
    native = onnxruntime.InferenceSession(path, package.session_options())
    count = kernels() - before
    stock = onnxruntime.InferenceSession(path)
    pairs = list(zip(native.run(None, feeds), stock.run(None, feeds), strict=True))
    assert all(a.dtype == b.dtype and a.shape == b.shape for a, b in pairs)
    worst = max(abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0) for a, b in pairs)
    return count, float(worst), [a.dtype.name for a, _ in pairs]
"""

# A kernel of float32 and float64, in a model that was made float16 afterwards.
HALVES = """
import squared_distances

args = torch.rand(6, 4), torch.rand(5, 4), torch.rand(4)
forward = lambda a, b, c: squared_distances.squared_distances(a, b, c)
squared_distances.export(model_of(forward), args, "m.onnx", domain="my_lib", input_names=list("abc"))
model = onnx.load("m.onnx")
for port in (*model.graph.input, *model.graph.output):
    port.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
del model.graph.value_info[:]
onnx.save(model, "half.onnx")
feeds = {name: value.numpy().astype(np.float16) for name, value in zip("abc", args)}
count, worst, dtypes = both(squared_distances, "half.onnx", feeds)
print(count == 1 and worst < 4e-3 and dtypes == ["float16"], count, worst, dtypes)
"""

# Dtypes that the kernel lacks: the function computes, and half floats as floats.
OTHER_DTYPES = """
import aminmax

forward = lambda x: (*torch.aminmax(x, dim=0), *torch.aminmax(x), *torch.aminmax(x, dim=1, keepdim=True))
for dtype, wanted in ((torch.float32, 3), (torch.float16, 3), (torch.int64, 0)):
    for dynamo in (True, False):
        x = (torch.rand(3, 4) * 100).to(dtype)
        aminmax.export(model_of(forward), (x,), "m.onnx", domain="aminmax", dynamo=dynamo)
        name = onnx.load("m.onnx").graph.input[0].name
        found = both(aminmax, "m.onnx", {name: x.numpy()})
        print(found == (wanted, 0.0, [str(dtype).removeprefix("torch.")] * 6), found)
"""

# A hundred values, of which two kinds of body come.
HUNDRED = """
import keep_above

def forward(x):
    found = [
        keep_above.keep_above(x, [i % 3, 1 + i % 2], limit=i / 200, side="above" if i % 2 else "below")
        for i in range(100)
    ]
    return torch.stack([each.sum() for each in found])

x = torch.rand(20)
for dynamo, opset in ((True, 18), (True, 25), (False, 13), (False, 20)):
    model = model_of(forward)
    keep_above.export(model, (x,), "m.onnx", domain="my_lib", dynamo=dynamo, opset_version=opset)
    exported = onnx.load("m.onnx")
    count, worst, _ = both(keep_above, "m.onnx", {exported.graph.input[0].name: x.numpy()})
    print(count == 100 and worst < 1e-6 and len(exported.functions) == 2, count, worst)
"""

# A kernel of version 3 meets models of version 3 alone; earlier ones run their functions.
VERSIONS = """
import keep_above

args = (torch.rand(20),)
model = model_of(lambda x: keep_above.keep_above(x))
for dynamo in (True, False):
    keep_above.export(model, args, "m.onnx", domain="my_lib", dynamo=dynamo)
    exported = onnx.load("m.onnx")
    feeds = {exported.graph.input[0].name: args[0].numpy()}
    (own,) = (entry for entry in exported.opset_import if entry.domain == "my_lib")
    for version, wanted in ((own.version, 1), (2, 0)):
        own.version = version
        onnx.save(exported, "m.onnx")
        found = both(keep_above, "m.onnx", feeds)
        print(found == (wanted, 0.0, ["float32"]), version, found)
    own.version = 4
    (said,) = (each for each in exported.graph.node[0].attribute if each.name == "onnxop_version")
    said.i = 4
    onnx.save(exported, "m.onnx")
    try:
        print(not both(keep_above, "m.onnx", feeds))
    except Exception as error:
        print("the node is of version 4, but this library, of keep_above 0.1.0" in str(error), error)
"""


@pytest.mark.parametrize(
    ("spec", "code", "answers"),
    [
        ("squared_distances", HALVES, 1),
        ("aminmax", OTHER_DTYPES, 6),
        ("keep_above", HUNDRED, 4),
        ("keep_above", VERSIONS, 6),
    ],
    ids=["halves", "other dtypes", "a hundred values", "versions"],
)
def test_what_stock_runs_runs_with_the_library(
    build: Build, environment: Environment, tmp_path: Path, spec: str, code: str, answers: int
) -> None:
    build(SPECS / f"{spec}.toml")
    told = environment.checked("-W", "ignore", "-c", BOTH + code, cwd=tmp_path)
    lines = [line for line in told.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, told


@pytest.mark.usefixtures("packages")
def test_a_library_that_serves_nothing_says_so(environment: Environment, tmp_path: Path) -> None:
    """An entry with a wrong key falls back to the function, but not without a word: said as a process
    of its own ends.
    """
    code = """
import onnxruntime, torch, my_add

args = torch.rand(2), torch.rand(2)
my_add.export(my_add.MyAdd(), args, "m.onnx", domain="other")
options = onnxruntime.SessionOptions()
options.add_session_config_entry("onnxop.domain.my_lib::my_add", "other")
options.register_custom_ops_library(my_add.library_path())
onnxruntime.InferenceSession("m.onnx", options)
"""
    told = environment.checked("-W", "ignore", "-c", code, cwd=tmp_path)
    sentence = "my_add 0.1.0: no node of any model was computed by this library"
    assert sentence in told
    assert "It serves my_lib::my_add of version 1" in told
    again = f"{code}onnxruntime.SessionOptions()"
    next_one = f"{again}.register_custom_ops_library(my_add.library_path())\nprint('the end')"
    told = environment.checked("-W", "ignore", "-c", next_one, cwd=tmp_path)
    assert told.index(sentence) < told.index("the end")
    assert told.count(sentence) == 1
    right = code.replace("onnxop.domain.", "onnxop.domains.")
    assert sentence not in environment.checked("-W", "ignore", "-c", right, cwd=tmp_path)


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
return op.Where(zero, op.CastLike(1.0, self), op.Sin(z) / op.Where(zero, op.CastLike(1.0, self), z))
'''
[[samples]]
self = "float32[n=2, 7]"
"""
# An operator with a kernel, one without, and each with nodes whose functions differ in their nodes.
KINDS = """
import warnings, numpy as np, onnx, torch, onnxruntime, kinds

def model_of(count):
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.stack([kinds.ramp(torch.sinc(x), i) for i in range(1, count + 1)])
    return Model().eval()

x = torch.rand(3) + 0.5
for domain, dynamo in ((None, True), ("other", True), (None, False), ("other", False)):
    asked = {"domain": domain, "dynamo": dynamo, "verbose": False}
    kinds.export(model_of(3), (x,), "m.onnx", **asked)
    found = [
        kinds.verify(model_of(3), (x,), **asked),
        kinds.verify("m.onnx", (x,)),
        kinds.verify("m.onnx", (x,), domain=domain),
        kinds.verify(model_of(3), (x,), f="m.onnx"),
    ]
    print([(each.native, each.nodes) for each in found] == [(3, 4)] * 4, found)

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    kinds.export(model_of(130), (x,), "m.onnx", dynamo=False)
    found = kinds.verify("m.onnx", (x,), rtol=1e-3)
print((found.native, found.nodes) == (128, 131), found)
(word,) = (str(each.message) for each in said if "knows 128" in str(each.message))
print(word.startswith("my_lib::ramp has 130 functions of different nodes in this model"), word)

for domain, words in (("", "stands for standard nodes"), ({"aten::sinc": "a"}, "has no C++ kernel")):
    try:
        kinds.session_options(domain=domain)
    except ValueError as error:
        print(words in str(error), error)
for dynamo, opset, words in (
    (True, 12, "use opset_version=18, or dynamo=False (opsets 13 to 23)"),
    (False, 8, "use opset_version=13, or dynamo=True (opsets 18 to 25)"),
    (False, 10, "writes my_lib::ramp at opsets 13 to 23, not 10"),
):
    try:
        kinds.export(kinds.Ramp().eval(), (x,), "m.onnx", dynamo=dynamo, opset_version=opset, domain="")
    except ValueError as error:
        print(words in str(error), error)
"""


def test_kinds_of_nodes(environment: Environment, tmp_path: Path) -> None:
    for name, text in (("ramp", RAMP), ("sinc", SINC)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    specs = ["ramp.toml", "sinc.toml"]
    environment.checked("-m", "onnxop", "new", *specs, "--name", "kinds", "made", cwd=tmp_path)
    environment.install(tmp_path / "made")
    told = environment.checked("-W", "ignore", "-c", KINDS, cwd=tmp_path)
    lines = [line for line in told.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * 11, told
    assert "graph(" not in told  # the exporter's graphs, before a sentence of ours
