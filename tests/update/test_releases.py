"""A release, made in a copy of this checkout as CONTRIBUTING says, and updates of packages
to it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Shared
from tests.tools import release
from tests.update.conftest import (
    ROOT,
    SPEC,
    Checkout,
    Update,
    by_copier,
    by_onnxop,
    commit,
    edit,
    git,
)

pytestmark = pytest.mark.nightly

RENAMED = ".github/workflows/ci.yml"
NAME = ".github/workflows/renamed.yml"
# Reference packages whose specs import torchvision, or run in PyTorch; the others are released
# alike.
SLOW = (":!reference_ops/deform_conv2d", ":!reference_ops/vision_ops")


def make_release(checkout: Path, version: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.tools.release", version],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout / "generator")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def released(shared: Shared) -> Checkout:
    """Release the working tree as 99.0, with a template's file renamed."""

    def make(checkout: Path) -> None:
        options = ("--cached", "--others", "--exclude-standard", "-z")
        listed = git(ROOT, "ls-files", *options, "--", ".", *SLOW)
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, checkout / name)
        commit(checkout)
        templates = checkout / "templates"
        (templates / f"{RENAMED}.jinja").rename(templates / f"{NAME}.jinja")
        edit(templates / f"{NAME}.jinja", "contents: read\n", "contents: read  # later\n")
        changes = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
        heading, _, rest = changes.partition(release.UNRELEASED)
        changes = f"{heading}{release.UNRELEASED}\n- Renamed.\n\n## {rest.partition('## ')[2]}"
        (checkout / "CHANGELOG.md").write_text(changes, encoding="utf-8")
        result = make_release(checkout, "99.0")
        assert result.returncode == 0, result.stderr

    return Checkout(shared.once("released", make))


def test_what_a_release_writes(released: Checkout) -> None:
    checkout = released.folder
    assert "## Unreleased\n\n## 99.0 - " in (checkout / "CHANGELOG.md").read_text()
    for package in checkout.glob("reference_ops/*/"):
        assert "_commit: v99.0\n" in (package / ".copier-answers.yml").read_text()


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.0.0rc1", "1.0.0rc1: write a version such as"),
        ("next", "next: write a version such as"),
        ("v99.1", "v99.1: write a version such as"),
        ("99.0", "99.0: this is 99.0 already"),
        ("0.0.9", "0.0.9: this is 99.0 already"),
        ("100.0", "CHANGELOG.md: says nothing under Unreleased"),
    ],
)
def test_what_cannot_be_released(released: Checkout, version: str, message: str) -> None:
    result = make_release(released.folder, version)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(message)


@pytest.mark.parametrize("update", [by_onnxop, by_copier])
def test_a_package_comes_to_the_release(update: Update, package: Path, released: Checkout) -> None:
    """Check that the user's edits move with the file; copier alone loses those of a renamed one."""
    edit(package / RENAMED, "name: CI\n", "# Mine.\nname: CI\n")
    edit(package / "README.md", "## Install", "## My install")
    commit(package)
    assert "99.0" in update(released, package)
    assert not (package / RENAMED).exists()
    assert "## My install" in (package / "README.md").read_text()
    updated = (package / NAME).read_text()
    assert "contents: read  # later\n" in updated
    assert ("# Mine.\n" in updated) == (update is by_onnxop)


def test_a_package_of_the_release_goes_on(tmp_path: Path, released: Checkout) -> None:
    """Check that a later onnxop updates a package of the release."""
    package = tmp_path / "my_add"
    assert released.run("new", SPEC, package, cwd=tmp_path).returncode == 0
    assert "_commit: v99.0\n" in (package / ".copier-answers.yml").read_text()
    edit(package / "csrc/my_add.h", "#pragma once\n", "#pragma once\n// Mine.\n")
    commit(package)
    later = released.copy(tmp_path / "later")
    later.edit(
        "templates/{% if package.is_native %}setup.py{% endif %}.jinja",
        '"""Build',
        '"""Later: build',
    )
    result = later.run("update", cwd=package)
    assert result.returncode == 0, result.stdout
    assert '"""Later: build' in (package / "setup.py").read_text()
    assert "// Mine." in (package / "csrc/my_add.h").read_text()
    assert "_commit: v99.0.post1+g" in (package / ".copier-answers.yml").read_text()
