"""The template's versions: this onnxop's, and the one that a package carries.

A version is copier.yml and the templates, without any code. A package carries the version that made
it in a git bundle, so that copier can render it again years later, offline.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from packaging.version import InvalidVersion, Version

from .. import __version__
from . import git
from .files import File, Tree

BUNDLE = Path(".onnxop", "template.bundle")
"""The file with a package's versions."""

ANSWERS = ".copier-answers.yml"
"""The file with the version and the answers that made the package."""

_PACKAGE = Path(__file__).resolve().parents[1]
_IGNORED = ("__pycache__", "*.pyc", "README.md")
"""No part of the template: README.md describes its folder; the package's is README.md.jinja."""

_SHORTCUTS = {"gh": "https://github.com", "gl": "https://gitlab.com"}
"""copier's."""


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
        """Add the versions in a bundle. Raise `GitError` if it is not a bundle, OSError if it
        cannot be read.
        """
        bundle.open("rb").close()
        git.run(self._folder, "fetch", "-q", bundle.resolve(), "refs/tags/*:refs/tags/*")

    def fetch_release(self, address: str, tag: str) -> None:
        """Add a version from a repository of onnxop. Raise `GitError` if that cannot be read."""
        allowed = [f"protocol.{name}.allow=always" for name in ("https", "ssh", "file")]
        options = [part for option in ("protocol.allow=never", *allowed) for part in ("-c", option)]
        ref = f"refs/tags/{tag}"
        git.ask_yours(self._folder, *options, "fetch", "-q", "--depth=1", "--", address, ref)
        entries = git.run(self._folder, "ls-tree", "-r", "-z", "FETCH_HEAD").split(b"\0")
        names = [entry.partition(b"\t")[2].decode(errors="surrogateescape") for entry in entries]
        kept = [e for e, name in zip(entries, names, strict=True) if _is_part(name)]
        git.run(self._folder, "read-tree", "--empty")
        git.run(self._folder, "update-index", "-z", "--index-info", input=b"\0".join([*kept, b""]))
        self._add(git.run(self._folder, "write-tree").decode().strip(), tag)

    def tree(self, files: Tree) -> str:
        """Return the hash of the tree of files."""
        return git.import_tree(self._folder, files)

    def problem_with(self, tag: str) -> str:
        """Return why the version is not one of copier.yml and templates alone, or not the one whose
        hash its tag has; empty if it is.
        """
        entries = git.run(self._folder, "ls-tree", "-r", "-z", tag).decode(errors="replace")
        for entry in entries.split("\0"):
            mode, _, name = entry.partition("\t")
            if entry and not (name == "copier.yml" or name.startswith("templates/")):
                return f"it has {name}"
            if entry and not mode.startswith("100"):
                return f"{name} is not a plain file"
        named, tree = re.search(r"\+g([0-9a-f]{8})$", tag), self.tags().get(tag, "")
        if named and not tree.startswith(named[1]):
            return f"it was edited: its files have the hash {tree[:8]}"
        return ""

    def is_present(self, tag: str) -> bool:
        """Return whether the version is this onnxop's."""
        return self.tags().get(tag) == self.present

    def is_named_as_present(self, tag: str) -> bool:
        """Return whether the name is one that this onnxop gives its version."""
        return tag in (_release(), f"{_prefix()}{_number(tag)}+g{self.present[:8]}")

    def add_present(self) -> str:
        """Add this onnxop's version if it is new, and return its tag."""
        trees_by_tag = self.tags()
        for tag, tree in trees_by_tag.items():
            if tree == self.present:
                return tag
        tag = _tag_of(self.present, set(trees_by_tag))
        self._add(self.present, tag)
        return tag

    def replace_by_present(self, tag: str) -> None:
        """Make this onnxop's version the one of the tag."""
        self._add(self.present, tag)

    def _add(self, tree: str, tag: str) -> None:
        commit = git.run(self._folder, "commit-tree", tree, "-m", tag).decode().strip()
        git.run(self._folder, "update-ref", f"refs/tags/{tag}", commit)

    @cached_property
    def present(self) -> str:
        """Return the tree of this onnxop's version."""
        return self.tree({name: File(file.read_bytes()) for name, file in sorted(_files())})

    def bundle(self, tags: Sequence[str]) -> Path:
        """Return a bundle of these versions, the newest as its HEAD: the same ones give the same
        bytes.
        """
        newest = max(tags, key=Version)
        git.run(self._folder, "update-ref", "refs/heads/main", f"refs/tags/{newest}")
        path = self._folder / BUNDLE.name
        packing = ("-c", "pack.threads=1", "-c", "pack.compression=9")
        names = [f"refs/tags/{tag}" for tag in tags]
        git.run(
            self._folder,
            *packing,
            "bundle",
            "create",
            "-q",
            path,
            "HEAD",
            "refs/heads/main",
            *names,
        )
        return path


