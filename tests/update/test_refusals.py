"""Packages that cannot be updated: refused with reason and remedy, and left unchanged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from onnxop_runtime.installer import pip_install
from tests.tiers import nightly
from tests.update.conftest import OWN_SPEC, Checkout, commit, edit, git, snapshot

ANSWERS = ".copier-answers.yml"
RESTORE = f"git checkout COMMIT -- {ANSWERS}"


def no_repository(package: Path) -> None:
    shutil.rmtree(package / ".git")


def no_commit(package: Path) -> None:
    no_repository(package)
    git(package, "init", "-q")


def dirty(package: Path) -> None:
    edit(package / "README.md", "#", "# Mine")


def untracked(package: Path) -> None:
    (package / "notes.txt").write_text("mine")


def staged(package: Path) -> None:
    dirty(package)
    git(package, "add", "-A")


def staged_and_reverted(package: Path) -> None:
    """Stage a change, and take it back in the file alone: git's undo would lose it."""
    before = (package / "README.md").read_bytes()
    staged(package)
    (package / "README.md").write_bytes(before)


def assume_unchanged(package: Path) -> None:
    git(package, "update-index", "--assume-unchanged", "README.md")
    dirty(package)


def skip_worktree(package: Path) -> None:
    git(package, "update-index", "--skip-worktree", "README.md")
    dirty(package)


def sparse(package: Path) -> None:
    git(package, "update-index", "--refresh")
    git(package, "sparse-checkout", "set", "src", "tests", "ops", ".onnxop", ".github")


def gone_worktree(package: Path) -> None:
    """Make it a worktree of a repository that has gone."""
    shutil.rmtree(package / ".git")
    (package / ".git").write_text(f"gitdir: {package.parent}/gone/.git/worktrees/my_add\n")


