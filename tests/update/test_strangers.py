"""Packages of strangers: their templates are without code, their data makes no file of git's, and
what their repositories would run does not run.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.tiers import nightly
from tests.update.conftest import OWN_SPEC, SPEC, Checkout, commit, edit, git, snapshot

ANSWERS = ".copier-answers.yml"
COMMANDS = (["diff"], ["update", "--dry-run"], ["update"])


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Return the file that a stranger's code leaves."""
    return tmp_path / "it ran"


def version_of(package: Path) -> str:
    (version,) = re.findall(r"^_commit: (.*)$", (package / ANSWERS).read_text(), re.MULTILINE)
    return str(version)


def in_code(template: Path, mark: Path) -> None:
    code = template / "generator" / "onnxop" / "code"
    code.mkdir(parents=True)
    (code / "extension.py").write_text(f"open({str(mark)!r}, 'w').close()\n", encoding="utf-8")
    with (template / "copier.yml").open("a", encoding="utf-8") as file:
        file.write("\n_jinja_extensions: [generator/onnxop/code/extension.py:Derived]\n")


def in_extensions(template: Path, mark: Path) -> None:
    with (template / "copier.yml").open("a", encoding="utf-8") as file:
        file.write("\n_jinja_extensions: [jinja2.ext.DebugExtension]\n")


def in_tasks(template: Path, mark: Path) -> None:
    with (template / "copier.yml").open("a", encoding="utf-8") as file:
        file.write(f"\n_tasks: [{json.dumps(['touch', str(mark)])}]\n")


def in_jinja(template: Path, mark: Path) -> None:
    file = template / "templates" / ".gitattributes"
    code = f"{{{{ ''.__class__.__mro__[1].__subclasses__() }}}}# {mark}"
    file.rename(file.with_name(".gitattributes.jinja")).write_text(code, encoding="utf-8")


def in_git(template: Path, mark: Path) -> None:
    folder = template / "templates" / "{{ '.git' }}"
    folder.mkdir()
    monitor = f"touch '{mark}'; false"
    (folder / "config").write_text(
        f"[core]\n\tfsmonitor = {json.dumps(monitor)}\n", encoding="utf-8"
    )


def in_links(template: Path, mark: Path) -> None:
    (template / "templates" / "passwords").symlink_to("/etc/passwd")


def in_memory(template: Path, mark: Path) -> None:
    text = "{% set x = 'a' * 4000000000 %}{{ x | length }}"
    (template / "templates" / "large.jinja").write_text(text, encoding="utf-8")


def in_loops(template: Path, mark: Path) -> None:
    loops = "".join(f"{{% for {name} in range(99999) %}}" for name in "abc")
    text = f"{loops}{'{% endfor %}' * 3}"
    (template / "templates" / "slow.jinja").write_text(text, encoding="utf-8")


def spoilt(
    package: Path, spoil: Callable[[Path, Path], None], mark: Path, name: Callable[[str], str]
) -> str:
    """Return the package, its version changed by a stranger; ``name`` derives the tag from the new
    tree.
    """
    bundle = package / ".onnxop" / "template.bundle"
    clone = package.parent / "template"
    version = version_of(package)
    git(package.parent, "clone", "-q", "-b", version, str(bundle), str(clone))
    spoil(clone, mark)
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "mine")
    tree = git(clone, "rev-parse", "HEAD^{tree}").strip()
    tag = name(tree)
    git(clone, "tag", "-f", tag)
    git(clone, "bundle", "create", "-q", str(bundle), "HEAD", "--tags")
    text = (package / ANSWERS).read_text(encoding="utf-8")
    (package / ANSWERS).write_text(text.replace(f"_commit: {version}", f"_commit: {tag}"), "utf-8")
    commit(package)
    return tree


def refused(done_by: Checkout, package: Path, *facts: str) -> None:
    before = snapshot(package)
    for command in COMMANDS:
        result = done_by.run(*command, cwd=package)
        assert result.returncode == 1, result.stdout
        assert "Traceback" not in result.stdout and "--trust" not in result.stdout
        for fact in facts:
            assert fact in result.stdout
    assert snapshot(package) == before


BUNDLE = ".onnxop/template.bundle"
FAILS = f"{BUNDLE}: makes no package of the data in {ANSWERS}"
RESTORE = f"restore both: git log -- {BUNDLE} {ANSWERS} lists its commits, git checkout COMMIT -- "
SPOILT: dict[Callable[[Path, Path], None], str] = {
    in_code: "was made by an onnxop before 0.4, whose template runs code; make the package anew",
    in_tasks: f"{FAILS}: template v0.1.0.post1+g{{tree}}: Template uses potentially unsafe feature: tasks; {RESTORE}",
    in_extensions: f"feature: jinja_extensions; {RESTORE}",
    in_jinja: "is unsafe",
    in_git: f"{FAILS}: template v0.1.0.post1+g{{tree}}: makes .git/config, a file of git; {RESTORE}",
    in_links: "templates/passwords is not a plain file",
    in_memory: "memory",
}


