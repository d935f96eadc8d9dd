"""Three trees of files → one, by git: what both sides changed is merged, renames are followed."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import git

YOURS, UPDATED = "yours", "updated"
"""The names of the two sides in the markers of a conflict."""

_LINK = "120000"


@dataclass(frozen=True)
class File:
    """A file's contents; of a link, what it points to."""

    data: bytes
    mode: str = "100644"

    @property
    def is_link(self) -> bool:
        return self.mode == _LINK


Tree = Mapping[str, File]
"""Files by their paths, with / between the parts."""


@dataclass(frozen=True)
class Conflict:
    """A file that both sides changed; ``kind`` and ``message`` are git's words.

    ``paths`` are the file's, and others that it has to do with.
    """

    paths: tuple[str, ...]
    kind: str
    message: str
    in_yours: bool


@dataclass(frozen=True)
class Merged:
    """What came of a merge. ``renames`` are the files that one side renamed, old to new names."""

    tree: dict[str, File]
    conflicts: tuple[Conflict, ...]
    renamed_by_you: dict[str, str]
    renamed_by_update: dict[str, str]


def read(folder: Path, names: Iterator[str] | list[str]) -> dict[str, File]:
    """The files of those names in a folder; those that are not there are left out."""
    found: dict[str, File] = {}
    for name in names:
        path = folder / name
        if path.is_symlink():
            found[name] = File(bytes(path.readlink()), _LINK)
        elif path.is_file():
            is_executable = path.stat().st_mode & stat.S_IXUSR
            found[name] = File(path.read_bytes(), "100755" if is_executable else "100644")
    return found


def read_all(folder: Path) -> dict[str, File]:
    """Every file below a folder."""
    return read(folder, sorted(str(f.relative_to(folder)) for f in folder.rglob("*")))


def merge(base: Tree, yours: Tree, updated: Tree) -> Merged:
    """The changes from ``base`` to ``yours`` and those from ``base`` to ``updated``, together."""
    with _repository() as repository:
        trees = [_tree(repository, files) for files in (base, yours, updated)]
        root = _commit(repository, trees[0])
        for name, tree in ((YOURS, trees[1]), (UPDATED, trees[2])):
            commit = _commit(repository, tree, root)
            git.run(repository, "update-ref", f"refs/heads/{name}", commit)
        settings = (
            "merge.directoryRenames=true",
            "merge.renameLimit=0",
            "merge.conflictStyle=merge",
        )
        options = [word for setting in settings for word in ("-c", setting)]
        answer = git.run(
            repository, *options, "merge-tree", "--write-tree", "-z", YOURS, UPDATED, allowed=(0, 1)
        )
        tree, conflicts = _read_answer(answer)
        return Merged(
            _files(repository, tree),
            conflicts,
            _renames(repository, trees[0], trees[1]),
            _renames(repository, trees[0], trees[2]),
        )


def difference(before: Tree, after: Tree, *, is_colored: bool, is_summary: bool) -> str:
    """The changes from one tree to another, as ``git diff`` shows them."""
    with _repository() as repository:
        trees = [_tree(repository, files) for files in (before, after)]
        options = ["--color=always" if is_colored else "--color=never", "-M"]
        options += ["--stat=100"] if is_summary else []
        found = git.run(repository, "diff", *options, *trees)
    return found.decode(errors="replace")


@contextmanager
def _repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="onnxop-merge-") as name:
        git.run(Path(name), "init", "-q", "--bare", "--template=", ".")
        info = Path(name, "info")
        info.mkdir(exist_ok=True)
        # A package's own attributes must not change what is read, nor say how it is merged.
        (info / "attributes").write_text("* -text -filter -ident !merge\n", encoding="utf-8")
        yield Path(name)


def _tree(repository: Path, files: Tree) -> str:
    return git.import_tree(repository, ((f.mode, name, f.data) for name, f in files.items()))


def _commit(repository: Path, tree: str, *parents: str) -> str:
    options = [word for parent in parents for word in ("-p", parent)]
    return git.run(repository, "commit-tree", tree, "-m", "merged", *options).decode().strip()


def _read_answer(answer: bytes) -> tuple[str, tuple[Conflict, ...]]:
    """git's answer: the tree, the conflicted files, and after an empty field the messages."""
    fields = answer.decode(errors="surrogateescape").split("\0")
    tree = fields.pop(0)
    stages: dict[str, set[str]] = {}
    while fields and fields[0]:
        entry, _, path = fields.pop(0).partition("\t")
        stages.setdefault(path, set()).add(entry.split(" ")[2])
    conflicts: list[Conflict] = []
    fields = fields[1:]
    while len(fields) > 2:
        count = int(fields[0])
        paths, kind, message = fields[1 : count + 1], fields[count + 1], fields[count + 2]
        fields = fields[count + 3 :]
        if kind.startswith("CONFLICT"):
            found = stages.get(paths[0], set())
            kind = kind.removeprefix("CONFLICT (").removesuffix(")")
            conflicts.append(Conflict(tuple(paths), kind, message.strip(), "2" in found))
    return tree, tuple(conflicts)


def _files(repository: Path, tree: str) -> dict[str, File]:
    listed = git.run(repository, "ls-tree", "-r", "-z", tree).decode(errors="surrogateescape")
    entries: list[tuple[str, str, str]] = []
    for line in listed.split("\0"):
        if line:
            words, _, path = line.partition("\t")
            mode, _, blob = words.split(" ")
            entries.append((mode, blob, path))
    asked = "".join(f"{blob}\n" for _, blob, _ in entries).encode()
    answer = git.run(repository, "cat-file", "--batch", input=asked)
    found: dict[str, File] = {}
    place = 0
    for mode, _, path in entries:
        end = answer.index(b"\n", place)
        size = int(answer[place:end].split(b" ")[2])
        found[path] = File(answer[end + 1 : end + 1 + size], mode)
        place = end + 1 + size + 1
    return found


def _renames(repository: Path, before: str, after: str) -> dict[str, str]:
    options = ("-r", "-M", "-z", "--diff-filter=R", "--name-status")
    answer = git.run(repository, "diff-tree", *options, before, after)
    fields = answer.decode(errors="surrogateescape").split("\0")
    return dict(zip(fields[1::3], fields[2::3], strict=False))
