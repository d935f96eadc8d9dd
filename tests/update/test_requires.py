"""Updates of a package whose spec requires a module: it is needed only where the schema changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import program
from tests.update.conftest import PYTHON, Checkout, commit, edit

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


@pytest.fixture
def required(tmp_path: Path) -> Path:
    """Return a package, committed, made where the module was installed; it is no longer."""
    (tmp_path / "squash.toml").write_text(SPEC, encoding="utf-8")
    module = tmp_path / "squashing_ops.py"
    module.write_text(MODULE, encoding="utf-8")
    command = ("-m", "onnxop", "new", "squash.toml", "package")
    made = PYTHON.run(*command, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert made.returncode == 0, made.stdout
    module.unlink()
    commit(tmp_path / "package")
    return tmp_path / "package"


@pytest.mark.parametrize(
    ("before", "after"),
    [("tanh, scaled.", "Scaled tanh."), ("op.Mul(op.Tanh(x), scale)", "op.Mul(scale, op.Tanh(x))")],
)
def test_another_key_needs_no_module(
    before: str, after: str, required: Path, first: Checkout
) -> None:
    edit(required / "ops/squash.toml", before, after)
    result = first.run("update", cwd=required)
    assert result.returncode == 0, result.stdout
    assert "ops/squash.toml has changed" in result.stdout


def test_another_schema_needs_the_module_and_says_so(required: Path, first: Checkout) -> None:
    edit(required / "ops/squash.toml", "float scale)", "float scale=1.0)")
    result = first.run("update", cwd=required)
    assert result.returncode == 1
    assert "no module squashing_ops is installed" in result.stdout
    assert "needed, as the package records no operator of this schema" in result.stdout


def test_a_changed_spec_with_requires_is_told_before_it_runs(
    required: Path, first: Checkout
) -> None:
    """Who made the package has read its modules' names; a spec that changed may name others."""
    unchanged = first.run("update", cwd=required)
    assert "read it first" not in unchanged.stdout
    changed = SPEC.replace('["squashing_ops"]', '["stranger"]').replace("float scale)", "float by)")
    (required / "ops/squash.toml").write_text(changed, encoding="utf-8")
    result = first.run("update", "--dry-run", cwd=required)
    told = "squash.toml has changed since the package was made, and requires stranger: "
    assert told in result.stdout
    assert result.stdout.index(told) < result.stdout.index("importing stranger")
    added = required / "ops/other.toml"
    added.write_text(changed.replace("squash", "other"), encoding="utf-8")
    result = first.run("update", "--dry-run", cwd=required)
    assert "other.toml is new, and requires stranger: " in result.stdout