@pytest.mark.parametrize("spoil", [in_tasks, *(nightly(one) for one in SPOILT if one != in_tasks)])
def test_a_stranger_s_template_runs_nothing(
    spoil: Callable[[Path, Path], None], package: Path, mark: Path, first: Checkout
) -> None:
    tree = spoilt(package, spoil, mark, lambda tree: f"v0.1.0.post1+g{tree[:8]}")
    refused(first, package, SPOILT[spoil].format(tree=tree[:8]))
    assert not mark.exists()


@pytest.mark.nightly
@pytest.mark.parametrize("spoil", [in_tasks, in_git])
def test_templates_that_changed_under_their_name(
    spoil: Callable[[Path, Path], None],
    package: Path,
    mark: Path,
    first: Checkout,
    second: Checkout,
) -> None:
    """Check that the bundle is blamed, and that the onnxop that has this version makes it anew."""
    version = version_of(package)
    good = (package / BUNDLE).read_bytes()
    tree = spoilt(package, spoil, mark, lambda tree: version)
    fact = f"{BUNDLE}: its version {version} is not one of onnxop's templates: it was edited: its files have the hash {tree[:8]}"
    restore = f"; restore it: git log -- {BUNDLE} lists its commits, git checkout COMMIT -- {BUNDLE} takes one"
    refused(second, package, f"{fact}{restore}\n")
    refused(first, package, f"{fact}{restore}; or run onnxop fetch, which makes it anew\n")
    assert second.run("fetch", cwd=package).returncode == 1
    assert first.run("fetch", cwd=package).returncode == 0
    assert (package / BUNDLE).read_bytes() == good
    commit(package)
    assert first.run("diff", cwd=package).stdout == ""
    assert not mark.exists()


@pytest.mark.parametrize(
    "damage", [Path.unlink, nightly(lambda bundle: bundle.write_bytes(b"nonsense"))]
)
def test_fetch_makes_a_damaged_bundle_anew(
    damage: Callable[[Path], object], package: Path, first: Checkout, second: Checkout
) -> None:
    good = (package / BUNDLE).read_bytes()
    damage(package / BUNDLE)
    refused(first, package, "; or run onnxop fetch, which makes it anew")
    assert second.run("fetch", cwd=package).returncode == 1
    assert first.run("fetch", cwd=package).returncode == 0
    assert (package / BUNDLE).read_bytes() == good


@pytest.mark.nightly
def test_recorded_files_that_were_edited(package: Path, first: Checkout, second: Checkout) -> None:
    """Check that no copier and no Jinja are to be installed where they are the recorded ones."""
    text = (package / ANSWERS).read_text(encoding="utf-8")
    (tree,) = re.findall(r"tree: g(\w+)", text)
    other = f"{'0' if tree[0] != '0' else '1'}{tree[1:]}"
    edit(package / ANSWERS, tree, other)
    commit(package)
    fact = f"{ANSWERS}: its data makes other files now than when it was recorded, so it or {BUNDLE} was edited"
    restore = f"restore both: git log -- {ANSWERS} {BUNDLE} lists"
    for checkout in (first, second):
        refused(checkout, package, f"{fact}; {restore}")
    release = re.findall(r"copier: ([\d.]+)", text)[0]
    edit(package / ANSWERS, f"copier: {release}", "copier: 9.0.1")
    commit(package)
    refused(first, package, f"copier==9.0.1 jinja2=={version('jinja2')}, and run this again")


@pytest.mark.everything  # a minute of CPU time
def test_a_template_that_never_ends(package: Path, mark: Path, first: Checkout) -> None:
    spoilt(package, in_loops, mark, lambda tree: "v0.1.7")
    assert "used up its CPU time" in first.run("diff", cwd=package).stdout


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- name: my_add\n", "- name: ../../evil\n"),
        nightly("- name: my_add\n", "- name: .git\n"),
        nightly("  name: my_add\n", "  name: ..\n"),
        nightly("  name: my_add\n", "  name: /tmp/evil\n"),
        nightly("  kernel_file: ''\n", "  kernel_file: ../.git/config\n"),
        nightly("schema: 1\n", "schema: 0\n"),
    ],
)
def test_names_of_a_stranger_s_data(
    before: str, after: str, package: Path, first: Checkout
) -> None:
    """Check them whatever the number of the data's form is."""
    edit(package / ANSWERS, before, after)
    if before.startswith("schema"):
        edit(package / ANSWERS, "- name: my_add\n", "- name: ../evil\n")
    commit(package)
    refused(first, package, f"{ANSWERS}: ")