@contextmanager
def versions() -> Iterator[Versions]:
    """Provide an empty repository of versions, deleted afterwards."""
    git.check_version()
    with tempfile.TemporaryDirectory(prefix="onnxop-versions-") as name:
        git.run(Path(name), "init", "-q", "--bare", "-b", "main", "--template=", ".")
        yield Versions(Path(name))


def address_of(source: str, folder: Path) -> str:
    """Return git's address of what copier records as a template's source. A path is relative to
    ``folder``.
    """
    shortcut, _, rest = source.partition(":")
    if shortcut in _SHORTCUTS:
        name = rest.removeprefix("/").removesuffix(".git")
        return f"{_SHORTCUTS[shortcut]}/{name}.git"
    if re.match(r"[\w.+-]+(@[\w.-]+)?:", source):  # a scheme, or a host
        return source.removeprefix("git+")
    return str(folder / os.path.expanduser(source))


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
    """Yield the template's files as in its repository: copier.yml, templates/."""
    yield "copier.yml", root() / "copier.yml"
    yield from _below(root() / "templates", "templates")


def _is_part(name: str) -> bool:
    """Return whether a file of onnxop's repository is one of the template."""
    folder, *parts = name.split("/")
    if not parts:
        return folder == "copier.yml"
    is_ignored = any(fnmatchcase(part, pattern) for part in parts for pattern in _IGNORED)
    return folder == "templates" and not is_ignored


def _below(path: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield a file, or the files in a folder, with their names in the repository."""
    if path.is_file():
        yield name, path
    for child in path.iterdir() if path.is_dir() else ():
        if not any(fnmatchcase(child.name, pattern) for pattern in _IGNORED):
            yield from _below(child, f"{name}/{child.name}")


def _tag_of(tree: str, taken: set[str]) -> str:
    """Return the tag of a new version: onnxop's version if it is a release, or a number
    beside it.
    """
    release = _release()
    if release and release not in taken:
        return release
    return f"{_prefix()}{max(map(_number, taken), default=0) + 1}+g{tree[:8]}"


def _release() -> str:
    """Return the tag of this onnxop's release; empty if it is none."""
    version = Version(__version__)
    return "" if version.is_prerelease else f"v{version}"


def _prefix() -> str:
    """Return what a number follows in the tags of versions that are no release."""
    # 0.4.0.dev0 comes before v0.4.0, and copier passes over versions that are called dev.
    return f"{_release() or f'v{_before(Version(__version__))}'}.post"


def _number(tag: str) -> int:
    """Return the number of a version that is no release; 0 if this onnxop gave no such name."""
    numbered = re.match(rf"{re.escape(_prefix())}(\d+)", tag)
    return int(numbered[1]) if numbered else 0


def _before(version: Version) -> str:
    """Return a version before this one and after all earlier releases: 0.3.9999 for 0.4.0.dev0."""
    major, minor, micro = version.release[:3]
    if micro:
        return f"{major}.{minor}.{micro - 1}"
    return f"{major}.{minor - 1}.9999" if minor else f"{major - 1}.9999"
