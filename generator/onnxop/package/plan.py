"""What an update changes: all of it, before a file is touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..check.load import load_package
from ..code.cpp import definitions
from ..errors import OnnxopError
from ..kernel.kinds import Source
from ..spec.kernel_table import was_given
from ..spec.package import parse_package
from ..words.facts import Facts, asking
from . import git, merge, worktree
from .journal import free_name
from .made import (
    BUNDLE_FILE,
    SPECS,
    Package,
    UpdateError,
    check_may_run,
    made_of,
    next_version,
    read,
    rendered,
    saved,
    versions,
)
from .merge import Conflict, File, Tree
from .render import answers_of, in_the_way
from .template import ANSWERS


@dataclass
class Update:
    """What an update changes: ``files`` are the new contents by path, None for one that goes.

    ``changed_specs`` says what became of a spec, by its file; ``conflicts`` are marked in the files;
    ``notes`` are what else the user has to know.
    """

    package: Package
    version: str
    changed_specs: dict[str, str]
    before: Tree
    files: dict[str, File | None] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sides: dict[str, tuple[File | None, File | None, File | None]] = field(default_factory=dict)
    """Of each conflict, the file as it was generated, as it is, and as it would be."""

    @property
    def is_new_version(self) -> bool:
        return self.version != self.package.version


def plan(folder: Path, *, is_trusted: bool) -> Update:
    """What an update of the package would change. Raises `OnnxopError` where it cannot be updated."""
    package = read(folder)
    with ExitStack() as stack:
        known = stack.enter_context(versions(package))
        worktree.check_is_clean(folder)  # of what is whole: nobody is to commit a broken bundle
        yours = worktree.files(folder)
        worktree.check_is_mended(folder, yours)
        version = next_version(package, known)
        check_may_run(package, known, is_trusted=is_trusted)
        bundle = stack.enter_context(saved(known))
        made = made_of(package, known, bundle)
        worktree.check_links(folder, made)
        answers = _new_answers(package, made)
        wanted = rendered(known, bundle, version, answers)
        bundled = File(bundle.read_bytes())
    worktree.check_is_tracked(folder, yours, made)
    changed = _changed(package.answers["specs"], answers["specs"])
    planned = Update(package, version, changed, yours)
    _merge(planned, made, wanted)
    if changed:
        planned.notes += _stale_kernels(package.answers, answers)
    if bundled != yours.get(BUNDLE_FILE):
        planned.files[BUNDLE_FILE] = bundled
    if set(planned.files) <= {BUNDLE_FILE, ANSWERS} and not planned.is_new_version and not changed:
        planned.files.clear()  # what PyTorch and ONNX say now makes the same package
    _check_places(planned)
    return planned


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """What became of the specs, by their files."""
    return {
        f"{SPECS}/{file}": "is new"
        if file not in before
        else "is gone"
        if file not in after
        else "has changed"
        for file in sorted({*before, *after})
        if before.get(file) != after.get(file)
    }


def _new_answers(package: Package, made: Tree) -> dict[str, Any]:
    """The specs as ops/ has them now, and what PyTorch and ONNX say of them."""
    paths = sorted(package.folder.glob(f"{SPECS}/*.toml"))
    if not paths:
        raise UpdateError(
            f"{package.folder / SPECS}: holds no spec; {git.restoring(package.folder, SPECS)}"
        )
    known = package.answers["facts"]
    with asking(Facts(known, is_fresh=True)) as facts:
        name = package.answers["name"]
        if not name and len(paths) > 1:  # it was called after its one operator
            name = parse_package(package.answers["specs"]).package.name
        spec = load_package(paths, name, is_new=False, is_update=True)
    for name in spec.given_files:
        question = was_given(Path(name).name)
        if question not in known and name in made:  # it lies there because the template made it
            facts.answers[question] = False
    return answers_of(spec, facts.answers)


def _stale_kernels(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What to change in kernels that came with their specs, which no template can change; and which
    keep their names, though the specs have others.
    """
    new = _kernels(after)
    try:
        old = _kernels(before)
    except OnnxopError:  # an earlier version of the template took it
        old = {file: (spec, ()) for file, (spec, _) in new.items()}
    notes: list[str] = []
    for file in sorted(new.keys() & old.keys()):  # one that is new was written for what is new
        (spec, needs), (spec_before, needs_before) = new[file], old[file]
        if spec != spec_before:
            notes.append(
                f"{file} is the kernel of {spec} now, which calls it so; to rename it, change source "
                "there, and git mv it"
            )
        stale = [definition for definition in needs if definition not in needs_before]
        if stale:
            needed = "\n".join(stale)
            notes.append(f"{file} came with the spec, and is yours to change; it needs\n{needed}")
    return notes


