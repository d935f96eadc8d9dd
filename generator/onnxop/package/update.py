"""A package → its next version: a newer template, a changed spec, or both; hand edits are merged.

copier renders the package as it was generated and as it would be now, each by its version's own
logic; git merges the two with what the user made of it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from .. import __version__
from ..code.cpp import definitions
from ..errors import OnnxopError
from ..kernel.kernels import was_given
from ..spec.package import load_package, parse_package
from ..words.facts import Facts, asking
from . import git, merge, template
from .journal import Journal, Restored, free_name, journal
from .merge import Conflict, File, Tree
from .render import answers_of, copy, in_the_way
from .template import BUNDLE, Versions, version_of

ANSWERS = ".copier-answers.yml"
SPECS = "ops"
_BUNDLE = BUNDLE.as_posix()
_RESTORE = "onnxop update --restore"


class UpdateError(OnnxopError):
    """The package cannot be updated as it is; nothing was touched."""


@dataclass(frozen=True)
class Package:
    """A generated package in a git repository.

    ``version`` is the tag of the template that made it, from ``answers``, which are its spec and
    the facts.
    """

    folder: Path
    version: str
    answers: dict[str, Any]


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


def update(folder: Path, *, is_dry: bool = False, is_trusted: bool = False) -> Update:
    """Updates the package to this onnxop's template and to its specs.

    ``is_trusted``: the version that made the package may run, whoever wrote it.

    Raises:
        OnnxopError: the package cannot be updated, or a file cannot be written; it is as it was.
    """
    with _told():
        folder, journals = _place(folder)
        if is_dry:
            _check_is_whole(Journal(journals, folder))
            return _plan(folder, is_trusted=is_trusted)
        with journal(journals, folder) as kept:
            _check_is_whole(kept)
            planned = _plan(folder, is_trusted=is_trusted)
            mark = partial(_mark_conflicts, planned)
            kept.replace(planned.files, planned.before, mark, planned.conflicts)
            return planned


def restore(folder: Path) -> Restored:
    """Puts back what an interrupted update left."""
    with _told():
        folder, journals = _place(folder)
        with journal(journals, folder) as kept:
            return kept.restore(partial(_unmark, folder))


def fetch(folder: Path) -> str:
    """Adds this onnxop's version to the package's bundle, for copier to find. Returns its tag."""
    with _told():
        folder, journals = _place(folder)
        with journal(journals, folder) as kept:
            _check_is_whole(kept)
            package = _read(folder)
            with _versions(package) as known:
                version = _next(package, known)
                with _saved(known) as bundle:
                    kept.replace({_BUNDLE: File(bundle.read_bytes())})
            return version


def difference(
    folder: Path,
    *,
    is_colored: bool = False,
    is_summary: bool = False,
    is_trusted: bool = False,
) -> str:
    """What the user changed by hand in the package, as ``git diff`` shows it.

    ``is_trusted``: the version that made the package may run, whoever wrote it.
    """
    with _told():
        folder, journals = _place(folder)
        _check_is_whole(Journal(journals, folder))
        package = _read(folder)
        with _versions(package) as known, _saved(known) as bundle:
            _check_may_run(package, known, is_trusted=is_trusted)
            made = _made(package, bundle)
        yours, _ = _with_lines_of(made, _yours(folder, untracked=True))
        given = {name for name in yours if name not in made and _came_with_spec(package, name)}
        beside = {_BUNDLE, ANSWERS, *given}
        sides = ({n: f for n, f in side.items() if n not in beside} for side in (made, yours))
        return merge.difference(*sides, is_colored=is_colored, is_summary=is_summary)


def rendered(bundle: Path, version: str, answers: Mapping[str, Any]) -> Tree:
    """The files that a version of the template makes."""
    with tempfile.TemporaryDirectory(prefix="onnxop-rendered-") as name:
        folder = Path(name, "package")
        copy(bundle, version, answers, folder)
        return merge.read_all(folder)


@contextmanager
def _told() -> Iterator[None]:
    """A file that cannot be read is an `UpdateError`, too."""
    try:
        yield
    except OSError as error:
        fact = error.strerror or str(error)
        raise UpdateError(
            f"{error.filename or 'a file'}: cannot be read or written: {fact}"
        ) from error


def _made(package: Package, bundle: Path) -> Tree:
    """The package as it was generated."""
    try:
        made = rendered(bundle, package.version, package.answers)
    except Exception as error:  # noqa: BLE001 - the code of another version, which may raise any
        raise UpdateError(
            f"{package.folder / ANSWERS}: holds no answers that made this package; restore it: git "
            f"checkout -- {ANSWERS}\n{error}"
        ) from None
    if ANSWERS not in made:
        raise UpdateError(
            f"{package.folder / BUNDLE}: its version {package.version} is no template of onnxop's; "
            f"restore it: git checkout -- {_BUNDLE}"
        )
    return made


def _came_with_spec(package: Package, name: str) -> bool:
    return bool(package.answers["facts"].get(was_given(Path(name).name)))


def _place(folder: Path) -> tuple[Path, Path]:
    """The package's own path, and where its journal lies: inside git's folder, out of sight."""
    git.check_version()
    if not folder.is_dir():
        raise UpdateError(f"{folder}: is no directory; give the folder of a generated package")
    folder = folder.resolve()
    if not (folder / ANSWERS).is_file() and not [*folder.glob(f"{SPECS}/*.toml")]:
        raise UpdateError(
            f"{folder}: is no package that onnxop made: it has neither {ANSWERS} nor specs in "
            f"{SPECS}/; give the folder of one"
        )
    try:
        words = git.ask_yours(folder, "rev-parse", "--absolute-git-dir", "--show-prefix").decode()
    except git.GitError as error:
        if "not a git repository" not in str(error):
            raise
        raise UpdateError(
            f"{folder}: is in no git repository, so that nothing could be undone; run git init && "
            "git add -A && git commit there"
        ) from None
    directory, prefix = words.split("\n")[:2]
    return folder, Path(directory, "onnxop", sha256(prefix.encode()).hexdigest()[:16])


def _check_is_whole(kept: Journal) -> None:
    if kept.is_open:
        raise UpdateError(
            f"an update was interrupted, and files may be half old and half new; run {_RESTORE}, "
            "which puts them back as they were"
        )


# Where a spec ended in a blank line, 0.1.0 and 0.2.0 ended the YAML before the facts.
_END = re.compile(r"^\.\.\.\n", re.MULTILINE)


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, of which a small text can make what no memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("holds an alias")
        return super().compose_node(parent, index)


def _read(folder: Path) -> Package:
    """What the package keeps of its making."""
    path = folder / ANSWERS
    remedy = f"restore it: git checkout -- {ANSWERS}"
    try:
        text = _END.sub("", path.read_text(encoding="utf-8"))
        answers = yaml.load(text, _PlainLoader)
        json.dumps(answers, allow_nan=False)
    except FileNotFoundError:
        raise UpdateError(
            f"{path}: is missing, and with it what the package was made from; {remedy}, or make "
            f"the package anew: onnxop-new {SPECS} . --force"
        ) from None
    except (OSError, ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
        fact = " ".join(str(error).split())
        raise UpdateError(f"{path}: cannot be read: {fact}; {remedy}") from None
    kinds = {"_commit": str, "_src_path": str, "specs": dict, "name": str, "facts": dict}
    if not isinstance(answers, dict):
        raise UpdateError(f"{path}: holds no answers; {remedy}")
    source = answers.get("_src_path")
    if isinstance(source, str) and source != _BUNDLE:
        raise UpdateError(
            f"{path}: the package was made from another template, {source}; update it with that "
            f"one, or, if the line was changed by hand, {remedy}"
        )
    for name, kind in kinds.items():
        if not isinstance(answers.get(name), kind):
            what = "text" if kind is str else "table"
            raise UpdateError(f"{path}: {name} is missing or is no {what}; {remedy}")
    if not all(isinstance(word, str) for pair in answers["specs"].items() for word in pair):
        raise UpdateError(f"{path}: specs holds what is no text; {remedy}")
    kept = {name: answers[name] for name in ("specs", "name", "facts")}
    return Package(folder, answers["_commit"], kept)


@contextmanager
def _versions(package: Package) -> Iterator[Versions]:
    """The versions that the package carries, the one it was made from among them."""
    bundle = package.folder / BUNDLE
    if not bundle.is_file():
        raise UpdateError(
            f"{bundle}: is missing, and with it the template's version {package.version}; restore "
            f"it: git checkout -- {_BUNDLE}"
        )
    with template.versions(bundle) as known:
        if package.version not in known.tags():
            raise UpdateError(
                f"{bundle}: has no version {package.version}, which {ANSWERS} says the package was "
                f"made from; restore both: git checkout -- {ANSWERS} {_BUNDLE}"
            )
        yield known


@contextmanager
def _saved(known: Versions) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="onnxop-bundle-") as name:
        bundle = Path(name, BUNDLE.name)
        known.write(bundle)
        yield bundle


def _next(package: Package, known: Versions) -> str:
    """The version to update to: this onnxop's, unless the package's is newer."""
    version = known.add_present()
    if version_of(version) < version_of(package.version):
        raise UpdateError(
            f"{package.folder}: was made by a newer template, {package.version}, than this onnxop "
            f"{__version__} has, {version}; run pip install --upgrade onnxop"
        )
    return version


def _check_may_run(package: Package, known: Versions, *, is_trusted: bool) -> None:
    """Raises `UpdateError` where the code that made the package is nobody's that is known here."""
    tree = known.tags()[package.version]
    if is_trusted or known.is_known(tree):
        return
    bundle = package.folder / BUNDLE
    raise UpdateError(
        f"{bundle}: the package was made by its version {package.version}, tree {tree}, which is "
        f"neither a release of onnxop nor what onnxop {__version__} has here; to make the package "
        "as it was, the code in there would run with your rights; look at it: git clone -b "
        f"{package.version} {shlex.quote(str(bundle))} template; and give --trust if you trust it"
    )


