"""``copier update``, and then ``onnxop update``: from the bundle, and from a repository's
address.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from onnxop.package.template import address_of
from tests.update.conftest import OWN_SPEC, Checkout, commit, edit, git, snapshot

ANSWERS = ".copier-answers.yml"
RELEASE = "v98.0"


def unedited(package: Path) -> None:
    """Leave the spec as it was when the package was made."""


def edited(package: Path) -> None:
    edit(package / OWN_SPEC, "(Tensor a, Tensor b)", "(Tensor a, Tensor b, int c=0)")
    edit(package / OWN_SPEC, 'elementwise = "2 * a + b"', 'elementwise = "2 * a + b + c"')
    edit(package / OWN_SPEC, "op.Add(op.Mul(a, 2.0), b)", "op.Add(op.Add(op.Mul(a, 2.0), b), c)")


def renamed(package: Path) -> None:
    git(package, "mv", OWN_SPEC, "ops/sums.toml")


def edited_and_renamed(package: Path) -> None:
    edited(package)
    renamed(package)


def of_another_operator(package: Path) -> None:
    """Rename the operator, and so the files that are made of it."""
    edit(package / OWN_SPEC, "my_lib::my_add", "my_lib::sums")
    edit(package / OWN_SPEC, "[package]\n", '[package]\nname = "my_add"\n')
    git(package, "mv", OWN_SPEC, "ops/sums.toml")


SPECS = (
    unedited,
    edited_and_renamed,
    pytest.param(edited, marks=pytest.mark.everything),
    pytest.param(renamed, marks=pytest.mark.everything),
    pytest.param(of_another_operator, marks=pytest.mark.everything),
)


def edit_made_files(package: Path) -> None:
    """Edit files by hand where no template changes; commit them."""
    edit(package / "README.md", "2a + b, element by element.", "Twice a, and b. Mine.")
    edit(package / "src/my_add/__init__.py", '"""', '"""Mine. ')
    (package / "NOTES.md").write_text("mine\n", encoding="utf-8")


def by_copier(checkout: Checkout, package: Path) -> None:
    """Update by copier alone, without --trust, and commit."""
    checkout.python.checked("-m", "copier", "update", "--defaults", cwd=package)
    commit(package)


def without_versions(package: Path) -> dict[str, object]:
    """Return the package's files; not the bundle, which names its version, and of the answers the
    data.
    """
    files: dict[str, object] = {**snapshot(package)}
    del files[".onnxop/template.bundle"]
    answers = yaml.safe_load((package / ANSWERS).read_text())
    data = {name: answers[name] for name in ("schema", "package", "ops")}
    return {**files, ANSWERS: data}


def check_the_end(package: Path, straight: Path, second: Checkout) -> None:
    """Check that the package is as one that onnxop alone has updated."""
    for folder in (package, straight):
        result = second.run("update", cwd=folder)
        assert result.returncode == 0, result.stdout
        commit(folder)
    assert without_versions(package) == without_versions(straight)
    assert "_src_path: .onnxop/template.bundle\n" in (package / ANSWERS).read_text()
    assert second.run("update", cwd=package).stdout == "Nothing to do: the package is up to date\n"
    bundled = git(package, "bundle", "list-heads", ".onnxop/template.bundle")
    assert bundled.count("refs/tags/") == 1
    assert second.run("diff", cwd=package).stdout == second.run("diff", cwd=straight).stdout


def specs(package: Path) -> dict[str, bytes]:
    return {name: text for name, text in snapshot(package).items() if name.startswith("ops/")}


@pytest.fixture
def straight(package: Path) -> Callable[[], Path]:
    """Return a function that copies the package, for an update by onnxop alone."""
    return lambda: shutil.copytree(package, package.parent / "straight" / "my_add")


@pytest.mark.nightly
@pytest.mark.parametrize("change", SPECS)
def test_fetch_copier_onnxop(
    change: Callable[[Path], None],
    package: Path,
    straight: Callable[[], Path],
    second: Checkout,
) -> None:
    edit_made_files(package)
    change(package)
    commit(package)
    other = straight()
    before = specs(package)
    fetched = second.run("fetch", cwd=package)
    assert fetched.returncode == 0, fetched.stdout
    commit(package)
    by_copier(second, package)
    assert specs(package) == before
    assert '"""Later: build' in (package / "setup.py").read_text()
    assert "Twice a, and b. Mine." in (package / "README.md").read_text()
    check_the_end(package, other, second)


