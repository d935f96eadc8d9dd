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
from ..errors import OnnxopError
from . import git

BUNDLE = Path(".onnxop", "template.bundle")
"""Where a package carries its versions."""

ANSWERS = ".copier-answers.yml"
"""Where it says of which one it was made, and of what."""

_PACKAGE = Path(__file__).resolve().parents[1]
_RELEASES = "releases.json"
# What a package is derived by, and so part of the template: all but the command line, and what runs
# copier, git and pip.
_ROOMS = ("words", "schema", "kernel", "spec", "code")
_MODULES = ("__init__.py", "errors.py")
IGNORED = ("__pycache__", "*.pyc", "README.md")
"""No part of the template: README.md is of its folder, that of the package is README.md.jinja."""


class TemplateError(OnnxopError):
    """A package's bundle is missing, broken, or without the version that is asked for."""


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
        """Takes the versions of a bundle.

        Raises:
            TemplateError: it is none, or has a version whose tree is not the one of that name.
        """
        try:
            git.run(self._folder, "fetch", "-q", bundle.resolve(), "refs/tags/*:refs/tags/*")
        except git.GitError as error:
            raise TemplateError(
                f"{bundle}: is no bundle of template versions: {error}; {git.restoring(bundle.parents[1], BUNDLE.as_posix())}"
            ) from None
        for tag, tree in self.tags().items():
            if not _is_named_after(tag, tree):
                raise TemplateError(
                    f"{bundle}: its version {tag} has the tree {tree}, which is not what its name "
                    f"says; {git.restoring(bundle.parents[1], BUNDLE.as_posix())}"
                )

    def is_known(self, tree: str) -> bool:
        """Whether the tree, whose name is made of all that is in it, is a release's or this
        onnxop's: its code is as good as what is installed.
        """
        return tree in releases().values() or tree == self.present

    def add_present(self) -> str:
        """The version that this onnxop has, which is added where it is new. Returns its tag."""
        tree = self.present
        known = self.tags()
        for tag, other in known.items():
            if other == tree:
                return tag
        tag = _tag_of(tree, set(known))
        commit = git.run(self._folder, "commit-tree", tree, "-m", tag).decode().strip()
        git.run(self._folder, "update-ref", f"refs/tags/{tag}", commit)
        return tag

    @cached_property
    def present(self) -> str:
        """The tree of this onnxop's version."""
        files = (("100644", name, file.read_bytes()) for name, file in sorted(_files()))
        options = ("-c", "fastimport.unpackLimit=0", "-c", "pack.compression=9")
        return git.import_tree(self._folder, files, *options)

    def write(self, bundle: Path) -> None:
        """Writes all versions into a bundle: the same versions, the same bytes."""
        newest = max(self.tags(), key=version_of)
        git.run(self._folder, "update-ref", "refs/heads/main", f"refs/tags/{newest}")
        bundle.parent.mkdir(parents=True, exist_ok=True)
        packing = ("-c", "pack.threads=1", "-c", "pack.compression=9")
        git.run(self._folder, *packing, "bundle", "create", "-q", bundle.resolve(), "HEAD", "--all")


@contextmanager
def versions(bundle: Path | None = None) -> Iterator[Versions]:
    """The versions in a bundle or, without one, none yet."""
    git.check_version()
    with tempfile.TemporaryDirectory(prefix="onnxop-versions-") as name:
        folder = Path(name, "versions.git")
        git.run(Path(name), "init", "-q", "--bare", "-b", "main", "--template=", folder)
        found = Versions(folder)
        if bundle is not None:
            found.fetch(bundle)
        yield found


def version_of(tag: str) -> Version:
    """The tag as PEP 440 orders it. Raises `TemplateError` where it is no version."""
    try:
        return Version(tag)
    except InvalidVersion:
        raise TemplateError(f"{tag} is no version of the template") from None


def _is_version(tag: str) -> bool:
    try:
        version_of(tag)
    except TemplateError:
        return False
    return True


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
    for module in _MODULES:
        yield f"generator/onnxop/{module}", _PACKAGE / module
    for room in _ROOMS:
        yield from _below(_PACKAGE / room, f"generator/onnxop/{room}")


def _below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for child in folder.iterdir():
        if any(fnmatchcase(child.name, pattern) for pattern in IGNORED):
            continue
        if child.is_dir():
            yield from _below(child, f"{name}/{child.name}")
        else:
            yield f"{name}/{child.name}", child


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


def _is_named_after(tag: str, tree: str) -> bool:
    """Whether the tree is the release's of that name, and begins as the name says."""
    released = releases().get(tag.removeprefix("v"), tree)
    return tree == released and tree.startswith(tag.partition("+g")[2])


def releases() -> dict[str, str]:
    """The released versions, and their trees."""
    file = _PACKAGE / _RELEASES
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found
