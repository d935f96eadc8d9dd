"""Updates of a package whose spec requires a module: it is needed only where the schema changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import Shared
from tests.programs import program
from tests.update.conftest import PYTHON, ROOT, Checkout, commit, edit

pytestmark = pytest.mark.nightly

MODULE = program("requires/module")
SPEC = """\
[op]
schema = "acme::squash(Tensor x, float scale) -> Tensor"
doc = "tanh, scaled."
requires = ["squashing_ops"]

[onnx]
opset = 13
mapping = "op.Mul(op.Tanh(x), scale)"

[[samples]]
x = "float32[2, 3]"
scale = 2.0
"""


@pytest.fixture(scope="session")
def made(shared: Shared) -> Path:
    """Return a package, committed, made where its module was installed."""
    return shared.once("required", make) / "package"


def make(folder: Path) -> None:
    """Make the package where the module is installed, and remove the module."""
    folder.mkdir()
    (folder / "squash.toml").write_text(SPEC, encoding="utf-8")
    installed = folder / "installed"
    installed.mkdir()
    (installed / "squashing_ops.py").write_text(MODULE, encoding="utf-8")
    command = ("-m", "onnxop", "new", "squash.toml", "package")
    made = PYTHON.run(*command, cwd=folder, PYTHONPATH=str(installed))
    assert made.returncode == 0, made.stdout
    assert "importing squashing_ops, " in made.stdout
    shutil.rmtree(installed)
    commit(folder / "package")


@pytest.fixture
def required(made: Path, tmp_path: Path) -> Path:
    """Return a copy of it, for a test to change."""
    return shutil.copytree(made, tmp_path / "package", symlinks=True)


def run_with(module: str, text: str, package: Path, *arguments: str) -> tuple[str, bool]:
    """Run onnxop where a module is installed. Return its output, and whether it imported the
    module.
    """
    folder = package.parent / "site"
    folder.mkdir(exist_ok=True)
    mark = "\nopen(__file__ + '.imported', 'w').close()\n"
    (folder / f"{module}.py").write_text(text + mark, encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "generator"), str(folder)])
    result = PYTHON.run("-m", "onnxop", *arguments, cwd=package, PYTHONPATH=path)
    return result.stdout, (folder / f"{module}.py.imported").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tanh, scaled.", "Scaled tanh."),
        ("op.Mul(op.Tanh(x), scale)", "op.Mul(scale, op.Tanh(x))"),
    ],
)
def test_another_key_needs_no_module(
    before: str, after: str, required: Path, first: Checkout
) -> None:
    edit(required / "ops/squash.toml", before, after)
    result = first.run("update", cwd=required)
    assert result.returncode == 0, result.stdout
    assert "ops/squash.toml has changed" in result.stdout
    assert "squashing_ops" not in result.stdout


@pytest.mark.parametrize("is_edited", [False, True])
def test_another_key_imports_no_module_that_is_installed(is_edited: bool, required: Path) -> None:
    if is_edited:
        edit(required / "ops/squash.toml", "tanh, scaled.", "Scaled tanh.")
    output, is_imported = run_with("squashing_ops", MODULE, required, "update", "--dry-run")
    assert "squashing_ops" not in output
    assert not is_imported


def test_another_schema_imports_the_module_and_says_so(required: Path) -> None:
    edit(required / "ops/squash.toml", "float scale)", "float scale, float offset=0.0)")
    text = MODULE.replace("scale: float)", "scale: float, offset: float = 0.0)")
    text = text.replace("_(x, scale)", "_(x, scale, offset=0.0)")
    output, is_imported = run_with("squashing_ops", text, required, "update", "--dry-run")
    assert "ops/squash.toml has changed\n" in output
    told = "squash.toml has changed since the package was made, and requires squashing_ops: "
    assert output.index(told) < output.index("importing squashing_ops, as [op] requires says")
    assert is_imported


def test_another_schema_needs_the_module_and_says_so(required: Path, first: Checkout) -> None:
    edit(required / "ops/squash.toml", "float scale)", "float scale=1.0)")
    result = first.run("update", cwd=required)
    assert result.returncode == 1
    assert "no module squashing_ops is installed" in result.stdout
    assert "importing" not in result.stdout
    assert "needed, as the package records no operator of this schema" in result.stdout


def test_a_changed_spec_with_requires_is_told_before_it_runs(
    required: Path, first: Checkout
) -> None:
    """Who made the package has read its modules' names; a spec that changed may name others."""
    unchanged = first.run("update", cwd=required)
    assert "read it first" not in unchanged.stdout
    changed = SPEC.replace('["squashing_ops"]', '["stranger"]').replace("float scale)", "float by)")
    (required / "ops/squash.toml").write_text(changed, encoding="utf-8")
    output, is_imported = run_with("stranger", "", required, "update", "--dry-run")
    told = "squash.toml has changed since the package was made, and requires stranger: "
    assert output.index(told) < output.index("importing stranger")
    assert is_imported
    added = required / "ops/other.toml"
    added.write_text(changed.replace("squash", "other"), encoding="utf-8")
    result = first.run("update", "--dry-run", cwd=required)
    assert "other.toml is new, and requires stranger: " in result.stdout
