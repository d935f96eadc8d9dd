"""Every release stays: packages of the oldest are updated to today's; the next release is tried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from onnxop.package import template
from onnxop.package.render import copy
from onnxop.package.update import ANSWERS, update
from onnxop.spec.load import load
from onnxop.words.facts import Facts, asking
from tests import regenerate, release
from tests.update.conftest import ROOT, SPEC, Checkout, by_copier, by_onnxop, commit, edit, git


@pytest.mark.parametrize("reference", regenerate.reference_packages(), ids=lambda path: path.name)
def test_from_the_oldest_release(reference: Path, tmp_path: Path) -> None:
    """Unedited, the package of the oldest release becomes what is made today, without a conflict."""
    with template.versions(release.BUNDLE) as known:
        versions = sorted(known.tags(), key=template.version_of)
        assert versions == sorted((f"v{v}" for v in template.releases()), key=template.version_of)
    with asking(Facts()) as facts:
        spec = load(reference / "op.toml")
    package = tmp_path / reference.name
    copy(release.BUNDLE, versions[0], {"spec": spec.text, "facts": facts.answers}, package)
    for name, text in spec.given_files.items():
        (package / name).write_text(text, encoding="utf-8")
    (package / template.BUNDLE).parent.mkdir()
    (package / template.BUNDLE).write_bytes(release.BUNDLE.read_bytes())
    commit(package)
    done = update(package)
    assert done.conflicts == []
    found = regenerate.contents(regenerate.files(package))
    wanted = regenerate.contents(regenerate.files(reference))
    assert sorted(found) == sorted(wanted)
    assert [name for name in wanted if found[name] != wanted[name]] == []


def test_a_spec_that_ended_in_a_blank_line(tmp_path: Path) -> None:
    """Releases up to 0.2.0 wrote answers that no YAML reader takes."""
    package = tmp_path / "package"
    with asking(Facts()) as facts:
        spec = load(SPEC)
    answers = {"spec": f"{spec.text}\n", "facts": facts.answers}
    copy(release.BUNDLE, "v0.2.0", answers, package)
    assert "\n...\nfacts:" in (package / ANSWERS).read_text(encoding="utf-8")
    (package / template.BUNDLE).parent.mkdir()
    (package / template.BUNDLE).write_bytes(release.BUNDLE.read_bytes())
    commit(package)
    assert update(package).conflicts == []
    kept = yaml.safe_load((package / ANSWERS).read_text(encoding="utf-8"))
    assert kept["spec"] == answers["spec"]


def test_a_release_as_contributing_says(tmp_path: Path, first: Checkout) -> None:
    """A template's file is renamed with a migration, and the version released, fetched and taken:
    the user's edits move with the file. copier alone marks what differs there as conflicts.
    """
    checkout = tmp_path / "checkout"
    git(tmp_path, "clone", "-q", str(ROOT), str(checkout))
    files = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for name in files:  # the working tree, not the last commit
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_bytes((ROOT / name).read_bytes())
    tests = checkout / "templates" / "tests"
    (tests / "test_op.py.jinja").rename(tests / "test_operator.py.jinja")
    edit(tests / "test_operator.py.jinja", "\nimport pytest\n", "\nimport pytest  # later\n")
    with (checkout / "copier.yml").open("a", encoding="utf-8") as file:
        file.write(
            "_migrations:\n"
            "  - version: v99.0\n"
            "    when: \"{{ _stage == 'before' }}\"\n"
            "    command: git mv -k tests/test_op.py tests/test_operator.py\n"
        )
    edit(checkout / "CHANGELOG.md", release.UNRELEASED, f"{release.UNRELEASED}\n- Renamed.\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "tests/release.py", *arguments],
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": f"{checkout / 'generator'}:{checkout}"},
            capture_output=True,
            text=True,
            check=False,
        )

    for wrong in ("0.1.0", "0.0.9", "1.0.0rc1", "next", "v99.0"):
        refused = run(wrong)
        assert (refused.returncode, refused.stdout) == (1, ""), wrong
        assert refused.stderr.startswith(f"{wrong}: ")
    done = run("99.0")
    assert done.returncode == 0, done.stderr
    trees = json.loads((checkout / "generator/onnxop/releases.json").read_text())
    assert list(trees) == [*template.releases(), "99.0"]
    assert "## Unreleased\n\n## 99.0 - " in (checkout / "CHANGELOG.md").read_text()
    answers = (checkout / "reference_ops/my_add/.copier-answers.yml").read_text()
    assert "_commit: v99.0\n" in answers
    assert "CHANGELOG.md: says nothing under Unreleased" in run("100.0").stderr

    package = tmp_path / "my_add"
    assert first.run("new", SPEC, package, cwd=tmp_path).returncode == 0
    edit(package / "tests/test_op.py", "def test_", "# Mine.\ndef test_")
    commit(package)
    git(tmp_path, "clone", "-q", str(package), str(tmp_path / "other"))
    for update_by, where in ((by_onnxop, package), (by_copier, tmp_path / "other")):
        assert "99.0" in update_by(Checkout(checkout), where)
        assert not (where / "tests/test_op.py").exists()
        updated = (where / "tests/test_operator.py").read_text()
        assert "# Mine.\n" in updated
        assert "import pytest  # later\n" in updated
        assert ("<<<<<<<" in updated) == (update_by is by_copier)
