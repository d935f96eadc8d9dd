"""The reference ops, each as one node of its own domain: function bodies, and the library in
sessions.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from onnxop import cli
from tests.packages.conftest import Build
from tests.programs import PATH, program
from tests.tiers import nightly
from tests.warm import Warm

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ("asinh", "deform_conv2d", "my_add")

# Each op in its own domain, by both exporters: in a stock session if it has a body, and in a
# session with the library if there is one.
EVERY_OP = program("domains/every_op")

# A body that computes something else, to see whether it or the kernel runs.
PREFERRED = program("domains/preferred")

# A session that outlives its options, with two libraries registered twice; and many sessions.
SESSIONS = program("domains/sessions")

# A kernel's error is a Python exception with the kernel's sentence.
REFUSED = program("domains/refused")

# The library in other domains than its own, also for nodes without a body, and for bodies that
# differ from node to node; and the nodes that it must not serve.
OTHER_DOMAINS = program("domains/other_domains")

# The shapes that a session infers after a node with dynamic sizes.
SHAPES = program("domains/shapes")


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        (EVERY_OP, 4),
        nightly(PREFERRED, 2),
        nightly(SESSIONS, 2),
        (REFUSED, 8),
        nightly(OTHER_DOMAINS, 19),
        nightly(SHAPES, 8),
    ],
    ids=["every op", "preferred", "sessions", "refused", "other domains", "shapes"],
)
def test_models_with_domains_are_right(
    packages: Warm, tmp_path: Path, code: str, answers: int
) -> None:
    result = packages.run("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=PATH)
    assert result.returncode == 0, result.stdout
    lines = [line for line in result.stdout.splitlines() if line in ("True", "False")]
    assert lines == ["True"] * answers, result.stdout


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.everything)])
@pytest.mark.parametrize(
    "package",
    [pytest.param(name, marks=[pytest.mark.nightly] * (name != "my_add")) for name in NATIVE],
)
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


@pytest.mark.nightly
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
