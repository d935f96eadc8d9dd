"""Three trees of files → one, by git, which merges the changes of both sides and follows
renames.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import git
from .files import File, Tree, read_all

_SETTINGS = ("directoryRenames=true", "renameLimit=0", "conflictStyle=merge")


@dataclass(frozen=True)
class Conflict:
    """A file that both sides changed: the first of ``paths``. ``kind`` and ``message`` are
    git's.
    """

    paths: tuple[str, ...]
    kind: str
    message: str
    in_yours: bool


def merge(base: Tree, yours: Tree, updated: Tree) -> tuple[dict[str, File], list[Conflict]]:
    """Return ``base`` with the changes of ``yours`` and of ``updated``, and the conflicts."""
    with _repository() as repository:
        root = _commit(repository, base)
        for name, tree in (("yours", yours), ("updated", updated)):  # names in the markers
            commit = _commit(repository, tree, "-p", root)
            git.run(repository, "update-ref", f"refs/heads/{name}", commit)
        options = [part for setting in _SETTINGS for part in ("-c", f"merge.{setting}")]
        arguments = (*options, "merge-tree", "--write-tree", "-z", "yours", "updated")
        answer = git.run(repository, *arguments, max_status=1)
        merged, conflicts = _read_answer(answer.decode(errors="surrogateescape"))
        with tempfile.TemporaryDirectory(prefix="onnxop-merged-") as folder:
            git.run(repository, "read-tree", merged)
            git.run(repository, "--git-dir=.", f"--work-tree={folder}", "checkout-index", "--all")
            return read_all(Path(folder)), conflicts


def difference(before: Tree, after: Tree) -> str:
    """Return the changes from one tree to another, as ``git diff`` shows them."""
    with _repository() as repository:
        trees = [git.import_tree(repository, files) for files in (before, after)]
        return git.run(repository, "diff", "-M", *trees).decode(errors="replace")


@contextmanager
def _repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="onnxop-merge-") as name:
        git.run(Path(name), "init", "-q", "--bare", "--template=", ".")
        info = Path(name, "info")
        info.mkdir(exist_ok=True)
        # The package's own attributes must not change what git reads, or how it merges.
        (info / "attributes").write_text("* -text -filter -ident !merge\n", encoding="utf-8")
        yield Path(name)


def _commit(repository: Path, files: Tree, *options: str) -> str:
    tree = git.import_tree(repository, files)
    return git.run(repository, "commit-tree", tree, "-m", "merged", *options).decode().strip()


def _read_answer(answer: str) -> tuple[str, list[Conflict]]:
    """Parse git's output: the tree, the conflicted files, and after an empty field the messages."""
    tree, *fields = answer.split("\0")
    in_yours: set[str] = set()
    while fields:
        entry = fields.pop(0)
        if not entry:
            break
        stage, _, path = entry.partition("\t")
        if stage.endswith(" 2"):  # the stage of our side
            in_yours.add(path)
    conflicts: list[Conflict] = []
    while len(fields) > 2:
        count = int(fields[0])
        paths, kind, message = fields[1 : count + 1], fields[count + 1], fields[count + 2]
        fields = fields[count + 3 :]
        if kind.startswith("CONFLICT"):
            kind = kind.removeprefix("CONFLICT (").removesuffix(")")
            conflicts.append(Conflict(tuple(paths), kind, message.strip(), paths[0] in in_yours))
    return tree, conflicts