def another_owner(package: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give the repository to another user")
    for file in (package, package / ".git"):
        os.chown(file, 12345, 12345)


def merging(package: Path) -> None:
    """Leave a merge that changes no file."""
    git(package, "branch", "other")
    git(package, "commit", "-q", "--allow-empty", "-m", "mine")
    git(package, "checkout", "-q", "other")
    git(package, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(package, "merge", "-q", "--no-commit", "--no-ff", "-")


def picking(package: Path) -> None:
    """Leave a cherry-pick of a commit that is there already: it waits, and changes no file."""
    (package / "NOTES.md").write_text("mine")
    commit(package)
    picked = subprocess.run(["git", "cherry-pick", "HEAD"], cwd=package, check=False)
    assert picked.returncode == 1


def reverting(package: Path) -> None:
    """Leave a revert whose conflict was resolved as the commit is."""
    for text in ("one", "two"):
        (package / "NOTES.md").write_text(text)
        commit(package)
    command = ["git", "revert", "--no-edit", "HEAD~1"]
    assert subprocess.run(command, cwd=package, check=False).returncode == 1
    git(package, "checkout", "HEAD", "--", "NOTES.md")


def rebasing(package: Path) -> None:
    """Leave a rebase that waits after its commit, and changes no file."""
    (package / "NOTES.md").write_text("mine")
    commit(package)
    git(package, "-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")


def mailing(package: Path) -> None:
    """Leave patches of a mailbox, of which the first does not apply."""
    (package / "NOTES.md").write_text("mine")
    commit(package)
    git(package, "format-patch", "-q", "-1", "-o", "..")
    patch = next(package.parent.glob("0001-*.patch"))
    assert subprocess.run(["git", "am", patch], cwd=package, check=False).returncode != 0


def broken_head(package: Path) -> None:
    (package / ".git" / "HEAD").write_text("broken\n")


def lost_objects(package: Path) -> None:
    shutil.rmtree(package / ".git" / "objects")


def conflict(labels: tuple[str, str]) -> str:
    return f"<<<<<<< {labels[0]}\nmine\n=======\ntheirs\n>>>>>>> {labels[1]}\n"


def markers(package: Path) -> None:
    """Commit the conflicts of an update by ``git commit -am``."""
    text = conflict(("yours", "updated"))
    edit(package / "csrc/my_add.h", "#include", f"{text}#include")
    commit(package)


def added_markers(package: Path) -> None:
    markers(package)
    git(package, "reset", "-q", "--soft", "HEAD~1")


def half_resolved(package: Path) -> None:
    edit(package / "README.md", "\n## ", "\n>>>>>>> updated:README.md\n## ")
    commit(package)


def markers_of_a_merge(package: Path) -> None:
    edit(package / "README.md", "\n## ", f"\n{conflict(('HEAD', 'feature'))}## ")
    commit(package)


def markers_in_a_spec(package: Path) -> None:
    text = (package / OWN_SPEC).read_text()
    (package / OWN_SPEC).write_text(f"{conflict(('HEAD', 'feature'))}{text}")


def folder_as_answers(package: Path) -> None:
    git(package, "rm", "-q", ANSWERS)
    (package / ANSWERS).mkdir()
    (package / ANSWERS / "notes.txt").write_text("mine")
    commit(package)


def folder_as_bundle(package: Path) -> None:
    git(package, "rm", "-q", ".onnxop/template.bundle")
    (package / ".onnxop/template.bundle").mkdir(parents=True)
    (package / ".onnxop/template.bundle/notes.txt").write_text("mine")
    commit(package)


def no_spec(package: Path) -> None:
    git(package, "rm", "-q", OWN_SPEC)
    commit(package)


def wrong_spec(package: Path) -> None:
    edit(package / OWN_SPEC, "op.Add", "op.Ad")


def newer(package: Path) -> None:
    """Make the package one of a future version of the template."""
    answers = (package / ANSWERS).read_text()
    (version,) = re.findall(r"^_commit: (.*)$", answers, re.MULTILINE)
    repository = package.parent / "newer.git"
    bundle = package / ".onnxop" / "template.bundle"
    git(package.parent, "clone", "-q", "--bare", str(bundle), str(repository))
    git(repository, "tag", "v99.0", version)
    git(repository, "bundle", "create", "-q", str(bundle), "HEAD", "--all")
    (package / ANSWERS).write_text(answers.replace(f"_commit: {version}", "_commit: v99.0"))
    commit(package)


def no_bundle(package: Path) -> None:
    git(package, "rm", "-q", ".onnxop/template.bundle")
    commit(package)


def broken_bundle(package: Path) -> None:
    (package / ".onnxop" / "template.bundle").write_bytes(b"nonsense")
    commit(package)


def spoilt_bundle(package: Path) -> None:
    """Spoil the bundle without a commit."""
    (package / ".onnxop" / "template.bundle").write_bytes(b"nonsense")


def lost_bundle(package: Path) -> None:
    git(package, "rm", "-q", ".onnxop/template.bundle")


def unknown_version(package: Path) -> None:
    answers = (package / ANSWERS).read_text()
    (package / ANSWERS).write_text(
        re.sub(r"^_commit: .*$", "_commit: v0.0.7", answers, flags=re.MULTILINE)
    )
    commit(package)


def lost_template(package: Path) -> None:
    """Name a version, and a repository that no longer has it."""
    edit(
        package / ANSWERS, "_src_path: .onnxop/template.bundle", f"_src_path: {package.parent}/gone"
    )
    unknown_version(package)


def torn_answers(package: Path) -> None:
    (package / ANSWERS).write_text("_commit: [\n")


def unmerged(package: Path) -> None:
    """Leave a conflict of a stash, not of a merge."""
    edit(package / "README.md", "#", "# Mine")
    git(package, "stash", "-q")
    edit(package / "README.md", "#", "# Theirs")
    commit(package)
    subprocess.run(["git", "stash", "pop", "-q"], cwd=package, capture_output=True, check=False)


def no_answers(package: Path) -> None:
    git(package, "rm", "-q", ANSWERS)
    commit(package)


def broken_answers(package: Path) -> None:
    (package / ANSWERS).write_text("_commit: [\n")
    commit(package)


def binary_answers(package: Path) -> None:
    (package / ANSWERS).write_bytes(b"\xff\xfe\x00")
    commit(package)


def empty_answers(package: Path) -> None:
    (package / ANSWERS).write_text("")
    commit(package)


def cut_answers(package: Path) -> None:
    text = (package / ANSWERS).read_text()
    (package / ANSWERS).write_text(text[: text.index("ops:")])
    commit(package)


def wrong_answers(package: Path) -> None:
    edit(package / ANSWERS, "schema: my_lib", "schemma: my_lib")
    commit(package)


def answers_of(text: str) -> Callable[[Path], None]:
    """Return a function that replaces the operators of the answers, or adds a key to them."""

    def spoil(package: Path) -> None:
        answers = (package / ANSWERS).read_text()
        before, separator, after = answers.partition("ops:")
        spoilt = f"{before}{text}" if text.startswith("ops:") else f"{text}\n{answers}"
        (package / ANSWERS).write_text(spoilt if separator else after)
        commit(package)

    return spoil


BOMB = "a: &a [1, 1]\n" + "".join(f"{n}: &{n} [*{p}, *{p}]\n" for p, n in zip("abcd", "bcde"))
MALFORMED = {
    "a_date": "x: 2026-13-45",
    "a_long_number": f"x: {'9' * 6000}",
    "nested": f"x: {'[' * 5000}",
    "aliases": BOMB,
    "ops_of_a_date": "ops: {a: 2026-11-21}",
    "ops_of_bytes": "ops: {a: !!binary aGk=}",
    "ops_of_another_kind": "ops: {name: 5}",
    "ops_of_nothing": "ops: [null]",
}


def ignored(package: Path) -> None:
    git(package, "rm", "-q", "-r", "--cached", "setup.py")
    (package / ".gitignore").write_text("setup.py\n")
    commit(package)


def all_ignored(package: Path) -> None:
    """Put the package in a folder that its repository ignores."""
    no_repository(package)
    git(package.parent, "init", "-q")
    (package.parent / ".gitignore").write_text("my_add/\n")
    git(package.parent, "add", ".gitignore")
    git(package.parent, "commit", "-qm", "all but the package")


def foreign_bundle(package: Path) -> None:
    """Use another repository's bundle, with its own version."""
    version = "v0.1.1"
    answers = (package / ANSWERS).read_text()
    (package / ANSWERS).write_text(re.sub(r"(?m)^_commit: .*$", f"_commit: {version}", answers))
    repository = package.parent / "foreign"
    repository.mkdir()
    (repository / "copier.yml").write_text("x: {default: 1}\n")
    commit(repository)
    git(repository, "tag", version)
    git(repository, "tag", "release-old")
    bundle = package / ".onnxop" / "template.bundle"
    git(repository, "bundle", "create", "-q", str(bundle), "HEAD", "--all")
    commit(package)


def linked(name: str) -> Callable[[Path], None]:
    """Replace a part of the package by a link to elsewhere."""

    def spoil(package: Path) -> None:
        elsewhere = package.parent / "elsewhere"
        (package / name).rename(elsewhere)
        (package / name).symlink_to(elsewhere)
        commit(package)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "facts"),
    [
        (no_repository, ["is not in a git repository", "git init && git add -A && git commit"]),
        (dirty, ["changes that are not committed: README.md", "git stash -u"]),
        (markers, ["has conflict markers", "in csrc/my_add.h:4,6,8; resolve"]),
        (wrong_spec, ["onnx.mapping: op.Ad is not an ONNX op", "did you mean op.Add?"]),
        (newer, ["newer template, v99.0", f"{pip_install()} --upgrade onnxop"]),
        (broken_answers, [f"{ANSWERS}: cannot be read", RESTORE]),
        (ignored, ["git does not track setup.py of this package", "git add -f . && git commit"]),
        nightly(
            no_commit, ["is in a git repository that has no commit", "git add -A && git commit"]
        ),
        nightly(gone_worktree, ["git cannot use its repository", "see what git status says"]),
        nightly(
            another_owner, ["belongs to another user", "git config --global --add safe.directory /"]
        ),
        nightly(untracked, ["not committed: notes.txt"]),
        nightly(staged, ["not committed: README.md"]),
        nightly(staged_and_reverted, ["not committed: README.md"]),
        nightly(
            assume_unchanged, ["not to look at README.md", "update-index --no-assume-unchanged --"]
        ),
        nightly(skip_worktree, ["not to look at README.md", "update-index --no-skip-worktree --"]),
        nightly(
            sparse,
            ["not to look at csrc/my_add.cpp and csrc/my_add.h", "git sparse-checkout disable"],
        ),
        nightly(merging, ["a merge is in progress", "git merge --abort"]),
        nightly(picking, ["a cherry-pick is in progress", "git cherry-pick --continue"]),
        nightly(reverting, ["a revert is in progress", "git revert --abort"]),
        nightly(rebasing, ["a rebase is in progress", "git rebase --continue"]),
        nightly(mailing, ["an am is in progress", "git am --abort"]),
        nightly(broken_head, ["git cannot use its repository", "see what git status says"]),
        nightly(lost_objects, ["git cannot use its repository", "see what git status says"]),
        nightly(added_markers, ["has conflict markers", "in csrc/my_add.h:4,6,8; resolve"]),
        nightly(half_resolved, ["has conflict markers", "in README.md:7; resolve"]),
        nightly(markers_of_a_merge, ["has conflict markers", "in README.md:7,9,11; resolve"]),
        nightly(markers_in_a_spec, ["has conflict markers", "in ops/my_add.toml:1,3,5; resolve"]),
        nightly(unmerged, ["has conflicts of an earlier update or merge in README.md"]),
        nightly(no_spec, ["ops: has no spec"]),
        *[
            nightly(
                spoil,
                ["template.bundle: is not a bundle", "git checkout COMMIT -- .onnxop/template"],
            )
            for spoil in (broken_bundle, spoilt_bundle)
        ],
        *[
            nightly(
                spoil, ["template.bundle: is missing", "git checkout COMMIT -- .onnxop/template"]
            )
            for spoil in (no_bundle, lost_bundle)
        ],
        nightly(folder_as_answers, [f"{ANSWERS}: cannot be read: Is a directory"]),
        nightly(folder_as_bundle, ["template.bundle: cannot be read: Is a directory"]),
        nightly(torn_answers, ["cannot be read", RESTORE]),
        nightly(unknown_version, ["has no version v0.0.7", "git checkout COMMIT -- "]),
        nightly(lost_template, ["copier updated it to v0.0.7 from ", "which cannot be read"]),
        nightly(no_answers, [f"{ANSWERS}: is missing", RESTORE]),
        nightly(binary_answers, [f"{ANSWERS}: cannot be read", RESTORE]),
        nightly(
            empty_answers, [f"{ANSWERS}: cannot be read: it is not a mapping of YAML", RESTORE]
        ),
        nightly(cut_answers, ["has no 'ops'", RESTORE]),
        nightly(wrong_answers, ["its ops.0.schema is invalid: Field required", RESTORE]),
        *[
            nightly(
                linked(name),
                [f"{name}: is a link to ", "replace it by a folder"],
                name=f"link_{name}",
            )
            for name in (".onnxop", "ops", "csrc", "src", "src/my_add", "tests")
        ],
        nightly(all_ignored, ["git does not track", "more of this package", "git add -f ."]),
        nightly(foreign_bundle, ["is not a template of onnxop", "git checkout COMMIT -- .onnxop"]),
        *[
            nightly(answers_of(text), [f"{ANSWERS}: ", RESTORE], name=name)
            for (name, text) in MALFORMED.items()
        ],
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_refused(
    spoil: Callable[[Path], None], facts: list[str], package: Path, second: Checkout
) -> None:
    spoil(package)
    before = snapshot(package)
    for arguments in (["update"], ["update", "--dry-run"]):
        result = second.run(*arguments, cwd=package)
        assert result.returncode == 1, result.stdout
        assert "Traceback" not in result.stdout
        for fact in facts:
            assert fact in result.stdout
    assert snapshot(package) == before


@pytest.mark.parametrize("name", ["csrc", "src/my_add", "ops", ANSWERS])
def test_nothing_is_written_behind_a_link(name: str, package: Path, second: Checkout) -> None:
    linked(name)(package)
    elsewhere = package.parent / "elsewhere"
    before = snapshot(elsewhere) if elsewhere.is_dir() else elsewhere.read_bytes()
    result = second.run("update", cwd=package)
    assert "Traceback" not in result.stdout
    assert before == (snapshot(elsewhere) if elsewhere.is_dir() else elsewhere.read_bytes())


@pytest.mark.parametrize("command", ["update", "diff", "fetch"])
def test_no_package(command: str, tmp_path: Path, first: Checkout) -> None:
    for arguments in ([command], [command, "nowhere"]):
        result = first.run(*arguments, cwd=tmp_path)
        assert (result.returncode, result.stdout.count("\n")) == (1, 1)
        assert "onnxop did not make this package" in result.stdout


def test_temporary_files_in_the_package(package: Path, second: Checkout) -> None:
    """TMPDIR may be there: its files are gone after the run."""
    (package / "temporary").mkdir()
    variables = {
        "PYTHONPATH": str(second.folder / "generator"),
        "TMPDIR": str(package / "temporary"),
    }
    result = second.python.run("-m", "onnxop", "update", cwd=package, **variables)
    assert result.returncode == 0, result.stdout
    assert [*(package / "temporary").iterdir()] == []