@pytest.mark.nightly
def test_a_branch_or_a_replacement_of_a_version_does_not_count(
    package: Path, mark: Path, first: Checkout
) -> None:
    bundle = package / ".onnxop" / "template.bundle"
    version = version_of(package)
    clone = package.parent / "template"
    git(package.parent, "clone", "-q", "-b", version, str(bundle), str(clone))
    good = git(clone, "rev-parse", "HEAD").strip()
    git(clone, "checkout", "-q", "-b", version)
    in_code(clone, mark)
    commit(clone)
    git(clone, "replace", good, "HEAD")
    git(clone, "bundle", "create", "-q", str(bundle), "HEAD", "--all")
    commit(package)
    assert first.run("diff", cwd=package).stdout == ""
    assert "Traceback" not in first.run("update", cwd=package).stdout
    assert not mark.exists()


@pytest.mark.nightly
def test_a_new_package_over_a_stranger_s_runs_nothing_of_it(
    package: Path, mark: Path, first: Checkout
) -> None:
    spoilt(package, in_code, mark, lambda tree: "v0.1.7")
    result = first.run("new", SPEC, package, "--force", cwd=package)
    assert result.returncode == 0, result.stdout
    assert not mark.exists()


def test_what_the_repository_would_run_beside_git(
    package: Path, mark: Path, first: Checkout
) -> None:
    """Check a copy of a package, which, unlike a clone, has its .git/config and hooks."""
    program = package / ".git" / "hooks" / "post-index-change"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n", encoding="utf-8")
    program.chmod(0o755)
    git(package, "config", "core.fsmonitor", str(program))
    os.utime(package / OWN_SPEC)
    edit(package / OWN_SPEC, "2a + b, element by element.", "Twice a, and b.")
    mark.unlink(missing_ok=True)
    assert first.run("diff", cwd=package).returncode == 0
    assert first.run("update", cwd=package).returncode == 0
    assert not mark.exists()


PROGRAMS = (
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.process.process",
    "gpg.program",
    "diff.evil.textconv",
    "diff.evil.command",
    "diff.external",
    "merge.evil.driver",
    "core.pager",
    "core.editor",
    "core.fsmonitor",
)


@pytest.mark.nightly
def test_programs_of_the_repository_s_configuration_do_not_run(
    package: Path, first: Checkout
) -> None:
    attributes = "* filter=evil diff=evil merge=evil\n*.md filter=process\n"
    (package / ".gitattributes").write_text(attributes)
    edit(package / "csrc/my_add.h", "  return T(2) * a + b;", "  return a + (a + b);")
    commit(package)
    signed = git(package, "cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1
    )
    (package.parent / "signed").write_text(signed)
    named = git(package, "hash-object", "-t", "commit", "-w", str(package.parent / "signed"))
    git(package, "reset", "-q", "--hard", named.strip())
    ran = package.parent / "ran"
    for key in PROGRAMS:
        program = package.parent / f"run.{key}"
        program.write_text(f"#!/bin/sh\necho {key} >> {ran}\nexit 1\n")
        program.chmod(0o755)
        git(package, "config", key, str(program))
    git(package, "config", "filter.evil.required", "true")
    git(package, "config", "log.showSignature", "true")
    edit(package / OWN_SPEC, "(Tensor a, Tensor b)", "(Tensor a, Tensor b, int c=0)")
    edit(package / OWN_SPEC, '= "2 * a + b"', '= "2 * a + b + c"')
    edit(package / OWN_SPEC, "op.Add(op.Mul(a, 2.0), b)", "op.Add(op.Add(op.Mul(a, 2.0), b), c)")
    for file in package.rglob("*"):
        if ".git" not in file.parts:
            os.utime(file)
    assert first.run("diff", cwd=package).returncode == 0
    assert first.run("update", "--dry-run", cwd=package).returncode == 3
    (package / ANSWERS).rename(package / "kept")
    assert "git checkout COMMIT -- " in first.run("update", cwd=package).stdout
    (package / "kept").rename(package / ANSWERS)
    assert first.run("update", cwd=package).returncode == 3
    assert not ran.exists(), ran.read_text()


@pytest.mark.nightly
def test_filters_of_the_user_s_own_configuration_run(
    package: Path, first: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that they run, such as those of git-lfs, without which files differ from the commit."""
    monkeypatch.setenv("HOME", str(package.parent))
    git(package, "config", "--global", "filter.upper.clean", "tr a-z A-Z")
    (package / "NOTES.md").write_text("mine")
    (package / ".gitattributes").write_text("NOTES.md filter=upper\n")
    commit(package)
    assert git(package, "show", "HEAD:NOTES.md") == "MINE"
    os.utime(package / "NOTES.md", (0, 0))
    result = first.run("update", cwd=package)
    assert (result.returncode, "up to date" in result.stdout) == (0, True)
