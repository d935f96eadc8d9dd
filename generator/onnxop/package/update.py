"""A package → its next version, for a newer template, a changed spec, or both; hand edits are
merged.

copier renders the package as it was made, from its recorded data by its templates, and as it would
be now, from its specs by this onnxop's; git merges the difference into the user's files.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from onnxop_runtime.messages import join_words

from ..code.data import Data
from ..code.spec_data import data_of
from ..errors import OnnxopError
from ..spec.source import Readings, read_specs
from ..spec.tables import RecordedData
from . import files, journal, made, merge, recorded, worktree
from .files import File, Tree
from .made import BUNDLE_FILE, MadePackage, UpdateError
from .recorded import Answers
from .scratch import temporary_files
from .template import ANSWERS

_LOG = logging.getLogger("onnxop")


@dataclass
class Update:
    """The changes of an update: ``files`` are the new contents by path, None for a file that is
    deleted.

    ``changed_specs`` says of each changed spec, by file, whether it is new, gone or changed.
    ``conflicts`` are the files with conflict markers: as generated, as they are, and as they would
    be. ``uncommitted`` are kernels in ops/ that have changes, which the update leaves alone.
    ``notes`` are further messages to the user.
    """

    package: MadePackage
    version: str
    changed_specs: dict[str, str]
    before: Tree
    files: dict[str, File | None] = field(default_factory=dict)
    conflicts: dict[str, tuple[File | None, ...]] = field(default_factory=dict)
    uncommitted: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def is_new_version(self) -> bool:
        return self.version != self.package.version


def update(folder: Path, *, is_dry: bool = False) -> Update:
    """Update the package to this onnxop's template and to its specs. Raise `OnnxopError`, or
    OSError for a file, if that is impossible; the package is then as it was. What an interrupted
    run did to it is undone before.
    """
    if is_dry:
        with _at_rest(folder) as package:
            return _plan(package)
    with _open(folder) as package:
        planned = _plan(package)
        try:
            with journal.replaced(package.folder, "an update", planned.files):
                worktree.record_conflicts(package.folder, planned.conflicts)
        except BaseException:
            with suppress(OnnxopError):
                worktree.unmark(package.folder, planned.conflicts)
            raise
        return planned


def fetch(folder: Path) -> tuple[str, bool]:
    """Add this onnxop's version to the package's bundle, for copier. Return its tag, and whether
    the bundle changed. A damaged bundle is made anew if this onnxop made the package.
    """
    with (
        _open(folder) as package,
        made.versions(package, is_bundle_mended=True) as template_versions,
    ):
        version = made.next_version(package, template_versions)
        tags = dict.fromkeys([package.version, version])
        bundle = File(template_versions.bundle([*tags]).read_bytes())
        if files.read(package.folder, [BUNDLE_FILE]) == {BUNDLE_FILE: bundle}:
            return version, False
        with journal.replaced(package.folder, "onnxop fetch", {BUNDLE_FILE: bundle}):
            return version, True


def difference(folder: Path) -> str:
    """Return the user's changes to the made files of a package, as ``git diff`` shows them."""
    with _at_rest(folder) as package:
        with made.versions(package) as template_versions:
            before = made.made_of(package, template_versions)
        after, _ = _with_lines_of(before, worktree.files(package.folder, "."))
        kernels = {f"ops/{name}" for name in _supplied(package.data["ops"])}
        beside = {BUNDLE_FILE, ANSWERS, *kernels}
        sides = (_without_specs(side, beside) for side in (before, after))
        return merge.difference(*sides)


@contextmanager
def _open(folder: Path) -> Iterator[MadePackage]:
    """Provide a package to write to, without what an interrupted run did to it."""
    made.check_is_folder(folder)
    with journal.exclusive(folder), temporary_files():
        worktree.recover(folder.absolute())
        yield made.read(folder)


@contextmanager
def _at_rest(folder: Path) -> Iterator[MadePackage]:
    """Provide a package to read. Raise `UpdateError` if an interrupted run has left it half
    written.
    """
    made.check_is_folder(folder)
    if journal.is_interrupted(folder):
        raise UpdateError(
            f"{folder}: a run of onnxop was interrupted while it wrote here; run onnxop update, "
            "which undoes that first"
        )
    with temporary_files():
        yield made.read(folder)


