"""The kernels in OpenVINO: the same file and nodes as in ONNX Runtime, with another library."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared
from tests.packages.conftest import FIRST, REFERENCE_SPECS, Build, name_of
from tests.packages.test_native import BOTH
from tests.programs import program
from tests.warm import Warm

SPEC_OF = {name_of(spec): spec for spec in REFERENCE_SPECS}
COMMON = (
    BOTH
    + """
import openvino
import many_ops, my_add

def core_of(*packages):
    core = openvino.Core()
    for package in packages:
        core.add_extension(package.openvino_extension())
    return core

def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return str(error)
"""
)

# A model for each kind of kernel: compared by verify, also with dynamic sizes.
VERIFIED = """
def both_sides(x):
    values, places = many_ops.max_last(x, lowest=True)
    return values + 1, places + 2, many_ops.max_last(x)[1]

def chosen(x):
    return [many_ops.keep_above(x, [2, 3], limit=limit, side=side) for limit in (None, 1 / 3) for side in ("above", "below")]

left_out = lambda x: (many_ops.squared_distances(x, x), many_ops.squared_distances(x, x, x[0]), many_ops.softmax(x))
rows = lambda x, w: (many_ops.rms_norm(x, w), many_ops.rms_norm(x, w, eps=1 / 3))
listed = lambda x, y: many_ops.pad_stack([x, y, x], fill=-1.5)
R = torch.rand
cases = {
    "my_add": (my_add, my_add.my_add, [(R(2, 3), R(2, 3)), (R(5, 4), R(5, 4))]),
    "float64": (my_add, my_add.my_add, [(R(2, 3).double(), R(2, 3).double())]),
    "float16": (my_add, my_add.my_add, [(R(2, 3).half(), R(2, 3).half())]),
    "bfloat16": (my_add, my_add.my_add, [(R(2, 3).bfloat16(), R(2, 3).bfloat16())]),
    "integers": (my_add, my_add.my_add, [(torch.arange(6), torch.arange(6)), (torch.arange(9), torch.arange(9))]),
    "rms_norm": (many_ops, rows, [(R(3, 5), R(5)), (R(4, 9), R(9))]),
    "halves": (many_ops, rows, [(R(3, 5).half(), R(5).half())]),
    "two results": (many_ops, both_sides, [(R(3, 5),), (R(4, 2),)]),
    "left out": (many_ops, left_out, [(R(4, 6),), (R(3, 8),)]),
    "text": (many_ops, chosen, [(R(20),), (R(31),)]),
    "truth values": (many_ops, lambda a, b: many_ops.above(a, b, swap=True, most=7), [(R(3, 2), R(3, 2))]),
    "a list": (many_ops, listed, [(R(3), R(5)), (R(9), R(2))]),
}
FURTHER
for name, (package, forward, calls) in cases.items():
    for is_dynamic in (False, True):
        names = list("xyz"[: len(calls[0])])
        axes = {n: list(range(t.dim())) for n, t in zip(names, calls[0])}
        if name == "deform_conv2d":
            axes = {"x": [0, 2, 3]}
        options = {"dynamic_axes": axes, "others": calls[1:]} if is_dynamic else {}
        options |= {"dynamo": False, "domain": "asinh" if name == "asinh" else package.package.operators[0].domain}
        if package is many_ops:
            options["domain"] = {str(op): op.domain for op in many_ops.package.operators if op.is_native}
        model = forward.eval() if isinstance(forward, torch.nn.Module) else model_of(forward)
        report = package.verify(model, calls[0], input_names=names, **options)
        print(report.nodes > 0 and "OpenVINO" in report.errors, name, is_dynamic, report)
"""

# The same for existing operators.
EXISTING = VERIFIED.replace(
    "FURTHER",
    """
import asinh, deform_conv2d
from torchvision.ops import DeformConv2d

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)
    def forward(self, x):
        return self.deform(x, self.offset(x))

cases = {
    "asinh": (asinh, torch.asinh, [(R(2, 3),), (R(7, 1),)]),
    "deform_conv2d": (deform_conv2d, Net(), [(R(1, 3, 8, 8),), (R(2, 3, 9, 7),)]),
}
""",
)
VERIFIED = VERIFIED.replace("FURTHER", "")

# A node without an OpenVINO function is inlined, with a message; unsupported values are not compared.
INLINED = '''
x = torch.rand(2, 3)
report = many_ops.verify(model_of(lambda x: (many_ops.swish(x), many_ops.quick_gelu(x))), (x,), domain="my_ops")
print("(functions inlined: my_ops::quick_gelu)" in str(report) and report.inlined == ("my_ops::quick_gelu",), report)
large = torch.full((2,), 2**40), torch.ones(2, dtype=torch.int64)
report = my_add.verify(my_add.MyAdd().eval(), large, domain="my_lib")
print("OpenVINO" not in report.errors and "computes int64 in int32" in report.missing["OpenVINO"], report)

# So is a node of an earlier version than the kernel's, and no library goes along for it.
from pathlib import Path
from onnxop.package.ship import ship

earlier = """<ir_version: 8, opset_import: ["" : 18, "my_lib" : 1]>
g (float[n] x) => (float[n] y) { y = my_lib.keep_above (x) }
<domain: "my_lib", opset_import: ["" : 18]> keep_above (x) => (y) { y = Neg (x) }"""
onnx.save(onnx.parser.parse_model(earlier), "earlier.onnx")
report = many_ops.verify("earlier.onnx", (x[0],))
print(report.native == 0 and report.inlined == ("my_lib::keep_above",) and "OpenVINO" in report.errors, report)
shipped, text = ship(Path("earlier.onnx"), Path("deploy")), Path("deploy/README.md").read_text()
print(shipped.files == ["earlier.onnx", "README.md"] and not shipped.native and "librar" not in text, shipped, text)
'''

# From 8 threads at once, each with its own request; as a file of OpenVINO's own format; and from its cache.
THREADS = """
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

