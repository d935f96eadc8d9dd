"""Shared by the tests of updates: packages under git, and a second version of the template."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from onnxop.code.data import Data
from onnxop.package import recorded
from onnxop.package.files import Tree
from onnxop.package.template import Versions
from tests.conftest import Environment
from tests.warm import Warm, start

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
OWN_SPEC = "ops/my_add.toml"
PYTHON = Environment(Path(sys.prefix))
# Takes longer than most updates.
IMPORTS = "import copier, onnxop.check.load, onnxop.cli, onnxop.package.update"
PEOPLE = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


@dataclass(frozen=True)
class Checkout:
    """A checkout of onnxop, with its own template."""

    folder: Path
    python: Environment | Warm = PYTHON

    def run(self, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run ``onnxop`` of this checkout; its errors are part of its output."""
        command = ("-m", "onnxop", *arguments)
        return self.python.run(*command, cwd=cwd, PYTHONPATH=str(self.folder / "generator"))

    @contextmanager
    def imported(self) -> Iterator[Checkout]:
        """Provide this checkout with a process that has imported it, for its runs to fork from."""
        with start(PYTHON, IMPORTS, PYTHONPATH=str(self.folder / "generator")) as warm:
            yield Checkout(self.folder, warm)

    def copy(self, folder: Path) -> Checkout:
        """Copy all parts that make packages, for a test to change. Each run imports the
        copy anew.
        """
        ignored = shutil.ignore_patterns("__pycache__")
        for name in ("generator", "templates"):
            shutil.copytree(self.folder / name, folder / name, ignore=ignored)
        shutil.copy2(self.folder / "copier.yml", folder)
        return Checkout(folder)

    def edit(self, file: str, before: str, after: str) -> None:
        edit(self.folder / file, before, after)


def edit(file: Path, before: str, after: str) -> None:
    """Replace a text that must be there."""
    text = file.read_text(encoding="utf-8")
    assert before in text, (file, before)
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def git(folder: Path, *arguments: str) -> str:
    result = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **PEOPLE},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def commit(folder: Path) -> None:
    """Commit everything; make the repository the first time."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "all")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file except git's own."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and ".git" not in file.relative_to(folder).parts[:1]
    }


@pytest.fixture
def rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render each package once, for many runs."""
    make = recorded.make
    done: dict[tuple[str, str], Tree] = {}

    def make_once(known: Versions, version: str, data: Data) -> Tree:
        key = version, repr(data)
        if key not in done:
            done[key] = make(known, version, data)
        return dict(done[key])

    monkeypatch.setattr(recorded, "make", make_once)


@pytest.fixture(scope="session")
def first() -> Iterator[Checkout]:
    with Checkout(ROOT).imported() as checkout:
        yield checkout


@pytest.fixture(scope="session")
def second(first: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Make a later template: other setup.py, registration, kernel and tests; one file gone, one
    renamed.
    """
    checkout = first.copy(tmp_path_factory.mktemp("second"))
    checkout.edit(
        "templates/{% if package.is_native %}setup.py{% endif %}.jinja",
        '"""Build',
        '"""Later: build',
    )
    checkout.edit(
        "templates/{% if package.is_native %}csrc{% endif %}/{% yield op from ops %}{% if op.is_native %}{{ op.name }}.cpp{% endif %}{% endyield %}.jinja",
        "// {{ op.operator }}",
        "// Later.\n// {{ op.operator }}",
    )
    checkout.edit(
        "templates/tests/{% yield op from ops %}test_{{ op.name }}{% endyield %}.py.jinja",
        '"""Tests of',
        '"""Later: the tests of',
    )
    checkout.edit(
        "templates/{% if package.is_native %}csrc{% endif %}/{% yield op from ops %}{% if op.is_elementwise %}{{ op.name }}.h{% endif %}{% endyield %}.jinja",
        "/// Computes an element",
        "/// Later: computes an element",
    )
    checkout.edit("templates/README.md.jinja", "## Install", "## Installation")
    workflows = checkout.folder / "templates" / ".github" / "workflows"
    (workflows / "ci.yml.jinja").rename(workflows / "later.yml.jinja")
    (checkout.folder / "templates" / ".gitattributes").unlink()
    (checkout.folder / "templates" / "LATER.md").write_text("Later.\n", encoding="utf-8")
    with checkout.imported() as imported:
        yield imported


@pytest.fixture(scope="session")
def fresh(first: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the current my_add, committed."""
    package = tmp_path_factory.mktemp("fresh") / "my_add"
    result = first.run("new", SPEC, package, cwd=package.parent)
    assert result.returncode == 0, result.stdout
    commit(package)
    return package


@pytest.fixture
def package(fresh: Path, tmp_path: Path) -> Path:
    """Return a copy of it, for a test to change."""
    return shutil.copytree(fresh, tmp_path / "my_add", symlinks=True)


@pytest.fixture
def prepared(package: Path) -> Path:
    """Return a package with a changed spec, whose update adds and deletes folders."""
    edit(package / OWN_SPEC, "2 * a + b", "2 * a - b")
    edit(package / OWN_SPEC, "op.Add(op", "op.Sub(op")
    edit(package / OWN_SPEC, 'b = "grad"', 'b = "-grad"')
    edit(package / OWN_SPEC, "[package]\n", '[package]\nname = "moved"\n')
    return package


Update = Callable[[Checkout, Path], str]


def by_onnxop(checkout: Checkout, package: Path) -> str:
    """Update the package with ``onnxop update`` of a checkout that did not make it."""
    result = checkout.run("update", cwd=package)
    assert result.returncode == (3 if "\n  conflict in " in result.stdout else 0), result.stdout
    return result.stdout


def by_copier(checkout: Checkout, package: Path) -> str:
    """Update the package with copier alone, which reads the checkout's template."""
    result = checkout.run("fetch", cwd=package)
    assert result.returncode == 0, result.stdout
    commit(package)
    return checkout.python.checked("-m", "copier", "update", "--defaults", cwd=package)
