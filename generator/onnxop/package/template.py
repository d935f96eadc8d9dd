"""The template's versions: the one that this onnxop brings, and those that a package carries.

A version is the templates and the code that derives what they place. A package keeps the versions
it was made from in a git bundle, so that copier can render them again years later, offline.
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
"""Where a package carries its versions."""

ANSWERS = ".copier-answers.yml"
"""Where it says of which one it was made, and of what."""

_PACKAGE = Path(__file__).resolve().parents[1]
# What a package is derived by, and so part of the template: all but the command line, and what runs
# copier, git and pip.
_PARTS = ("__init__.py", "errors.py", "names.py", "pyexpr.py", "schema", "kernel", "spec", "code")
IGNORED = ("__pycache__", "*.pyc", "README.md")
"""No part of the template: README.md is of its folder, that of the package is README.md.jinja."""


class Versions:
    """A bare repository with one commit and one tag for each version of the template."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tags(self) -> dict[str, str]:
        """The versions, and their trees; other tags do not count."""
        line = "--format=%(refname:lstrip=2) %(tree)"
        words = git.run(self._folder, "for-each-ref", line, "refs/tags").decode()
        found = dict(line.split(" ") for line in words.splitlines())
        return {tag: tree for tag, tree in found.items() if tree and _is_version(tag)}

    def fetch(self, bundle: Path) -> None:
        """Take the versions of a bundle. Raises `GitError` where it is none."""
        git.run(self._folder, "fetch", "-q", bundle.resolve(), "refs/tags/*:refs/tags/*")

    def is_known(self, tag: str) -> bool:
        """Whether the version's tree, whose name is made of all that is in it, is a release's or
        this onnxop's: its code is as good as what is installed.
        """
        return self.tags()[tag] in (*releases().values(), self.present)

    def add_present(self) -> str:
        """The version that this onnxop has, which is added where it is new. Returns its tag."""
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
        """The tree of this onnxop's version."""
        files = {name: File(file.read_bytes()) for name, file in sorted(_files())}
        options = ("-c", "fastimport.unpackLimit=0", "-c", "pack.compression=9")
        return git.import_tree(self._folder, files, *options)

    def bundle(self) -> Path:
        """A bundle of all the versions: the same versions, the same bytes."""
        newest = max(self.tags(), key=Version)
        git.run(self._folder, "update-ref", "refs/heads/main", f"refs/tags/{newest}")
        path = self._folder / BUNDLE.name
        packing = ("-c", "pack.threads=1", "-c", "pack.compression=9")
        git.run(self._folder, *packing, "bundle", "create", "-q", path, "HEAD", "--all")
        return path


@contextmanager
def versions() -> Iterator[Versions]:
    """No versions yet."""
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
    """The folder of copier.yml: in a checkout its root, in an installed wheel a copy."""
    checkout = _PACKAGE.parent.parent
    if (checkout / "copier.yml").is_file() and (checkout / "templates").is_dir():
        return checkout
    return _PACKAGE / "template"


def _files() -> Iterator[tuple[str, Path]]:
    """The template as its repository has it: copier.yml, templates/, generator/onnxop/."""
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
    """What to call a new version: that of the release with the same tree, or one after it."""
    for version, released in releases().items():
        if released == tree and f"v{version}" not in taken:
            return f"v{version}"
    last = f"v{max(releases(), key=Version, default=Version(__version__).base_version)}.post"
    numbers = [
        int(found[1]) for tag in taken if (found := re.match(rf"{re.escape(last)}(\d+)", tag))
    ]
    return f"{last}{max(numbers, default=0) + 1}+g{tree[:8]}"


def releases() -> dict[str, str]:
    """The released versions, and their trees."""
    file = _PACKAGE / "releases.json"
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found