x, w = torch.rand(300, 400), torch.rand(400)
forward = lambda x, w: (many_ops.rms_norm(x, w, eps=1 / 3), *many_ops.max_last(x, lowest=True))
options = dict(input_names=["x", "w"], dynamic_axes={"x": [0]}, dynamo=False)
many_ops.export(model_of(forward), (x, w), "m.onnx", domain="my_lib", **options)
core = core_of(many_ops)
compiled = core.compile_model(core.read_model("m.onnx"), "CPU", {"NUM_STREAMS": 2})

wanted = [result.numpy() for result in forward(x, w)]

def work(seed):
    request = compiled.create_infer_request()
    for i in range(40):
        rows = slice(seed, seed + 1 + 37 * i % 200)
        outputs = request.infer([x.numpy()[rows], w.numpy()]).values()
        if not all(np.allclose(a, b[rows], 1e-5, 1e-6) for a, b in zip(outputs, wanted, strict=True)):
            return False
    return True

with ThreadPoolExecutor(8) as pool:
    print(all(pool.map(work, range(8))))

# Attributes of all kinds, exactly: text, lists, doubles, numbers that are whole.
forward = lambda x: (many_ops.keep_above(x, [2, 1], 1 / 3, "below"), many_ops.axps(x, 9), many_ops.axps(x, 1e-300))
x = torch.rand(20)
domains = {"my_lib::keep_above": "my_lib", "my::axps": "my"}
many_ops.export(model_of(forward), (x,), "m.onnx", domain=domains, dynamo=False)
openvino.save_model(core.read_model("m.onnx"), "m.xml", compress_to_fp16=False)
core = core_of(many_ops)
core.set_property({"CACHE_DIR": "cache"})
print("unsupported opset: my_lib" in error_of(lambda: openvino.Core().read_model("m.xml")))
for file in ("m.xml", "m.xml", "m.onnx"):
    outputs = core.compile_model(file, "CPU")([x.numpy()]).values()
    print(all(np.allclose(a, b.numpy(), 1e-6) for a, b in zip(outputs, forward(x), strict=True)))
text = Path("m.xml").read_text()
Path("m.xml").write_text(text.replace('onnxop_version="3"', 'onnxop_version="2"'))
print("the file's node is of version 2, but this" in error_of(lambda: core.read_model("m.xml")))
"""

# The package's own sentences refuse wrong nodes.
MALFORMED = """
core = core_of(many_ops, my_add)

def refused(message, node, inputs="float[4] x", feeds=[4], imports='"my_lib" : 3'):
    text = f'''<ir_version: 8, opset_import: ["" : 18, {imports}]> g ({inputs}) => (float[m] y) {{ y = {node} }}'''
    model = onnx.parser.parse_model(text).SerializeToString()
    def run():
        loaded = core.read_model(io.BytesIO(model))
        if feeds:  # else that alone is to refuse it
            core.compile_model(loaded, "CPU")([np.zeros(size, np.float32) for size in feeds])
    error = error_of(run)
    print(message in error, message, "|", error)

import io
old = "my_lib.keep_above <{}> (x)"
keep = old.format("onnxop_version: int = 3, margin: ints = [1, 1], {}")
refused("limit must be of type FLOAT", keep.format('side: string = "above", limit: int = 1'))
refused("margin must have 2 numbers, not 1", old.format('onnxop_version: int = 3, margin: ints = [1], side: string = "above"'))
refused("has the attribute Limit, which the op does not have; did you mean limit?", keep.format('side: string = "above", Limit: float = 1.0'))
refused("margin must be of type INTS", old.format('onnxop_version: int = 3, margin: float = 1.0, side: string = "above"'))
refused("the node is of version 4, but this library", old.format("onnxop_version: int = 4"))
refused("leaves out the required input b", "my_lib.my_add (x)")
refused("but the op takes 2", "my_lib.my_add (x, x, x)")
refused("supports float32, float64", "my_lib.my_add (x, x)", inputs="string[4] x")
refused("must have the same dtype", "my_lib.my_add (x, z)", inputs="float[4] x, double[4] z")
refused("cannot be broadcast together", "my_lib.my_add (x, z)", inputs="float[n] x, float[k] z", feeds=[4, 3])
refused("No conversion rule found", "my_lib.my_sub (x)")
refused("they differ in dimension 0", "my_lib.my_add (x, z)", inputs="float[4] x, float[3] z", feeds=[4, 3])

