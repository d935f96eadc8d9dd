"""The kernels in OpenVINO: the same file and nodes as in ONNX Runtime, with another library."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared
from tests.packages.conftest import FIRST, REFERENCE_SPECS, Build, name_of
from tests.programs import PATH, program
from tests.warm import Warm

pytestmark = pytest.mark.nightly  # builds for OpenVINO

SPEC_OF = {name_of(spec): spec for spec in REFERENCE_SPECS}
# Of the programs in this file.
IMPORTS = """
import many_ops, my_add
import numpy as np
import onnx, openvino, torch
from tests.programs.native.both import model_of
from tests.programs.openvino.common import core_of, error_of
"""

# A model for each kind of kernel: compared by verify, also with dynamic sizes.
VERIFIED = (
    IMPORTS
    + """
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
)

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

# A node without an OpenVINO function is inlined, with a message; unsupported values are not
# compared.
INLINED = program("openvino/inlined")

# From 8 threads at once, each with its own request; as a file of OpenVINO's own format; and from
# its cache.
THREADS = program("openvino/threads")

# The package's own sentences refuse wrong nodes.
MALFORMED = program("openvino/malformed")

# A library of another release tells that release: one that loads by itself, and before it is
# loaded. Its text is in the message and, by some compilers, in the instruction that compares it.
RELEASES = (
    IMPORTS
    + """
import os, sys
from pathlib import Path
from onnxop_runtime.operator.library import Library

release = openvino.__version__.partition("-")[0]
path = Path(my_add.openvino_extension())
data, other = path.read_bytes(), release[:-1] + ("8" if release[-1] != "8" else "7")
os.mkdir("acme")
Path("acme/__init__.py").write_text("")
Path("acme/libacme_openvino.so").write_bytes(data.replace(release.encode(), other.encode()))
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
)


@pytest.fixture(scope="session")
def hosts(environment: Environment, shared: Shared, build: Build, warm: Warm) -> Callable[..., str]:
    """Return the folder of reference packages built for OpenVINO, too, unlike those of
    other tests.
    """

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
    path = os.pathsep.join([PATH, hosts(*names)])
    output = runner.checked("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=path)
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