def _plan(folder: Path, *, is_trusted: bool) -> Update:
    package = _read(folder)
    _check_is_clean(folder)
    with ExitStack() as stack:
        known = stack.enter_context(_versions(package))
        version = _next(package, known)
        _check_may_run(package, known, is_trusted=is_trusted)
        bundle = stack.enter_context(_saved(known))
        made = _made(package, bundle)
        _check_links(folder, made)
        answers = _new_answers(package, made)
        wanted = rendered(bundle, version, answers)
        bundled = File(bundle.read_bytes())
    yours = _yours(folder)
    _check_is_tracked(folder, yours, made)
    changed = _changed(package.answers["specs"], answers["specs"])
    planned = Update(package, version, changed, yours)
    _merge(planned, made, wanted)
    if changed:
        planned.notes += _stale_kernels(package.answers, answers)
    if bundled != yours.get(_BUNDLE):
        planned.files[_BUNDLE] = bundled
    if set(planned.files) <= {_BUNDLE, ANSWERS} and not planned.is_new_version and not changed:
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
            f"{package.folder / SPECS}: holds no spec; restore one: git checkout -- {SPECS}"
        )
    known = package.answers["facts"]
    with asking(Facts(known, is_fresh=True)) as facts:
        name = package.answers["name"]
        if not name and len(paths) > 1:  # it was called after its one operator
            name = parse_package(package.answers["specs"]).package.name
        spec = load_package(paths, name, is_new=False)
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
            spec.written_by_hand: (
                f"{SPECS}/{spec.file}",
                definitions(spec) if spec.given_files else (),
            )
            for spec in ops
            if spec.written_by_hand
        }