# Nodes of an earlier version, whose functions OpenVINO does not run.
refused("the node is of version 1, but this library", old.format('side: string = "above"'))
refused('inline_selected_functions(model, [("my_lib", "keep_above_variant_2")])', "my_lib.keep_above_variant_2 (x)")

# What is wrong whatever the dynamic dimensions are is refused where the model is read.
dynamic = dict(feeds=[], inputs="float[n, 8] x, float[5] z")
refused("leaves out the required input b", "my_lib.my_add (x)", **dynamic)
refused("must have 1 dimensions", keep.format('side: string = "above"'), **dynamic)
refused("differ in dimension 1 (8 and 5)", "my_lib.my_add (x, z)", **dynamic)
refused("elements in its last dimension", "my_lib.rms_norm (x, z)", **dynamic)
"""

# A library of another release tells that release: one that loads by itself, and before it is loaded.
RELEASES = """
import os, sys
from pathlib import Path
from onnxop_runtime.operator.library import Library

release = openvino.__version__.partition("-")[0]
path = Path(my_add.openvino_extension())
data, other = path.read_bytes(), release[:-1] + ("8" if release[-1] != "8" else "7")
os.mkdir("acme")
Path("acme/__init__.py").write_text("")
Path("acme/libacme_openvino.so").write_bytes(data.replace(f"OpenVINO {release}".encode(), f"OpenVINO {other}".encode()))
sys.path.insert(0, ".")
error = error_of(lambda: openvino.Core().add_extension("acme/libacme_openvino.so"))
print(f"of my_add 0.1.0 was built for OpenVINO {other}, but this is {release}" in error, error)
error = error_of(lambda: Library("acme").openvino_path)
print(f"was built for OpenVINO {other}, but {release} is installed; rebuild acme: pip" in error, error)
soname = re.search(rb"libopenvino\\.so\\.\\d+", data)[0]
Path("far.so").write_bytes(data.replace(soname, soname[:-1] + b"x"))
error = error_of(lambda: openvino.Core().add_extension("far.so"))
print((soname[:-1] + b"x").decode() in error, error)
print('"openvino" in runtimes under [package]' in error_of(lambda: Library("torch").openvino_path))
""".replace("import os", "import os, re")


@pytest.fixture(scope="session")
def hosts(environment: Environment, shared: Shared, build: Build, warm: Warm) -> Callable[..., str]:
    """Return the folder of reference packages built for OpenVINO, too, unlike those of other tests."""

    def installed(*names: str) -> str:
        def make(folder: Path) -> None:
            for name in names:
                package = folder / name
                made = (SPEC_OF[name], package, "--runtime", "openvino")
                warm.checked("-m", "onnxop", "new", *made, cwd=shared.folder)
                environment.install(package, PIP_TARGET=str(folder / "installed"))

        build(FIRST)  # then the compiler's cache has its files
        return str(shared.once(f"hosts {' '.join(names)}", make) / "installed")

    return installed


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        (VERIFIED, 24),
        pytest.param(EXISTING, 4, marks=pytest.mark.everything),
        (INLINED, 4),
        pytest.param(THREADS, 6, marks=pytest.mark.everything),
        (MALFORMED, 18),
        (RELEASES, 4),
    ],
    ids=["verified", "existing", "inlined", "threads", "malformed", "releases"],
)
@pytest.mark.usefixtures("many_ops")
def test_in_openvino(
    warm: Warm,
    environment: Environment,
    hosts: Callable[..., str],
    tmp_path: Path,
    code: str,
    answers: int,
) -> None:
    runner = environment if code == THREADS else warm  # a fork has one thread
    names = ["my_add", "asinh", "deform_conv2d"][: 3 if code == EXISTING else 1]
    output = runner.checked(
        "-W", "ignore", "-c", COMMON + code, cwd=tmp_path, PYTHONPATH=hosts(*names)
    )
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, output


EXPORT = program("openvino/export")


def test_ship_takes_it_along(
    warm: Warm, environment: Environment, hosts: Callable[..., str], tmp_path: Path
) -> None:
    where = hosts("my_add")
    warm.checked("-W", "ignore", "-c", EXPORT, cwd=tmp_path, PYTHONPATH=where)
    ship = ["-m", "onnxop", "ship", "node.onnx", "deploy"]
    output = warm.checked(*ship, cwd=tmp_path, PYTHONPATH=where)
    assert "deploy/libmy_add_openvino.so" in output
    readme = (tmp_path / "deploy" / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"In OpenVINO 20[\d.]+, .*?```py\n(.*?)```", readme, re.DOTALL)
    code += (
        "import numpy\na, b = numpy.ones((2, 3), 'float32'), numpy.ones(3, 'float32')"
        "\nprint((compiled([a, b])[0] == 3).all())"
        "\nimport sys\nprint({'torch', 'my_add', 'onnxruntime'} & {*sys.modules})"
    )
    assert environment.checked("-c", code, cwd=tmp_path / "deploy") == "True\nset()\n"