def _without_specs(tree: Tree, left_out: Container[str] = ()) -> dict[str, File]:
    """Return the files but the specs, which are the user's, and those in ``left_out``."""
    kept = {name: file for name, file in tree.items() if name not in left_out}
    return {name: file for name, file in kept.items() if not _is_spec(name)}


def _is_spec(name: str) -> bool:
    return name.startswith("ops/") and name.endswith(".toml")


def _plan(package: MadePackage) -> Update:
    """Return all changes of an update, without writing any."""
    folder = package.folder
    files.check_links(folder, ["ops/*.toml", BUNDLE_FILE])
    with made.versions(package) as template_versions:
        uncommitted = worktree.check_is_clean(folder)
        yours = worktree.files(folder, "ops")
        version = made.next_version(package, template_versions)
        before = _without_specs(made.made_of(package, template_versions))
        files.check_links(folder, before)
        worktree.check_is_tracked(folder, yours, before)
        data = _new_data(package)
        after = _without_specs(recorded.make(template_versions, version, data))
        bundle = File(template_versions.bundle([version]).read_bytes())
    changed = _changed(_hashes(package.data["ops"]), _hashes(data["ops"]))
    planned = Update(package, version, changed, yours, uncommitted=uncommitted)
    _merge(planned, before, after)
    if changed:
        planned.notes += _stale_kernels(package.data, data)
        planned.notes += _changed_parameters(package.data, data)
    written = planned.files.pop(ANSWERS, None)
    if planned.files or planned.is_new_version or changed or _is_by_copier(package):
        planned.files |= {BUNDLE_FILE: bundle} if bundle != yours.get(BUNDLE_FILE) else {}
        planned.files |= {ANSWERS: written} if written else {}
    files.check_places(folder, planned.files)
    _check_is_unchanged(planned)
    return planned


def _is_by_copier(package: MadePackage) -> bool:
    """Return whether copier alone updated the package: its answers and bundle are then to be made
    anew.
    """
    is_as_made = recorded.describes(package.made, package.version, package.data)
    return package.source != BUNDLE_FILE or not is_as_made


def _check_is_unchanged(planned: Update) -> None:
    """Raise `UpdateError` for files that differ from those that the update read, or that git
    ignores.
    """
    folder = planned.package.folder
    present = files.read(folder, planned.files)
    for name, file in planned.files.items():
        if present.get(name) in (file, planned.before.get(name)):
            continue
        if name in planned.before:
            raise UpdateError(
                f"{folder / name}: was changed while the update ran; nothing was written; run this "
                "again"
            )
        raise UpdateError(
            f"{folder / name}: is in the way of a new file, and git does not track it; move it, or "
            "remove it, and run this again"
        )


