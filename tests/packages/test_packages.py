"""The main job: a spec becomes a package that is clean, builds, installs and passes its tests."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from onnxop.spec.load import load
from onnxop.spec.model import Spec
from tests.conftest import Environment

ROOT = Path(__file__).resolve().parents[2]
SPECS = sorted([*ROOT.glob("reference_ops/*/op.toml"), *ROOT.glob("tests/specs/*.toml")])


def name_of(path: Path) -> str:
    return path.parent.name if path.name == "op.toml" else path.stem


@pytest.fixture(params=SPECS, ids=name_of)
def spec_path(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def rows(spec: Spec) -> list[tuple[str, int]]:
    """The exporters and opsets of a package."""
    spans = {"TorchScript": spec.mapping.torchscript, "dynamo": spec.mapping.dynamo}
    return [(exporter, opset) for exporter, span in spans.items() for opset in span]


def left_out(spec_path: Path, spec: Spec) -> list[tuple[str, int]]:
    """The opsets in between that only the reference packages are exported at: that saves minutes."""
    if spec_path.name == "op.toml":
        return []
    spans = (spec.mapping.torchscript, spec.mapping.dynamo)
    ends = {opset for span in spans if span for opset in (span[0], span[-1])}
    return [row for row in rows(spec) if row[1] not in ends]


def test_builds_and_agrees(spec_path: Path, tmp_path: Path, environment: Environment) -> None:
    spec = load(spec_path)
    package = tmp_path / spec.package.name
    skipped = left_out(spec_path, spec)
    names = " or ".join(f"{exporter}-{opset}-" for exporter, opset in skipped)
    chosen = f"-k 'not ({names})'" if skipped else ""
    command = ("-m", "onnxop", "new", spec_path, package, "--build")
    done = environment.run(*command, cwd=tmp_path, PYTEST_ADDOPTS=chosen)
    assert done.returncode == 0, done.stdout
    assert "warning:" not in done.stdout
    table = done.stdout.partition("worst absolute error")[2]
    found = re.findall(
        r"^(TorchScript|dynamo) +(\d+)(?: +(?:[-+.e\d]+|no kernel))+$", table, re.MULTILINE
    )
    wanted = [
        (exporter, str(opset)) for exporter, opset in rows(spec) if (exporter, opset) not in skipped
    ]
    assert found == wanted
    check_tools(package, environment)


def check_tools(package: Path, environment: Environment) -> None:
    """What is generated passes the field's own tools as a reviewer would run them."""
    sources = sorted(file for file in package.glob("csrc/**/*") if file.suffix in (".h", ".cpp"))
    for command in (
        ["ruff", "check", "--no-cache", "."],
        ["ruff", "format", "--no-cache", "--check", "."],
        ["mypy", "--strict", "--cache-dir", package.parent / "mypy"],
    ):
        done = environment.run("-m", *command, cwd=package)
        assert done.returncode == 0, done.stdout
    if sources:
        clang_format = Path(sysconfig.get_path("scripts"), "clang-format")
        subprocess.run([clang_format, "--dry-run", "-Werror", *sources], check=True)


def test_a_wrong_rule_is_found_out(tmp_path: Path, environment: Environment) -> None:
    text = (ROOT / "reference_ops" / "my_add" / "op.toml").read_text(encoding="utf-8")
    text = text.replace("opset = 13", "opset = 23").replace("op.Mul(a, 2.0)", "op.Mul(a, 2.1)")
    text = text.replace("my_lib", "wrong_lib").replace("my_add", "wrong_add")
    spec = tmp_path / "op.toml"
    spec.write_text(text, encoding="utf-8")
    done = environment.run("-m", "onnxop", "new", spec, "--build", cwd=tmp_path)
    assert done.returncode == 1
    assert "elements differ" in done.stdout
    assert "wrong_add: its tests fail" in done.stdout
    assert "Traceback (most recent call last)" not in done.stdout.rpartition("passed")[2]


def test_the_first_version_of_a_kernel(tmp_path: Path, environment: Environment) -> None:
    """It builds, says where to write the arithmetic, and is the user's from then on."""
    text = (ROOT / "tests" / "specs" / "squared_distances.toml").read_text(encoding="utf-8")
    spec = tmp_path / "op.toml"
    spec.write_text(text.replace("my_lib", "first_lib").replace("squared", "first"), "utf-8")
    package = tmp_path / "first_distances"
    done = environment.run("-m", "onnxop", "new", spec, package, "--build", cwd=tmp_path)
    assert done.returncode == 1
    place = re.search(
        r"first_lib::first_distances is not implemented: write it at (ops/\S+):(\d+)", done.stdout
    )
    assert place is not None, done.stdout
    kernel = package / place[1]
    line = kernel.read_text("utf-8").splitlines()[int(place[2]) - 1]
    assert line.strip() == "not_implemented(kName);"
    check_tools(package, environment)

    written = (ROOT / "tests" / "specs" / "squared_distances.h").read_text("utf-8")
    written = written.replace("my_lib", "first_lib").replace("squared", "first")
    kernel.write_text(written, "utf-8")
    done = environment.run("-m", "onnxop", "new", spec, package, "--force", "--build", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert kernel.read_text("utf-8") == written
    assert "Left ops/first_distances.h as it is: it is yours" in done.stdout


def test_a_failing_build_shows_pip_s_output(tmp_path: Path, environment: Environment) -> None:
    package = tmp_path / "broken"
    package.mkdir()
    (package / "setup.py").write_text("raise SystemExit('broken on purpose')\n", encoding="utf-8")
    code = (
        "from pathlib import Path; from onnxop import build; from onnxop.errors import BuildError\n"
        f"try: build.install(Path({str(package)!r}), print)\n"
        "except BuildError as error: print(error)"
    )
    done = environment.run("-c", code, cwd=tmp_path)
    assert "broken on purpose" in done.stdout
    assert "does not build" in done.stdout
