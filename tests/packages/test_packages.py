"""The main job: a spec becomes a package that builds, installs and passes its tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import settings

from onnxop.check.load import load
from onnxop.check.mapping import opsets_of
from onnxop.package.build import compiler_errors
from onnxop_runtime.mapping.opsets import DYNAMO, TORCHSCRIPT
from tests.conftest import Environment
from tests.packages.conftest import REFERENCE_SPECS, ROOT, SPECS, Build, name_of
from tests.warm import Warm

Row = tuple[str, str]
# The calls that a package's tests draw are the same in each run, as a failure must be of the change
# that is tested. Each dtype and each kind has some; pytest --hypothesis-profile=everything draws
# for ten times as long, longer than a package's own run.
DRAWS = ("--draws-seed=1", f"--draws-seconds={settings().max_examples / 100}")
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *DRAWS, "tests")
BY_HAND = ROOT / "reference_ops" / "deform_conv2d" / "ops" / "deform_conv2d.toml"


def tier(spec: Path) -> list[pytest.MarkDecorator]:
    """Return the marks of a spec. tests/packages/test_ops.py tries those of one package of several
    operators.
    """
    if spec not in REFERENCE_SPECS:
        return [pytest.mark.everything]
    return [] if name_of(spec) == "my_add" else [pytest.mark.nightly]


EACH_SPEC = pytest.mark.parametrize(
    "spec_path", [pytest.param(spec, marks=tier(spec), id=name_of(spec)) for spec in SPECS]
)


def rows(spec_path: Path) -> tuple[list[Row], list[Row]]:
    """Return the exporters and opsets of a package: the ends of the ranges, and those between."""
    spec = load(spec_path)
    spans = {"TorchScript": TORCHSCRIPT, "dynamo": DYNAMO}  # for a single node
    if spec.mapping.is_decomposed:
        spans["TorchScript"] = range(DYNAMO.start, TORCHSCRIPT.stop)
    elif spec.mapping.is_given and not spec.default_domain:
        opsets = opsets_of(spec)
        spans = {"TorchScript": opsets.torchscript, "dynamo": opsets.dynamo}
    ends = [(name, str(o)) for name, span in spans.items() for o in {*span[:1], *span[-1:]}]
    inner = [(name, str(o)) for name, span in spans.items() for o in span[1:-1]]
    return sorted(ends), sorted(inner)


def chosen(rows: list[Row]) -> list[str]:
    """Return pytest's -k for the roundtrips of these rows."""
    return [f"{exporter}-{opset}-" for exporter, opset in rows]


def at_the_ends(package: Path) -> str:
    """Return pytest's -k for a package's tests at the ends of each operator's opset ranges."""
    left = [
        f"(Test{load(spec).class_name} and {row})"
        for spec in package.glob("ops/*.toml")
        for row in chosen(rows(spec)[1])
    ]
    return f"not ({' or '.join(left)})" if left else "test"


def at_most_ends(package: Path) -> str:
    """Return the same without the dynamo exporter at its first opset: the model of the last opset
    is converted from that one, and the reference packages try both.
    """
    return f"{at_the_ends(package)} and not dynamo-{DYNAMO.start}-"


def table(output: str) -> list[Row]:
    """Return the rows of the table that a package's tests print."""
    cell = r"(?: +(?:[-+.e\d]+|no kernel))"
    row = rf"^(TorchScript|dynamo) +(\d+){cell}+$"
    return sorted(re.findall(row, output.partition("worst absolute error")[2], re.MULTILINE))


@EACH_SPEC
def test_builds_and_agrees(
    spec_path: Path, build: Build, environment: Environment, warm: Warm
) -> None:
    """Build the README's package in its own process."""
    ends, _ = rows(spec_path)
    python = environment if name_of(spec_path) == "my_add" else warm
    package = build(spec_path)
    wanted = at_the_ends(package)
    output = python.checked(*PYTEST, "-k", wanted, cwd=package)
    assert table(output) == ends


def test_the_quick_tests_of_a_kernel_by_hand(build: Build, warm: Warm) -> None:
    warm.checked(*PYTEST, "-m", "quick", cwd=build(BY_HAND))


@pytest.mark.everything
@EACH_SPEC
def test_agrees_at_every_opset(spec_path: Path, build: Build, warm: Warm) -> None:
    _, inner = rows(spec_path)
    if inner:
        output = warm.checked(*PYTEST, "-k", " or ".join(chosen(inner)), cwd=build(spec_path))
        assert table(output) == inner