def _kernels(answers: Mapping[str, Any]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The kernels written by hand, by their files: their specs' files and, where they came with
    these, what they must define.
    """
    with asking(Facts(answers["facts"], is_fresh=False)):
        ops = parse_package(answers["specs"], answers["name"]).ops
        return {
            f"ops/{spec.kernel.file}": (
                f"{SPECS}/{spec.file}",
                definitions(spec) if spec.kernel.is_given else (),
            )
            for spec in ops
            if isinstance(spec.kernel, Source)
        }


def _merge(planned: Update, made: Tree, wanted: Tree) -> None:
    """Merges what changed from ``made`` to ``wanted`` into the user's files."""
    yours, ends = with_lines_of(made, planned.before)
    yours[ANSWERS] = made[ANSWERS]  # nobody's to edit
    done = merge.merge(made, yours, wanted)
    result = done.tree
    for conflict in done.conflicts:
        _settle(planned, result, yours, conflict)
    for name in planned.conflicts:
        planned.sides[name] = (made.get(name), yours.get(name), wanted.get(name))
    for old, new in done.renamed_by_you.items():
        if made.get(old) != wanted.get(old) and old not in planned.changed_specs:
            planned.notes.append(f"{old}, which you renamed to {new}: its update is in {new}")
    for old, new in done.renamed_by_update.items():
        if old in yours and yours[old] != made[old]:
            planned.notes.append(f"{old} is called {new} now; what you changed in it is there")
    planned.notes += _moved(yours.keys() - made.keys() - wanted.keys(), yours, result)
    gone = [
        name
        for name in sorted(made.keys() - wanted.keys() - done.renamed_by_update.keys())
        if name in yours and yours[name] == made[name]
    ]
    planned.notes += [
        f"{name} is no part of the template any more, and goes"
        for name in gone
        if not _is_runtime(name)
    ]
    if count := sum(map(_is_runtime, gone)):
        planned.notes.append(
            f"{count} files in csrc/onnxop, tests/onnxop and _onnxop go: onnxop-runtime has them now; run "
            "pip install onnxop-runtime"
        )
    ends |= {done.renamed_by_update.get(name, name) for name in ends}
    for name in sorted(planned.before.keys() | result.keys()):
        file = result.get(name)
        if file is not None and name in ends:
            file = replace(file, data=file.data.replace(b"\n", b"\r\n"))
        if file != planned.before.get(name):
            planned.files[name] = file


def _is_runtime(name: str) -> bool:
    """Whether a file is what packages of onnxop 0.3 carried in place of the runtime."""
    return bool(re.match(r"(csrc|tests)/onnxop/|src/[^/]+/(_onnxop/|_kernels\.py$)", name))


def _moved(own: Iterable[str], yours: Tree, result: Tree) -> Iterator[str]:
    """Tells of the user's own files that move with the folder that they lie in."""
    new = result.keys() - yours.keys()
    for name in sorted(own):
        place = next((n for n in sorted(new) if Path(n).name == Path(name).name), None)
        if place is not None and name not in result:
            yield f"{name}, a file of yours, moves to {place}, as the folder that it lies in does"


def with_lines_of(made: Tree, yours: Tree) -> tuple[dict[str, File], set[str]]:
    """The user's files with lines that end as they were made, and the names of those that did not:
    git may end all lines with CRLF where it checks them out.
    """
    found, ends = dict(yours), set()
    for name, file in yours.items():
        is_dos = b"\r\n" in file.data and file.data.count(b"\n") == file.data.count(b"\r\n")
        if is_dos and name in made and b"\r" not in made[name].data:
            found[name] = replace(file, data=file.data.replace(b"\r\n", b"\n"))
            ends.add(name)
    return found, ends


def _settle(planned: Update, result: dict[str, File], yours: Tree, conflict: Conflict) -> None:
    """What becomes of a file that git cannot merge: nothing of the user's goes."""
    name = conflict.paths[0]
    if conflict.kind == "modify/delete" and not conflict.in_yours:
        result.pop(name, None)
        planned.notes.append(
            f"{name}, which you deleted, has changes in this update; it stays away"
        )
    elif conflict.kind == "modify/delete":
        fate = ", and nothing reads it: onnxop-runtime has it now" if _is_runtime(name) else ""
        planned.notes.append(
            f"{name} is no part of the template any more; yours stays, as you changed it{fate}; "
            "remove it with git rm where you do not need it"
        )
    else:
        places = [path for path in dict.fromkeys(conflict.paths) if path in result]
        planned.conflicts += [path for path in places if path not in planned.conflicts]
        if not all(_has_markers(result[path], yours.get(path)) for path in places or [name]):
            planned.notes.append(f"{name}: {conflict.message}")


def _has_markers(file: File, before: File | None) -> bool:
    mark = re.compile(rb"^<{7} " + merge.YOURS.encode(), re.MULTILINE)
    count = len(mark.findall(before.data)) if before is not None else 0
    return len(mark.findall(file.data)) > count


def _check_places(planned: Update) -> None:
    """Makes room for each new file: one that git ignores is kept under another name."""
    folder = planned.package.folder
    for name, file in list(planned.files.items()):
        target = folder / name
        for parent in Path(name).parents:
            if parent != Path() and (why := in_the_way(folder / parent, is_folder=True)):
                raise UpdateError(why)
        if file is None or name in planned.before:
            continue
        if target.is_dir() and not target.is_symlink():
            raise UpdateError(f"{target}: is in the way and is a directory; move it")
        if target.is_symlink() or target.exists():
            present = merge.read(folder, [name]).get(name)
            if present == file:
                continue
            backup = free_name(target)
            if present is not None:
                planned.files[str(backup.relative_to(folder))] = present
            planned.notes.append(
                f"{name}, which git ignores, is now a file of the template; what was there is kept "
                f"as {backup.name}"
            )
