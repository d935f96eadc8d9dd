"""Packages of several operators: added, moved and deleted specs, and the package's name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from onnxop import cli

SPEC = """\
[op]
schema = "a::{name}(Tensor x) -> Tensor"

[onnx]
opset = 13
mapping = "op.Neg(x)"

[kernel]
python = "-x"
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "mine", "--allow-empty")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return the package of one operator, a::g, in git."""
    spec = tmp_path / "g.toml"
    spec.write_text(SPEC.format(name="g"), encoding="utf-8")
    folder = tmp_path / "package"
    assert cli.main(["new", str(spec), str(folder)]) == 0
    git(folder, "init", "-q")
    commit(folder)
    return folder


def add(package: Path, name: str) -> None:
    (package / "ops" / f"{name}.toml").write_text(SPEC.format(name=name), encoding="utf-8")


def update(package: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert cli.main(["update", str(package)]) == 0
    output = capsys.readouterr().out
    commit(package)
    return output


def operators(package: Path, name: str) -> list[str]:
    return sorted(
        path.name for path in package.glob(f"src/{name}/_*.py") if path.stem != "__init__"
    )


def test_they_come_move_and_go(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Use plain mv and rm, before git knows of it: hand edits follow, without conflicts."""
    add(package, "f")
    update(package, capsys)
    assert operators(package, "g") == ["_f.py", "_g.py"]  # the same name as before
    module = package / "src/g/_g.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n# Mine.\n", encoding="utf-8")
    commit(package)
    (package / "ops/g.toml").rename(package / "ops/gee.toml")
    add(package, "gee")
    output = update(package, capsys)
    assert "ops/g.toml is gone\nops/gee.toml is new\n" in output
    assert "conflict" not in output
    assert operators(package, "g") == ["_f.py", "_gee.py"]
    assert (package / "src/g/_gee.py").read_text(encoding="utf-8").endswith("\n# Mine.\n")
    (package / "ops/f.toml").unlink()
    add(package, "h")
    assert "conflict" not in update(package, capsys)
    assert operators(package, "g") == ["_gee.py", "_h.py"]


@pytest.mark.nightly
def test_a_file_of_an_operator_that_goes(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that an edited file stays, and that the output says so."""
    add(package, "f")
    update(package, capsys)
    tests = package / "tests/test_f.py"
    tests.write_text(tests.read_text(encoding="utf-8") + "\n# Mine.\n", encoding="utf-8")
    commit(package)
    (package / "ops/f.toml").unlink()
    output = update(package, capsys)
    assert "tests/test_f.py is no longer part of the template; yours stays" in output
    assert "pytest and mypy fail until you run git rm" in output
    assert tests.exists()


KERNEL = """
#include <onnxop/kernel.h>
namespace f_kernel {

using namespace onnxop;
inline constexpr std::string_view kName = "a::f";
using Supported = Types<float>;
inline OutputSpec infer(const TensorMeta& x) { return {x.dtype, {x.sizes.begin(), x.sizes.end()}}; }
inline void compute(const MutableTensorView& out, const TensorView& x, const ParallelFor&) {}
}
"""


@pytest.mark.nightly
def test_a_kernel_of_another_name_than_its_op(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that the spec names the header, also after the op has another name."""
    text = SPEC.replace('python = "-x"', 'source = "f.h"')
    (package / "ops/f.toml").write_text(text.format(name="f"), encoding="utf-8")
    (package / "ops/f.h").write_text(KERNEL, encoding="utf-8")
    update(package, capsys)
    (package / "ops/f.toml").unlink()
    (package / "ops/eff.toml").write_text(text.format(name="eff"), encoding="utf-8")
    output = update(package, capsys)
    assert "ops/f.h came with the spec, and is yours to change" in output
    assert "namespace eff_kernel" in output


@pytest.mark.nightly
def test_a_spec_renames_the_package(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(package, "f")
    update(package, capsys)
    for name in ("other", "third"):
        (package / "ops/f.toml").write_text(
            SPEC.format(name="f") + f'\n[package]\nname = "{name}"\n', encoding="utf-8"
        )
        update(package, capsys)
        assert operators(package, name) == ["_f.py", "_g.py"]


@pytest.mark.nightly
def test_edits_next_to_the_operators_do_not_conflict(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that one more operator changes no line about the others, or about the package."""
    add(package, "f")
    update(package, capsys)
    text = (package / "README.md").read_text(encoding="utf-8")
    sentence = "The operators of g for PyTorch, ONNX and ONNX Runtime."
    row = "| `f` | `F` |"
    mine = text.replace(sentence, "My own words.").replace(row, f"{row} of mine")
    assert mine.count("of mine") == mine.count("My own words.") == 1
    (package / "README.md").write_text(mine, encoding="utf-8")
    project = package / "pyproject.toml"
    project.write_text(project.read_text("utf-8").replace(sentence, "My own words."), "utf-8")
    module = package / "src/g/__init__.py"
    module.write_text(module.read_text("utf-8").replace(sentence, "My own words."), "utf-8")
    commit(package)
    add(package, "h")
    assert "conflict" not in update(package, capsys)
    merged = (package / "README.md").read_text(encoding="utf-8")
    assert f"{row} of mine" in merged
    assert "| `h` | `H` |" in merged
    assert "My own words." in merged


@pytest.mark.nightly
def test_the_name_stays_when_the_spec_that_gave_it_goes(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = SPEC.format(name="f") + '\n[package]\nname = "several"\n'
    (package / "ops/f.toml").write_text(spec, encoding="utf-8")
    update(package, capsys)
    assert "up to date" in update(package, capsys)
    (package / "ops/f.toml").unlink()
    update(package, capsys)
    assert operators(package, "several") == ["_g.py"]
    assert "up to date" in update(package, capsys)
