"""A package of several operators of all kinds: built once, exported as one model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from onnxop import cli
from tests.conftest import Environment
from tests.packages.conftest import SEVERAL
from tests.packages.test_packages import PYTEST, at_most_ends
from tests.programs import folder, program
from tests.warm import Warm

pytestmark = pytest.mark.nightly  # builds many_ops

SPECS = Path(__file__).resolve().parents[1] / "specs"
PARTS = range(8)  # of many_ops' own tests
USUAL = 1  # of kinds that the contract does not try: of two results, with a reference of its own

TWINS_USED = program("ops/twins_used")

MODEL_USED = program("ops/model_used")

DTYPES_USED = program("ops/dtypes_used")

LISTS_USED = program("ops/lists_used")

INTEGERS_USED = program("ops/integers_used")


def test_lists_of_tensors(many_ops: Path, warm: Warm) -> None:
    result = warm.run("-W", "ignore", "-c", LISTS_USED, cwd=many_ops.parent)
    assert result.returncode == 0, result.stdout
    refused = ["True", "my_lib::pad_stack: rows must be a list, but it is None", "True"]
    assert result.stdout.splitlines() == [*2 * refused, "True True", "True", "True True"]


def test_dtypes(many_ops: Path, warm: Warm) -> None:
    """Check each value of ``kernel.autocast``, the tangent of a formula that autograd sums to a
    shape, and a gradient of a dtype that the kernel lacks.
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


def test_integers(many_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check derivatives beside integers and booleans, which have none, of a kernel in C++ and of a
    composed one.
    """
    package = tmp_path / "integers"
    specs = [*map(str, sorted(folder("ops/integers").glob("*.toml")))]
    assert cli.main(["new", *specs, str(package), "--name", "integers"]) == 0
    readme = (package / "README.md").read_text(encoding="utf-8")
    assert "- **Gradients**: of `table`.\n" in readme and "- **Gradients**: of `x`.\n" in readme
    names = ("many_ops.picked_rows", "integers.composed_rows", "integers.weighed")
    path = str(package / "src")
    result = warm.run("-W", "ignore", "-c", INTEGERS_USED, *names, cwd=tmp_path, PYTHONPATH=path)
    assert result.returncode == 0, result.stdout
    refusal = (
        "my_lib::weighed: weight has no gradient, because it is an integer in every sample of the spec; "
        "detach it, or add a sample of floats"
    )
    floats = "[2.0, 2.0, 2.0]"
    expected = [floats, *[refusal] * 3, f"{floats} {floats}", "done"]
    assert result.stdout.splitlines() == expected


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
    """Check that one test is skipped, not all comparisons: no runtime runs MaxRoiPool since opset
    22.
    """
    spec, package = tmp_path / "roi_pool.toml", tmp_path / "roi_pool"
    spec.write_text(ROI_POOL.format(opset=opset), encoding="utf-8")
    assert cli.main(["check", str(spec)]) == 0
    output = capsys.readouterr()
    assert "at opsets 22 to 25 ONNX Runtime has no kernel of MaxRoiPool" in output.out + output.err
    assert cli.main(["new", str(spec), str(package)]) == 0
    readme = (package / "README.md").read_text(encoding="utf-8")
    assert "those that no installed runtime computes" in readme
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