@pytest.mark.nightly
def test_the_command_does_it_all(tmp_path: Path, environment: Environment) -> None:
    """Check that ``--build`` builds, installs, runs the tests and prints the table."""
    text = (ROOT / "tests" / "specs" / "quick_gelu.toml").read_text(encoding="utf-8")
    spec = tmp_path / "op.toml"
    spec.write_text(text.replace("quick_gelu", "command_gelu"), encoding="utf-8")
    ends, inner = rows(spec)
    output = environment.checked(
        *("-m", "onnxop", "new", spec, "--build"),
        cwd=tmp_path,
        PYTEST_ADDOPTS=f"-k 'test_roundtrip and not ({' or '.join(chosen(inner))})'",
    )
    assert table(output) == ends


@pytest.mark.nightly
def test_a_wrong_rule_is_found_out(tmp_path: Path, warm: Warm) -> None:
    """Run the same command on a rule that is wrong by a millionth, in float64; nothing is
    compiled.
    """
    text = (ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml").read_text(encoding="utf-8")
    text = text.replace("opset = 13", "opset = 23").replace("op.Mul(a, 2.0)", "op.Mul(a, 2.000002)")
    text = text.replace("my_lib", "wrong_lib").replace("my_add", "wrong_add")
    text = text.replace("elementwise =", "python =")
    text = text.replace("cannot be broadcast together", "must match the size")  # PyTorch's words
    spec = tmp_path / "op.toml"
    spec.write_text(text, encoding="utf-8")
    command = ("-m", "onnxop", "new", spec, "--build")
    result = warm.run(*command, cwd=tmp_path, PYTEST_ADDOPTS="-k 'test_roundtrip and TorchScript'")
    assert result.returncode == 1
    assert "elements differ" in result.stdout
    assert "wrong_add: its tests fail" in result.stdout
    assert "Traceback (most recent call last)" not in result.stdout.rpartition("passed")[2]


@pytest.mark.everything
def test_the_skeleton_of_a_kernel(tmp_path: Path, environment: Environment) -> None:
    """Check that it builds, says where to write the arithmetic, and is the user's from then on."""
    text = (ROOT / "tests" / "specs" / "squared_distances.toml").read_text(encoding="utf-8")
    spec = tmp_path / "op.toml"
    spec.write_text(text.replace("my_lib", "first_lib").replace("squared", "first"), "utf-8")
    package = tmp_path / "first_distances"
    result = environment.run("-m", "onnxop", "new", spec, package, "--build", cwd=tmp_path)
    assert result.returncode == 1
    place = re.search(
        r"first_lib::first_distances is not implemented: write it at (ops/\S+):(\d+)", result.stdout
    )
    assert place is not None, result.stdout
    kernel = package / place[1]
    line = kernel.read_text("utf-8").splitlines()[int(place[2]) - 1]
    assert line.strip() == "not_implemented(kName);"
    written = (ROOT / "tests" / "specs" / "squared_distances.h").read_text("utf-8")
    written = written.replace("my_lib", "first_lib").replace("squared", "first")
    kernel.write_text(written, "utf-8")
    result = environment.run(
        "-m", "onnxop", "new", spec, package, "--force", "--build", cwd=tmp_path
    )
    assert result.returncode == 0, result.stdout
    assert kernel.read_text("utf-8") == written
    assert "Left ops/first_distances.h as it is: it is yours" in result.stdout


def test_a_failing_build_shows_pip_s_output(tmp_path: Path, environment: Environment) -> None:
    package = tmp_path / "broken"
    package.mkdir()
    (package / "setup.py").write_text("raise SystemExit('broken on purpose')\n", encoding="utf-8")
    code = (
        "from pathlib import Path; from onnxop.package import build; from onnxop.errors import BuildError\n"
        f"try: build.install(Path({str(package)!r}))\n"
        "except BuildError as error: print(error)"
    )
    result = environment.run("-c", code, cwd=tmp_path)
    assert "broken on purpose" in result.stdout
    assert "does not build" in result.stdout


def test_what_a_compiler_says_of_a_kernel(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "f.h").touch()
    (tmp_path / "csrc").mkdir()
    error = "csrc/../ops/f.h:3:5: error: 'g' was not declared in this scope"
    shown = ["    3 |     g();", "      |     ^"]
    output = ["running build_ext", *(f"      {line}" for line in (error, *shown)), f"      {error}"]
    first = f"{tmp_path}/ops/f.h{error.partition('f.h')[2]}"
    errors = compiler_errors([*output, "error: command failed"], tmp_path)
    assert [errors[0], *(line.strip() for line in errors[1:])] == [first, *map(str.strip, shown)]
