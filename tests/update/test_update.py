"""A package through later versions: improvements arrive, hand edits stay, nothing is lost in
silence.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.tiers import nightly
from tests.update.conftest import (
    OWN_SPEC,
    ROOT,
    Checkout,
    Update,
    by_copier,
    by_onnxop,
    commit,
    edit,
    git,
    snapshot,
)

FORWARD = """
        result: Tensor = my_add(a, b)
        return result
"""
METHOD = '''
    def doubled(self, a: Tensor, b: Tensor) -> Tensor:
        """Mine."""
        return 2 * self(a, b)
'''


def edit_by_hand(package: Path) -> None:
    """Edit a kernel's body, a method and the README; delete one file and add another."""
    edit(
        package / "csrc/my_add.h",
        "    return T(2) * a + b;",
        "    // Mine.\n    return a + (a + b);",
    )
    edit(
        package / "src/my_add/_my_add.py",
        FORWARD,
        f"{FORWARD}{METHOD}",
    )
    edit(
        package / "README.md", "2a + b, element by element.", "Twice a and b. These words are mine."
    )
    (package / ".gitignore").unlink()
    (package / "NOTES.md").write_text("mine\n", encoding="utf-8")
    commit(package)


def check_edits(package: Path) -> None:
    assert "    // Mine.\n    return a + (a + b);" in (package / "csrc/my_add.h").read_text()
    assert METHOD in (package / "src/my_add/_my_add.py").read_text()
    assert "These words are mine." in (package / "README.md").read_text()
    assert not (package / ".gitignore").exists()
    assert (package / "NOTES.md").read_text() == "mine\n"


def add_argument(package: Path, name: str = "my_add") -> None:
    """Add an int with a default to the spec."""
    spec = package / f"ops/{name}.toml"
    edit(spec, "(Tensor a, Tensor b)", "(Tensor a, Tensor b, int c=0)")
    edit(spec, 'elementwise = "2 * a + b"', 'elementwise = "2 * a + b + c"')
    edit(spec, "op.Add(op.Mul(a, 2.0), b)", "op.Add(op.Add(op.Mul(a, 2.0), b), c)")


def has_markers(package: Path) -> list[str]:
    marked = [name for name, text in snapshot(package).items() if b"\n<<<<<<< " in b"\n" + text]
    return sorted(marked)


@pytest.mark.parametrize("update", [by_onnxop, by_copier])
def test_edits_stay_and_improvements_arrive(
    update: Update, package: Path, second: Checkout
) -> None:
    edit_by_hand(package)
    update(second, package)
    check_edits(package)
    assert has_markers(package) == []
    assert '"""Later: build' in (package / "setup.py").read_text()
    assert '"""Later: the tests' in (package / "tests/test_my_add.py").read_text()
    assert "/// Later: computes an element" in (package / "csrc/my_add.h").read_text()
    assert (package / "csrc/my_add.cpp").read_text().startswith("// Later.")
    assert (package / "LATER.md").is_file()
    assert not (package / ".gitattributes").exists()


@pytest.mark.nightly
def test_a_spec_that_gains_an_argument(package: Path, first: Checkout) -> None:
    edit_by_hand(package)
    add_argument(package)
    output = by_onnxop(first, package)
    assert "ops/my_add.toml has changed" in output
    # Both the user and the new signature change the body of the kernel.
    assert has_markers(package) == ["csrc/my_add.h"]
    assert git(package, "diff", "--name-only", "--diff-filter=U").split() == has_markers(package)
    check_edits(package)
    assert "int c=0" in (package / "csrc/my_add.cpp").read_text()
    assert "c: int = 0" in (package / "src/my_add/_my_add.py").read_text()


def test_conflicts_by_their_status(package: Path, first: Checkout) -> None:
    """Check the status of a dry run, an update, and the next one with conflicts left."""
    edit_by_hand(package)
    add_argument(package)
    dry = first.run("update", "--dry-run", cwd=package)
    assert (dry.returncode, "  conflict in csrc/my_add.h\n" in dry.stdout) == (3, True)
    updated = first.run("update", cwd=package)
    assert (updated.returncode, "  conflict in csrc/my_add.h\n" in updated.stdout) == (3, True)
    again = first.run("update", cwd=package)
    assert (again.returncode, "has conflicts of an earlier update" in again.stdout) == (1, True)
    text = (package / "csrc/my_add.h").read_text()
    (package / "csrc/my_add.h").write_text(
        re.sub(r"(?s)<<<<<<< yours.*?=======\n(.*?)>>>>>>> updated[^\n]*\n", r"\1", text)
    )
    commit(package)
    assert first.run("update", cwd=package).returncode == 0