def _check_is_clean(folder: Path) -> None:
    """Raises `UpdateError` where there is something that is not committed: what lies in ops/ may be
    new, changed or gone.
    """
    if not _has_commit(folder):
        raise UpdateError(f"{folder}: has no commit yet; run git add -A && git commit")
    directory = Path(git.ask_yours(folder, "rev-parse", "--absolute-git-dir").decode().strip("\n"))
    for name, what in _UNDER_WAY.items():
        if (directory / name).exists():
            raise UpdateError(
                f"{folder}: a {what} is under way in its repository; end it with git {what} "
                "--continue, or --abort"
            )
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    answer = git.ask_yours(folder, "--no-optional-locks", "status", *options, "--", ".")
    prefix = _prefix(folder)
    lines = [line for line in answer.decode(errors="surrogateescape").split("\0") if line]
    dirty = [(line[:2], line[3:].removeprefix(prefix)) for line in lines]
    others = [name for state, name in dirty if not _may_be_dirty(state, name)]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        shown = ", ".join(repr(n) if "\n" in n else n for n in others[:3])
        raise UpdateError(
            f"{folder}: has changes that are not committed: {shown}{more}; commit them, or put "
            "them away with git stash -u, and run this again"
        )


def _may_be_dirty(state: str, name: str) -> bool:
    """Whether it is a spec, or a kernel that comes or goes with one."""
    is_there = state in ("??", "A ", "D ", " D")
    return name.startswith(f"{SPECS}/") and (name.endswith(".toml") or is_there)


_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


def _check_links(folder: Path, made: Tree) -> None:
    """Raises `UpdateError` where a link leads out of what git keeps of the package."""
    folders = {str(parent) for name in (*made, _BUNDLE) for parent in Path(name).parents} - {"."}
    specs = [f"{SPECS}/{path.name}" for path in folder.glob(f"{SPECS}/*.toml")]
    for name in (*sorted({*folders, SPECS}), *specs, ANSWERS, _BUNDLE):
        place = folder / name
        if place.is_symlink():
            raise UpdateError(
                f"{place}: is a link to {place.readlink()}, where git keeps nothing of this "
                "package; put what it leads to in its place, and commit that"
            )


