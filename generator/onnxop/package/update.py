"""A package → its next version, for a newer template, a changed spec, or both; hand edits are merged.

copier renders the package as it was generated and as it would be now, each by its version's own
code; git merges the difference into the user's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..code.cpp import definitions
from ..errors import OnnxopError
from ..kernel.kinds import Source
from ..schema.facts import Facts, asking
from ..spec.kernel_table import was_given
from ..spec.package import parse_package
from . import files, made, merge, worktree
from .files import File, Tree
from .made import BUNDLE_FILE, Package, UpdateError
from .render import answers_of
from .template import ANSWERS


@dataclass
class Update:
    """The changes of an update: ``files`` are the new contents by path, None for a file that is deleted.

    ``changed_specs`` says of each changed spec, by file, whether it is new, gone or changed.
    ``conflicts`` are the files with conflict markers: as generated, as they are, and as they would be.
    ``notes`` are further messages to the user.
    """

    package: Package
    version: str
    changed_specs: dict[str, str]
    before: Tree
    files: dict[str, File | None] = field(default_factory=dict)
    conflicts: dict[str, tuple[File | None, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def is_new_version(self) -> bool:
        return self.version != self.package.version


def update(folder: Path, *, is_dry: bool = False, is_trusted: bool = False) -> Update:
    """Update the package to this onnxop's template and to its specs. Raise `OnnxopError`, or
    OSError for a file, if that is impossible; the package is then as it was.

    ``is_trusted``: the version that made the package may run, whoever wrote it.
    """
    package = made.read(folder)
    planned = _plan(package, is_trusted=is_trusted)
    if not is_dry:
        mark = partial(worktree.mark, package.folder, planned.conflicts)
        files.replace(package.folder, planned.files, mark)
    return planned


def fetch(folder: Path) -> str:
    """Add this onnxop's version to the package's bundle, for copier; return its tag."""
    package = made.read(folder)
    with made.versions(package) as known:
        version = made.next_version(package, known)
        files.replace(package.folder, {BUNDLE_FILE: File(known.bundle().read_bytes())})
        return version


def difference(folder: Path, *, is_trusted: bool = False) -> str:
    """Return the user's changes to the package since it was generated, as ``git diff`` shows them.

    ``is_trusted``: the version that made the package may run, whoever wrote it.
    """
    package = made.read(folder)
    with made.versions(package) as known:
        before = made.made_of(package, known, is_trusted=is_trusted)
    after, _ = _with_lines_of(before, worktree.files(package.folder, "."))
    supplied = {n for n in after if package.answers["facts"].get(was_given(Path(n).name))}
    beside = {BUNDLE_FILE, ANSWERS, *(supplied - before.keys())}
    sides = ({n: f for n, f in side.items() if n not in beside} for side in (before, after))
    return merge.difference(*sides)


def _plan(package: Package, *, is_trusted: bool) -> Update:
    """Return all changes of an update, without writing any."""
    folder = package.folder
    with made.versions(package) as known:
        worktree.check_is_clean(folder)
        yours = worktree.files(folder, "ops")
        version = made.next_version(package, known)
        before = made.made_of(package, known, is_trusted=is_trusted)
        worktree.check_is_tracked(folder, yours, before)
        answers = _new_answers(package, before)
        after = made.rendered(known, version, answers)
        bundle = File(known.bundle().read_bytes())
    changed = _changed(package.answers["specs"], answers["specs"])
    planned = Update(package, version, changed, yours)
    _merge(planned, before, after)
    if changed:
        planned.notes += _stale_kernels(package.answers, answers)
    # Write the answers last: after an update that is killed, the next one does all the work again.
    written = planned.files.pop(ANSWERS, None)
    if planned.files or planned.is_new_version or changed:  # otherwise the package stays the same
        planned.files |= {BUNDLE_FILE: bundle} if bundle != yours.get(BUNDLE_FILE) else {}
        planned.files |= {ANSWERS: written} if written else {}
    files.check_places(folder, planned.files)
    present = files.read(folder, planned.files)
    if other := [name for name in planned.files if present.get(name) != yours.get(name)]:
        raise UpdateError(
            f"{folder / other[0]}: is in the way of a new file, or was changed while the update ran; "
            "move it, or commit it, and run this again"
        )
    return planned


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return whether each changed spec is new, gone or changed, by file."""
    states = dict.fromkeys(after.keys() - before.keys(), "is new")
    states |= dict.fromkeys(before.keys() - after.keys(), "is gone")
    changed = sorted(file for file in {*before, *after} if before.get(file) != after.get(file))
    return {f"ops/{file}": states.get(file, "has changed") for file in changed}


