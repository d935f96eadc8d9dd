"""Updates of packages that are older than the runtime."""

from __future__ import annotations

from pathlib import Path

from tests import kept
from tests.update.conftest import Checkout, commit, edit, git

MINE = "def test_mine():\n    assert True\n"


def test_a_package_of_0_3(tmp_path: Path, first: Checkout) -> None:
    """Check that its own runtime goes, its owner's code stays, and edits within the runtime are named."""
    package = tmp_path / "my_add"
    kept.make("0.3.0", "my_add", package)
    edit(package / "csrc/my_add.h", "  return T(2) * a + b;", "  // Mine.\n  return a + (a + b);")
    edit(package / "README.md", "2a + b, element by element.", "These words are mine.")
    edit(package / "src/my_add/_onnxop/verify.py", "_BUDGET = 20.0", "_BUDGET = 60.0")
    (package / "tests/test_mine.py").write_text(MINE, encoding="utf-8")
    commit(package)
    result = first.run("update", "--trust", cwd=package)
    assert result.returncode == 0, result.stdout
    named = "src/my_add/_onnxop/verify.py is no longer part of the template; yours stays"
    assert named in result.stdout
    assert result.stdout.count("_onnxop/") == result.stdout.count("remove src/my_add/_onnxop/") + 1
    commit(package)
    files = {name for name in git(package, "ls-files").split() if not name.startswith(".")}
    assert files == {
        *("README.md", "csrc/my_add.cpp", "csrc/my_add.h", "ops/my_add.toml", "pyproject.toml"),
        *("setup.py", "src/my_add/__init__.py", "src/my_add/_my_add.py", "src/my_add/py.typed"),
        *("src/my_add/_onnxop/verify.py", "tests/test_mine.py", "tests/test_my_add.py"),
    }
    assert "// Mine." in (package / "csrc/my_add.h").read_text("utf-8")
    assert "These words are mine." in (package / "README.md").read_text("utf-8")
    assert first.run("update", cwd=package).stdout.startswith("Nothing to do")