@pytest.fixture
def repository(package: Path, first: Checkout, second: Checkout) -> Path:
    """Return a repository of onnxop with the template of the package, and a later release."""
    (version,) = re.findall(r"^_commit: (.*)$", (package / ANSWERS).read_text(), re.MULTILINE)
    folder = package.parent / "onnxop.git"
    folder.mkdir()
    for checkout, tag in ((first, version), (second, RELEASE)):
        shutil.rmtree(folder / "templates", ignore_errors=True)
        shutil.copytree(checkout.folder / "templates", folder / "templates")
        shutil.copy2(checkout.folder / "copier.yml", folder)
        (folder / "README.md").write_text(f"Release {tag}\n", encoding="utf-8")
        commit(folder)
        git(folder, "tag", tag)
    return folder


ADDRESSES = (
    pytest.param("{0}", id="a path", marks=pytest.mark.everything),
    pytest.param("../onnxop.git", id="a relative path"),
    pytest.param("file://{0}", id="an address of a file", marks=pytest.mark.everything),
    pytest.param("git+file://{0}", id="an address as pip writes it"),
)


@pytest.mark.nightly
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "change", [pytest.param(unedited, marks=pytest.mark.everything), edited_and_renamed]
)
def test_by_address(
    change: Callable[[Path], None],
    address: str,
    package: Path,
    straight: Callable[[], Path],
    repository: Path,
    second: Checkout,
) -> None:
    edit_made_files(package)
    change(package)
    commit(package)
    other = straight()
    source = f"_src_path: {address.format(repository)}"
    edit(package / ANSWERS, "_src_path: .onnxop/template.bundle", source)
    commit(package)
    before = specs(package)
    by_copier(second, package)
    assert specs(package) == before
    assert f"_commit: {RELEASE}\n{source}\n" in (package / ANSWERS).read_text()
    check_the_end(package, other, second)
    assert f"_commit: {RELEASE}\n" in (package / ANSWERS).read_text()


@pytest.mark.nightly
def test_a_repository_that_has_moved(package: Path, repository: Path, second: Checkout) -> None:
    """Check the message where the release that copier updated to cannot be read any more."""
    source = f"_src_path: {repository}"
    edit(package / ANSWERS, "_src_path: .onnxop/template.bundle", source)
    commit(package)
    by_copier(second, package)
    repository.rename(repository.with_name("moved"))
    before = snapshot(package)
    for command in ("update", "diff"):
        result = second.run(command, cwd=package)
        assert result.returncode == 1
        assert f"copier updated it to {RELEASE} from {repository}, which cannot be" in result.stdout
        assert "git -c" not in result.stdout and ".onnxop-scratch" not in result.stdout
    assert snapshot(package) == before
    repository.with_name("moved").rename(repository)
    assert second.run("update", cwd=package).returncode == 0


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("gh:acme/onnxop", "https://github.com/acme/onnxop.git"),
        ("gl:/acme/onnxop.git", "https://gitlab.com/acme/onnxop.git"),
        ("git@github.com:acme/onnxop.git", "git@github.com:acme/onnxop.git"),
        ("git+https://example.org/onnxop", "https://example.org/onnxop"),
        ("git+ssh://git@example.org/onnxop", "ssh://git@example.org/onnxop"),
        ("https://github.com/acme/onnxop", "https://github.com/acme/onnxop"),
        ("/srv/onnxop", "/srv/onnxop"),
        ("../onnxop", "/srv/my_add/../onnxop"),
        ("~/onnxop", "/home/ada/onnxop"),
        ("~nobody_of_that_name/onnxop", "/srv/my_add/~nobody_of_that_name/onnxop"),
    ],
)
def test_addresses(source: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert address_of(source, Path("/srv/my_add")) == address


WITHOUT_NETWORK = "import sys; sys.modules.update(dict.fromkeys(['onnxop', 'torch', 'onnx']))\n"


@pytest.mark.nightly
def test_copier_alone_needs_no_onnxop_no_trust_and_no_network(
    package: Path, second: Checkout
) -> None:
    """Check it in a process in which onnxop, torch and onnx cannot be imported, and git reads files
    only.
    """
    edit_made_files(package)
    commit(package)
    assert second.run("fetch", cwd=package).returncode == 0
    commit(package)
    code = f"{WITHOUT_NETWORK}from copier.__main__ import *\nfrom copier import run_update\n"
    code += "run_update('.', defaults=True, overwrite=True, unsafe=False)\n"
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "file", "HOME": str(package.parent)}
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert '"""Later: build' in (package / "setup.py").read_text()
