"""The template's versions: this onnxop's, and those that a package carries.

A version is the templates and the code that derives their context. A package carries the versions
that made it in a git bundle, so that copier can render them again years later, offline.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from packaging.version import InvalidVersion, Version

from .. import __version__
from . import git
from .files import File

BUNDLE = Path(".onnxop", "template.bundle")
"""The file with a package's versions."""

ANSWERS = ".copier-answers.yml"
"""The file with the version and the answers that made the package."""

_PACKAGE = Path(__file__).resolve().parents[1]
# The code that derives a package, and so part of the template: all but the command line and the code
# that runs copier, git and pip.
_PARTS = ("__init__.py", "errors.py", "names.py", "pyexpr.py", "schema", "kernel", "spec", "code")
IGNORED = ("__pycache__", "*.pyc", "README.md")
"""No part of the template: README.md describes its folder; the package's is README.md.jinja."""


class Versions:
    """A bare repository with one commit and one tag for each version of the template."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tags(self) -> dict[str, str]:
        """Return the versions with their trees, without other tags."""
        line = "--format=%(refname:lstrip=2) %(tree)"
        output = git.run(self._folder, "for-each-ref", line, "refs/tags").decode()
        trees = dict(line.split(" ") for line in output.splitlines())
        return {tag: tree for tag, tree in trees.items() if tree and _is_version(tag)}

    def fetch(self, bundle: Path) -> None:
        """Add the versions in a bundle. Raise `GitError` if it is not a bundle."""
        git.run(self._folder, "fetch", "-q", bundle.resolve(), "refs/tags/*:refs/tags/*")

    def is_known(self, tag: str) -> bool:
        """Return whether the version's tree, a hash of its contents, is a release's or this onnxop's."""
        return self.tags()[tag] in (*releases().values(), self.present)

    def add_present(self) -> str:
        """Add this onnxop's version if it is new, and return its tag."""
        known = self.tags()
        for tag, tree in known.items():
            if tree == self.present:
                return tag
        tag = _tag_of(self.present, set(known))
        commit = git.run(self._folder, "commit-tree", self.present, "-m", tag).decode().strip()
        git.run(self._folder, "update-ref", f"refs/tags/{tag}", commit)
        return tag

    @cached_property
    def present(self) -> str:
        """Return the tree of this onnxop's version."""
        files = {name: File(file.read_bytes()) for name, file in sorted(_files())}
        options = ("-c", "fastimport.unpackLimit=0", "-c", "pack.compression=9")
        return git.import_tree(self._folder, files, *options)

    def bundle(self) -> Path:
        """Return a bundle of all the versions: the same versions give the same bytes."""
        newest = max(self.tags(), key=Version)
        git.run(self._folder, "update-ref", "refs/heads/main", f"refs/tags/{newest}")
        path = self._folder / BUNDLE.name
        packing = ("-c", "pack.threads=1", "-c", "pack.compression=9")
        git.run(self._folder, *packing, "bundle", "create", "-q", path, "HEAD", "--all")
        return path


@contextmanager
def versions() -> Iterator[Versions]:
    """Provide an empty repository of versions, deleted afterwards."""
    git.check_version()
    with tempfile.TemporaryDirectory(prefix="onnxop-versions-") as name:
        git.run(Path(name), "init", "-q", "--bare", "-b", "main", "--template=", ".")
        yield Versions(Path(name))


def _is_version(tag: str) -> bool:
    try:
        return bool(Version(tag))
    except InvalidVersion:
        return False


def root() -> Path:
    """Return the folder of copier.yml: a checkout's root, or the copy in an installed wheel."""
    checkout = _PACKAGE.parent.parent
    if (checkout / "copier.yml").is_file() and (checkout / "templates").is_dir():
        return checkout
    return _PACKAGE / "template"


def _files() -> Iterator[tuple[str, Path]]:
    """Yield the template's files as in its repository: copier.yml, templates/, generator/."""
    yield "copier.yml", root() / "copier.yml"
    yield from _below(root() / "templates", "templates")
    for part in _PARTS:
        yield from _below(_PACKAGE / part, f"generator/onnxop/{part}")


def _below(place: Path, name: str) -> Iterator[tuple[str, Path]]:
    if place.is_file():
        yield name, place
    for child in place.iterdir() if place.is_dir() else ():
        if not any(fnmatchcase(child.name, pattern) for pattern in IGNORED):
            yield from _below(child, f"{name}/{child.name}")


def _tag_of(tree: str, taken: set[str]) -> str:
    """Return the tag for a new version: a release's if the trees are the same, or one after the last."""
    for version, released in releases().items():
        if released == tree and f"v{version}" not in taken:
            return f"v{version}"
    last = f"v{max(releases(), key=Version, default=Version(__version__).base_version)}.post"
    numbers = [int(m[1]) for tag in taken if (m := re.match(rf"{re.escape(last)}(\d+)", tag))]
    return f"{last}{max(numbers, default=0) + 1}+g{tree[:8]}"


def releases() -> dict[str, str]:
    """Return the released versions with their trees."""
    file = _PACKAGE / "releases.json"
    trees: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return trees