def _skeletons(ops: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the kernels' files that the templates write."""
    loops = [op["cuda_file"] for op in ops if op.get("cuda_skeleton")]
    return frozenset([*(op["kernel_file"] for op in ops if op["skeleton"]), *loops])


def _supplied(ops: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the kernels' files that came with the specs."""
    kernels = [op["kernel_file"] for op in ops if not op["skeleton"]]
    return [*kernels, *(op.get("cuda_file", "") for op in ops if not op.get("cuda_skeleton"))]


def _hashes(ops: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the hashes of the specs, by file."""
    return {op["file"]: op["spec_hash"] for op in ops}


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return whether each changed spec is new, gone or changed, by file."""
    states = dict.fromkeys(after.keys() - before.keys(), "is new")
    states |= dict.fromkeys(before.keys() - after.keys(), "is gone")
    changed = sorted(file for file in {*before, *after} if before.get(file) != after.get(file))
    return {f"ops/{file}": states.get(file, "has changed") for file in changed}


def _new_data(package: MadePackage) -> Data:
    """Return the data of the current specs in ops/."""
    from ..check.load import check_package  # imports onnx
    from ..spec.package import Purpose

    paths = sorted(package.folder.glob("ops/*.toml"))
    if not paths:
        folder = package.folder / "ops"
        raise UpdateError(f"{folder}: has no spec; write one, or restore one by git")
    earlier = RecordedData(
        _skeletons(package.data["ops"]),
        {op["schema"]: op["registered"] for op in package.data["ops"] if op["requires"]},
    )
    readings = read_specs(paths)
    _tell_of_imports(package, readings, earlier)
    name = _name_unless_specs_give_it(package.data, readings)
    package_spec = check_package(readings, name, Purpose.UPDATE, recorded=earlier)
    return data_of(package_spec)


def _name_unless_specs_give_it(data: Mapping[str, Any], readings: Readings) -> str:
    """Return the name that a package keeps; empty if a spec names it, or if it has the name of its
    only operator, and changes it with that one's.
    """
    old = data["package"]
    explicit_name: str = old["explicit_name"]
    if explicit_name:
        return explicit_name
    documents = [reading.document for _, reading in readings]
    is_named = any(document and document.package.name for document in documents)
    is_named_after_operator = [op["name"] for op in data["ops"]] == [old["name"]]
    if is_named or (is_named_after_operator and len(readings) == 1):
        return ""
    name: str = old["name"]
    return name


def _tell_of_imports(package: MadePackage, readings: Readings, recorded: RecordedData) -> None:
    """Tell of specs whose modules are to be imported now, as their schemas differ from those that
    the package was made of: whoever made it has not trusted these.
    """
    hashes = _hashes(package.data["ops"])
    for path, reading in readings:
        if reading.document is None or recorded.replaces_modules(reading.document.op):
            continue
        if modules := reading.document.op.requires:
            state = "has changed since the package was made" if path.name in hashes else "is new"
            text = "%s %s, and requires %s: what changed may run that code; read it first"
            _LOG.warning(text, path, state, join_words(modules))


def _stale_kernels(before: Answers, after: Data) -> list[str]:
    """Return notes on what the user has to change in kernels by hand, which no template can
    change.
    """
    old = _definitions(before["ops"])
    notes: list[str] = []
    for file, needed in _definitions(after["ops"]).items():
        stale = [line for line in needed if line not in old.get(file, needed)]
        if stale:
            needs = "\n".join(stale)
            notes.append(f"{file} came with the spec, and is yours to change; it needs\n{needs}")
    return notes


def _changed_parameters(before: Answers, after: Data) -> list[str]:
    """Return notes on parameters of kernels by hand: templates change the signature, and the user
    the arithmetic.
    """
    old = _parameters(before["ops"])
    notes: list[str] = []
    for file, names in _parameters(after["ops"]).items():
        if file not in old:
            continue
        notes += [f"{file} got the parameter {n}; use it" for n in names if n not in old[file]]
        gone = [name for name in old[file] if name not in names]
        notes += [f"{file} lost the parameter {name}; compute without it" for name in gone]
    return notes


def _parameters(ops: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the parameters of the kernels by hand, by file."""
    by_hand = [op for op in ops if op["kernel_file"]]
    return {f"ops/{op['kernel_file']}": [p["name"] for p in op["parameters"]] for op in by_hand}


def _definitions(ops: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return what the kernels that came with their specs must define, by file."""
    supplied = [op for op in ops if op["kernel_file"] and not op["skeleton"]]
    return {f"ops/{op['kernel_file']}": op["cpp"]["definitions"] for op in supplied}


def _merge(planned: Update, before: Tree, after: Tree) -> None:
    """Merge the changes from ``before`` to ``after`` into the user's files."""
    yours, with_crlf = _with_lines_of(before, _without_specs(planned.before))
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
                f"{_remedy_for_left(name)}"
            )
        else:
            planned.conflicts |= {
                path: (before.get(path), yours.get(path), after.get(path))
                for path in conflict.paths
                if path in result
            }
            if conflict.kind != "contents":
                planned.notes.append(f"{name}: {conflict.message}")
    for name in sorted(yours.keys() | result.keys()):
        file = result.get(name)
        if file is not None and name in with_crlf:
            file = replace(file, data=file.data.replace(b"\n", b"\r\n"))
        if file != planned.before.get(name):
            planned.files[name] = file


def _with_lines_of(before: Tree, yours: Tree) -> tuple[dict[str, File], set[str]]:
    """Return the user's files with the line ends of the generated ones, and the names of those that
    differed: git may check files out with CRLF.
    """
    tree, with_crlf = dict(yours), set()
    for name, file in yours.items():
        has_crlf = b"\r\n" in file.data and file.data.count(b"\n") == file.data.count(b"\r\n")
        if has_crlf and name in before and b"\r" not in before[name].data:
            tree[name] = replace(file, data=file.data.replace(b"\r\n", b"\n"))
            with_crlf.add(name)
    return tree, with_crlf


def _remedy_for_left(name: str) -> str:
    """Return what to do with a file that stays though nothing makes it any more."""
    if name.startswith(("src/", "tests/")):
        return "its op is gone, so pytest and mypy fail until you run git rm"
    return "run git rm if you do not need it"