def _new_answers(package: Package, before: Tree) -> dict[str, Any]:
    """Return the current specs in ops/, with PyTorch's and ONNX's facts for them."""
    from ..check.load import load_package  # imports onnx

    paths = sorted(package.folder.glob("ops/*.toml"))
    if not paths:
        folder = package.folder / "ops"
        raise UpdateError(f"{folder}: has no spec; write one, or restore one by git")
    known = package.answers["facts"]
    with asking(Facts(known, is_fresh=True)) as facts:
        name = package.answers["name"]
        if not name and len(paths) > 1:  # it was named after its single operator
            name = parse_package(package.answers["specs"]).package.name
        spec = load_package(paths, name, is_new=False, is_update=True)
    for name in spec.given_files:
        question = was_given(Path(name).name)
        if question not in known and name in before:  # the template made the file
            facts.answers[question] = False
    return answers_of(spec, facts.answers)


def _stale_kernels(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return notes on what the user has to change in kernels by hand, which no template can change."""
    try:
        old = _definitions(before)
    except OnnxopError:  # only an earlier version of the template accepts it
        old = {}
    notes: list[str] = []
    for file, needed in _definitions(after).items():
        if file in old and (stale := [line for line in needed if line not in old[file]]):
            needs = "\n".join(stale)
            notes.append(f"{file} came with the spec, and is yours to change; it needs\n{needs}")
    return notes


def _definitions(answers: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return what the kernels by hand must define, by file."""
    with asking(Facts(answers["facts"], is_fresh=False)):
        return {
            f"ops/{spec.kernel.file}": definitions(spec)
            for spec in parse_package(answers["specs"], answers["name"]).ops
            if isinstance(spec.kernel, Source) and spec.kernel.is_given
        }


def _merge(planned: Update, before: Tree, after: Tree) -> None:
    """Merge the changes from ``before`` to ``after`` into the user's files."""
    yours, dos = _with_lines_of(before, planned.before)
    yours[ANSWERS] = before[ANSWERS]  # edits do not count
    result, conflicts = merge.merge(before, yours, after)
    for conflict in conflicts:
        name = conflict.paths[0]
        if conflict.kind == "modify/delete" and not conflict.in_yours:
            result.pop(name, None)
            planned.notes.append(
                f"{name}, which you deleted, has changes in this update; it stays deleted"
            )
        elif conflict.kind == "modify/delete":
            planned.notes.append(
                f"{name} is no longer part of the template; yours stays, because you changed it; "
                "run git rm if you do not need it"
            )
        else:
            planned.conflicts |= {
                path: (before.get(path), yours.get(path), after.get(path))
                for path in conflict.paths
                if path in result
            }
            if conflict.kind != "contents":
                planned.notes.append(f"{name}: {conflict.message}")
    for name in sorted(planned.before.keys() | result.keys()):
        file = result.get(name)
        if file is not None and name in dos:
            file = replace(file, data=file.data.replace(b"\n", b"\r\n"))
        if file != planned.before.get(name):
            planned.files[name] = file


def _with_lines_of(before: Tree, yours: Tree) -> tuple[dict[str, File], set[str]]:
    """Return the user's files with the line ends of the generated ones, and the names of those that
    differed: git may check files out with CRLF.
    """
    tree, dos = dict(yours), set()
    for name, file in yours.items():
        is_dos = b"\r\n" in file.data and file.data.count(b"\n") == file.data.count(b"\r\n")
        if is_dos and name in before and b"\r" not in before[name].data:
            tree[name] = replace(file, data=file.data.replace(b"\r\n", b"\n"))
            dos.add(name)
    return tree, dos