def _check_is_tracked(folder: Path, yours: Tree, made: Tree) -> None:
    """Raises `UpdateError` where a file of the package is not git's, so that it could be lost."""
    names = sorted({*made, _BUNDLE} - yours.keys())
    ignored = [name for name in names if os.path.lexists(folder / name)]
    if ignored:
        more = f" and {len(ignored) - 3} more" if len(ignored) > 3 else ""
        raise UpdateError(
            f"{folder}: git does not keep {', '.join(ignored[:3])}{more}, of this package, perhaps "
            "because a .gitignore names it; run git add -f . && git commit, or remove what you do "
            "not want"
        )


def _has_commit(folder: Path) -> bool:
    try:
        git.ask_yours(folder, "rev-parse", "--verify", "-q", "HEAD")
    except git.GitError:
        return False
    return True


def _prefix(folder: Path) -> str:
    """The package's place in its repository, with a / behind it; empty at the top."""
    return os.fsdecode(git.ask_yours(folder, "rev-parse", "--show-prefix").rstrip(b"\n"))


def _yours(folder: Path, *, untracked: bool = False) -> dict[str, File]:
    """The package's files as they are now: those that git tracks, what is new in ops/, and perhaps
    all that git would track.
    """
    options = ["--cached", *(["--others", "--exclude-standard"] if untracked else [])]
    listed = git.ask_yours(folder, "ls-files", "-z", "-t", *options, "--", ".")
    lines = [line for line in listed.decode(errors="surrogateescape").split("\0") if line]
    absent = [line[2:] for line in lines if line.startswith("S ")]
    if absent:
        raise UpdateError(
            f"{folder}: {absent[0]} is not checked out; run git sparse-checkout disable"
        )
    new = git.ask_yours(folder, "ls-files", "-z", "--others", "--exclude-standard", "--", SPECS)
    names = {line[2:] for line in lines} | set(new.decode(errors="surrogateescape").split("\0"))
    return merge.read(folder, sorted(names - {""}))


def _merge(planned: Update, made: Tree, wanted: Tree) -> None:
    """Merges what changed from ``made`` to ``wanted`` into the user's files."""
    yours, ends = _with_lines_of(made, planned.before)
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
    for name in sorted(made.keys() - wanted.keys() - done.renamed_by_update.keys()):
        if name in yours and yours[name] == made[name]:
            planned.notes.append(f"{name} is no part of the template any more, and goes")
    ends |= {done.renamed_by_update.get(name, name) for name in ends}
    for name in sorted(planned.before.keys() | result.keys()):
        file = result.get(name)
        if file is not None and name in ends:
            file = replace(file, data=file.data.replace(b"\n", b"\r\n"))
        if file != planned.before.get(name):
            planned.files[name] = file


def _moved(own: Iterable[str], yours: Tree, result: Tree) -> Iterator[str]:
    """Tells of the user's own files that move with the folder that they lie in."""
    new = result.keys() - yours.keys()
    for name in sorted(own):
        place = next((n for n in sorted(new) if Path(n).name == Path(name).name), None)
        if place is not None and name not in result:
            yield f"{name}, a file of yours, moves to {place}, as the folder that it lies in does"


def _with_lines_of(made: Tree, yours: Tree) -> tuple[dict[str, File], set[str]]:
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
        is_op_s = re.fullmatch(r"(csrc|tests/samples|src/[^/]+)/[^/]+", name)
        fate = ", and nothing builds, imports or tests it" if is_op_s else ""
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


def _mark_conflicts(done: Update) -> None:
    """Tells git of the conflicts, so that it commits none by mistake."""
    folder = done.package.folder
    top = git.ask_yours(folder, "rev-parse", "--show-toplevel")
    prefix = _prefix(folder)
    lines: list[str] = []
    for name in done.conflicts:
        sides = done.sides[name]
        lines.append(f"0 {'0' * 40}\t{prefix}{name}")
        for stage, file in enumerate(sides, 1):
            if file is not None:
                blob = git.ask_yours(folder, "hash-object", "-w", "--stdin", input=file.data)
                lines.append(f"{file.mode} {blob.decode().strip()} {stage}\t{prefix}{name}")
    if lines:
        listed = "".join(f"{line}\0" for line in lines).encode(errors="surrogateescape")
        git.ask_yours(
            Path(os.fsdecode(top.rstrip(b"\n"))), "update-index", "-z", "--index-info", input=listed
        )


def _unmark(folder: Path, names: list[str]) -> None:
    """Takes back what `_mark_conflicts` told git."""
    if names:
        listed = "".join(f":(top,literal){_prefix(folder)}{name}\0" for name in names)
        options = ("--pathspec-from-file=-", "--pathspec-file-nul")
        data = listed.encode(errors="surrogateescape")
        git.ask_yours(folder, "reset", "-q", *options, input=data)


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