@pytest.mark.parametrize("place", ["", nightly("ops/my add")])
def test_an_update_is_undone_by_what_it_says(place: str, package: Path, second: Checkout) -> None:
    """Check it also with conflicts, and in a folder of a repository; the owner's specs stay."""
    edit_by_hand(package)
    top = package
    if place:
        top = package.parent / "repository"
        shutil.copytree(package, top / place, ignore=shutil.ignore_patterns(".git"))
        package = top / place
        commit(top)
    add_argument(package)
    before = snapshot(top)
    output = second.run("update", cwd=package).stdout
    assert git(package, "diff", "--name-only", "--relative", "--diff-filter=U").split() == [
        "csrc/my_add.h"
    ]
    again = second.run("update", cwd=package).stdout
    assert "has conflicts of an earlier update or merge in csrc/my_add.h; resolve them" in again
    (undo,) = re.findall("To undo it: (.*)", output)
    subprocess.run(undo, shell=True, cwd=package, check=True)
    assert snapshot(top) == before
    assert git(package, "diff", "HEAD", "--name-only", "--relative") == f"{OWN_SPEC}\n"
    assert git(package, "ls-files", "--others", "--exclude-standard") == ""


@pytest.mark.everything
def test_updated_packages_work(
    package: Path, first: Checkout, second: Checkout, environment: Environment
) -> None:
    """Update to version 2 by copier, then add an argument by onnxop: it builds, and its
    tests pass.
    """
    spec = package / OWN_SPEC
    edit(spec, "my_lib::my_add", "updated_lib::updated_add")
    updated = package.parent / "updated_add"
    first.run("new", spec, updated, cwd=package)
    (updated / "NOTES.md").write_text("mine\n", encoding="utf-8")
    edit(updated / "csrc/updated_add.h", "#pragma once\n", "#pragma once\n// Mine.\n")
    commit(updated)
    by_copier(second, updated)
    commit(updated)
    add_argument(updated, "updated_add")
    by_onnxop(second, updated)
    assert has_markers(updated) == []
    assert "// Mine." in (updated / "csrc/updated_add.h").read_text()
    environment.install(updated)
    environment.checked("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "quick", cwd=updated)


@pytest.mark.nightly
def test_what_copier_does_in_silence_is_told(package: Path, second: Checkout) -> None:
    git(package, "mv", "setup.py", "build_me.py")
    edit(package / ".gitattributes", "linguist-generated", "linguist-generated=true")
    edit(package / ".github/workflows/ci.yml", "name: CI", "name: Mine")
    (package / "csrc/my_add.cpp").unlink()
    (package / ".gitignore").write_text("LATER.md\n", encoding="utf-8")
    commit(package)
    (package / "LATER.md").write_text("precious\n", encoding="utf-8")
    for options in ([], ["--dry-run"]):
        result = second.run("update", *options, cwd=package)
        assert (result.returncode, "LATER.md: is in the way" in result.stdout) == (1, True)
    assert (package / "LATER.md").read_text() == "precious\n"
    assert git(package, "status", "--porcelain") == ""
    (package / "LATER.md").unlink()
    output = by_onnxop(second, package)
    assert "  change build_me.py\n" in output
    assert '"""Later: build' in (package / "build_me.py").read_text()
    assert not (package / "setup.py").exists()
    assert ".gitattributes is no longer part of the template; yours stays" in output
    assert "linguist-generated=true" in (package / ".gitattributes").read_text()
    assert "  add .github/workflows/later.yml\n" in output
    assert "  remove .github/workflows/ci.yml\n" in output
    assert "name: Mine" in (package / ".github/workflows/later.yml").read_text()
    assert "csrc/my_add.cpp, which you deleted, has changes in this update" in output
    assert not (package / "csrc/my_add.cpp").exists()
    assert (package / "LATER.md").read_text() == "Later.\n"


def test_a_dry_run_tells_the_same_and_changes_nothing(package: Path, second: Checkout) -> None:
    edit_by_hand(package)
    add_argument(package)
    before = snapshot(package), snapshot(package / ".git")
    dry = second.run("update", "--dry-run", cwd=package).stdout
    assert (snapshot(package), snapshot(package / ".git")) == before
    output = by_onnxop(second, package)
    assert dry.rpartition("Nothing was written")[0] == output.rpartition("Next:")[0]


def test_nothing_to_do(package: Path, first: Checkout) -> None:
    edit_by_hand(package)
    before = snapshot(package)
    assert "Nothing to do" in by_onnxop(first, package)
    assert snapshot(package) == before


def test_diff_shows_hand_edits(package: Path, first: Checkout) -> None:
    assert first.run("diff", cwd=package).stdout == ""
    edit_by_hand(package)
    output = first.run("diff", cwd=package).stdout
    assert "+    // Mine.\n" in output
    assert "deleted file mode 100644" in output
    files = [line.split()[2] for line in output.splitlines() if line.startswith("diff --git")]
    names = (".gitignore", "NOTES.md", "README.md", "csrc/my_add.h", "src/my_add/_my_add.py")
    assert sorted(files) == sorted(f"a/{name}" for name in names)


@pytest.mark.nightly
def test_a_package_in_a_folder_of_a_repository(
    fresh: Path, tmp_path: Path, second: Checkout
) -> None:
    package = tmp_path / "ops" / "my add ü"
    package.parent.mkdir()
    git(tmp_path, "clone", "-q", str(fresh), str(package))
    subprocess.run(["rm", "-rf", package / ".git"], check=True)
    commit(tmp_path)
    (tmp_path / "elsewhere.txt").write_text("not committed, and not in the package\n")
    edit_by_hand_without_commit = package / "csrc/my_add.h"
    edit(edit_by_hand_without_commit, "#pragma once\n", "#pragma once\n// Mine.\n")
    git(tmp_path, "commit", "-qam", "mine")
    by_onnxop(second, package)
    assert "// Mine." in (package / "csrc/my_add.h").read_text()
    assert '"""Later: build' in (package / "setup.py").read_text()


@pytest.mark.nightly
def test_lines_that_end_otherwise(package: Path, second: Checkout, first: Checkout) -> None:
    """Check files that git checked out with CRLF: they keep it, and are no edits."""
    git(package, "config", "core.autocrlf", "true")
    git(package, "rm", "-q", "-r", "--cached", ".")
    git(package, "reset", "-q", "--hard")
    assert b"\r\n" in (package / "csrc/my_add.h").read_bytes()
    assert git(package, "status", "--porcelain") == ""
    assert first.run("diff", cwd=package).stdout == ""
    kernel = (package / "csrc/my_add.h").read_bytes()
    edited = kernel.replace(b"    return T(2)", b"    // Mine.\r\n    return T(2)")
    (package / "csrc/my_add.h").write_bytes(edited)
    git(package, "commit", "-qam", "mine")
    output = by_onnxop(second, package)
    assert "my_add.toml" not in output
    assert has_markers(package) == []
    wanted = edited.replace(b"/// Computes an element", b"/// Later: computes an element")
    assert (package / "csrc/my_add.h").read_bytes() == wanted


@pytest.mark.nightly
def test_a_file_that_both_sides_rename(package: Path, second: Checkout) -> None:
    workflows = package / ".github" / "workflows"
    git(package, "mv", ".github/workflows/ci.yml", ".github/workflows/mine.yml")
    commit(package)
    output = by_onnxop(second, package)
    assert "conflict in .github/workflows/mine.yml" in output
    assert "conflict in .github/workflows/later.yml" in output
    assert (workflows / "mine.yml").exists() and (workflows / "later.yml").exists()


@pytest.mark.nightly
def test_a_package_that_is_renamed(package: Path, first: Checkout) -> None:
    """Check that files move with their edits, and with the files that the user added."""
    edit_by_hand(package)
    (package / "src/my_add/more.py").write_text("MINE = 1\n", encoding="utf-8")
    commit(package)
    edit(package / OWN_SPEC, "[package]\n", '[package]\nname = "sums"\n')
    moves = "  add src/sums/more.py\n"
    assert moves in first.run("update", "--dry-run", cwd=package).stdout
    assert moves in by_onnxop(first, package)
    assert METHOD in (package / "src/sums/_my_add.py").read_text()
    assert (package / "src/sums/more.py").read_text() == "MINE = 1\n"
    assert not (package / "src/my_add").exists()
    assert 'name = "sums"' in (package / "pyproject.toml").read_text()


@pytest.mark.nightly
def test_a_kernel_that_came_with_the_spec(tmp_path: Path, first: Checkout) -> None:
    """Check that no update touches it, and that a message tells the needed changes."""
    spec = ROOT / "tests" / "specs" / "max_last.toml"  # asks PyTorch nothing
    package = tmp_path / "package"
    assert first.run("new", spec, package, cwd=tmp_path).returncode == 0
    commit(package)
    kernel = (package / "ops/max_last.h").read_bytes()
    edit(package / "ops/max_last.toml", "lowest=False)", "lowest=False, int power=2)")
    output = by_onnxop(first, package)
    assert (package / "ops/max_last.h").read_bytes() == kernel
    assert "ops/max_last.h came with the spec, and is yours to change" in output
    assert "int64_t power" in output
    assert "ops/max_last.h got the parameter power; use it" in output
    assert "void backward(" in output
    assert "int power=2" in (package / "csrc/max_last.cpp").read_text()


@pytest.mark.nightly
def test_a_kernel_that_began_as_a_skeleton(tmp_path: Path, first: Checkout) -> None:
    """Check that an update changes its signature, and tells that the arithmetic is still to
    change.
    """
    text = (ROOT / "tests" / "specs" / "max_last.toml").read_text(encoding="utf-8")
    spec, package = tmp_path / "op.toml", tmp_path / "package"
    spec.write_text(text.replace("max_last.h", "by_hand.h"), encoding="utf-8")
    assert first.run("new", spec, package, cwd=tmp_path).returncode == 0
    commit(package)
    spec, kernel = next(package.glob("ops/*.toml")), package / "ops/by_hand.h"
    edit(spec, "lowest=False)", "lowest=False, int power=2)")
    output = by_onnxop(first, package)
    assert "ops/by_hand.h got the parameter power; use it" in output
    assert "int64_t power" in kernel.read_text("utf-8")
    commit(package)
    edit(spec, ", int power=2", "")
    assert "ops/by_hand.h lost the parameter power; compute without it" in by_onnxop(first, package)
    commit(package)
    assert "parameter" not in by_onnxop(first, package)


@pytest.mark.everything  # pip fetches copier
def test_a_collaborator_with_copier_alone(package: Path, tmp_path: Path, second: Checkout) -> None:
    """Update at another path, in an environment without onnxop, torch, onnx or a network."""
    edit_by_hand(package)
    assert second.run("fetch", cwd=package).returncode == 0
    commit(package)
    elsewhere = tmp_path / "a collaborator's"
    git(tmp_path, "clone", "-q", str(package), str(elsewhere))
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = str(environment / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "copier"]
    subprocess.run(install, check=True)
    has_onnxop = [python, "-c", "import onnxop"]
    assert subprocess.run(has_onnxop, capture_output=True, check=False).returncode
    result = subprocess.run(
        [python, "-m", "copier", "update", "--defaults"],
        cwd=elsewhere,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_ALLOW_PROTOCOL": "file"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    check_edits(elsewhere)
    assert '"""Later: build' in (elsewhere / "setup.py").read_text()
    assert not [n for n, text in snapshot(elsewhere).items() if bytes(tmp_path) in text]


@pytest.mark.nightly
def test_two_updates_at_once(fresh: Path, tmp_path: Path, second: Checkout) -> None:
    packages = [tmp_path / name for name in ("one", "two")]
    for package in packages:
        git(tmp_path, "clone", "-q", str(fresh), str(package))
    command = [sys.executable, "-m", "onnxop", "update"]
    # The last package twice: one update gives way, or finds nothing to do.
    running = [
        subprocess.Popen(
            command,
            cwd=package,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(second.folder / "generator")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for package in [*packages, packages[-1]]
    ]
    answers = [process.communicate()[0] for process in running]
    assert running[0].returncode == 0, answers
    twice = [process.returncode for process in running[-2:]]
    assert sorted(twice) in ([0, 0], [0, 1]), answers
    if 1 in twice:
        output = answers[-2:][twice.index(1)]
        assert "another run of onnxop" in output or "not committed" in output
    trees = [snapshot(package) for package in packages]
    assert all(tree == trees[0] for tree in trees)


@pytest.mark.nightly
def test_the_difference_leaves_out_a_kernel_that_came_with_its_spec(
    first: Checkout, tmp_path: Path
) -> None:
    package = tmp_path / "keep_above"
    made = first.run("new", ROOT / "tests/specs/keep_above.toml", package, cwd=tmp_path)
    assert made.returncode == 0, made.stdout
    assert first.run("diff", cwd=package).returncode == 1  # in no repository
    commit(package)
    edit(package / "ops/keep_above.h", "#pragma once\n", "#pragma once\n// Mine.\n")
    assert first.run("diff", cwd=package).stdout == ""
