"""Spec → package: rendered into a scratch folder, which is then moved into place whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DestinationError, OnnxopError
from ..spec.model import PackageSpec
from . import git, merge, present, template
from .journal import Journal, JournalError, free_name
from .scratch import PREFIX, scratch


class RenderError(OnnxopError):
    """A version of the template refuses what it is given."""


@dataclass(frozen=True)
class Written:
    """What was written, relative to the package's folder.

    ``kept`` are the backups of older files, ``left`` the user's files, which are not written over.
    """

    destination: Path
    files: tuple[Path, ...]
    kept: tuple[Path, ...]
    left: tuple[Path, ...] = ()


def check_destination(destination: Path, *, force: bool) -> None:
    """Raises `DestinationError` where a package cannot go, before anything is rendered."""
    if destination.is_symlink() and not destination.exists():
        raise DestinationError(f"{destination}: is a broken link; remove it or choose another")
    if destination.exists() and not destination.is_dir():
        raise DestinationError(f"{destination}: exists and is no directory; choose another")
    if destination.is_dir() and any(destination.iterdir()) and not force:
        raise DestinationError(
            f"{destination}: exists and is not empty; choose another, or give --force to write "
            "over it (files in the way are kept as <name>.orig)"
        )
    for parent in destination.absolute().parents:
        if os.path.lexists(parent):
            if not parent.is_dir():
                raise DestinationError(f"{destination}: {parent} is no directory; choose another")
            break


def render(
    spec: PackageSpec,
    facts: Mapping[str, Any],
    destination: Path,
    *,
    force: bool = False,
    takes_kernels: bool = False,
) -> Written:
    """Writes the package: all of it, or nothing. ``facts`` are what was asked while it was read.

    A kernel written by hand is the user's once it is there; ``takes_kernels``: that which lies beside
    the spec takes its place, and what was there is kept.

    Raises:
        DestinationError: the destination is taken, or cannot be written.
    """
    check_destination(destination, force=force)
    try:
        with _beside(destination) as folder:
            package = folder / "package"
            _write(spec, facts, package, destination)
            files = sorted(f.relative_to(package) for f in package.rglob("*") if f.is_file())
            kept: list[Path] = []
            given = spec.given_files if takes_kernels else {}
            theirs = {Path(name) for name in spec.sources if name not in given}
            left = [file for file in files if file in theirs and (destination / file).is_file()]
            files = [file for file in files if file not in left]
            if destination.exists():
                kept = _merge(package, destination, files, folder / "journal")
            else:
                package.rename(destination)
    except OSError as error:
        place, fact = str(error.filename or destination), error.strerror or str(error)
        if PREFIX in place or error.errno in (errno.ENOSPC, errno.EDQUOT):  # then often of a source
            place = str(destination)
        remedy = "choose a folder that you may write to, where there is room"
        raise DestinationError(f"{place}: cannot be written: {fact}; {remedy}") from error
    return Written(destination, tuple(files), tuple(kept), tuple(left))


def answers_of(spec: PackageSpec, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What a package keeps of its making."""
    return {"specs": spec.texts, "name": spec.name, "facts": dict(facts)}


def copy(bundle: Path, version: str, answers: Mapping[str, Any], destination: Path) -> None:
    """A version of the template, rendered by its own logic.

    Raises:
        RenderError: the version refuses the answers.
    """
    from copier import run_copy
    from copier.errors import CopierError
    from plumbum import ProcessExecutionError, local

    with local.env(**git.OWN):  # no configuration of the user's git takes part
        try:
            run_copy(
                str(bundle.resolve()),
                destination,
                data=dict(answers),
                vcs_ref=version,
                defaults=True,
                quiet=True,
                unsafe=True,  # the version's own code, which the bundle carries
            )
        except ProcessExecutionError as error:  # of git, which copier runs
            git.check_disk(f"{error.stderr}", destination)
            raise RenderError(f"template {version}: {error}") from error
        except CopierError as error:
            raise RenderError(f"template {version}: {error}") from error


def _write(spec: PackageSpec, facts: Mapping[str, Any], package: Path, destination: Path) -> None:
    """The package with the files that came with the spec, and with the template's version."""
    before = destination / template.BUNDLE
    bundle = package / template.BUNDLE
    with template.versions(before if before.is_file() else None) as known:
        version = known.add_present()
        written = package.parent / "template.bundle"
        known.write(written)
    present.render(version, answers_of(spec, facts), package)
    for name, text in spec.given_files.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text, encoding="utf-8", newline="")
    bundle.parent.mkdir()
    written.rename(bundle)


@contextmanager
def _beside(destination: Path) -> Iterator[Path]:
    """A folder in the destination or, where there is none yet, beside it: on the same filesystem.

    It vanishes, and so do new parents unless the destination appears.
    """
    absolute = destination.absolute()
    parent = absolute if absolute.exists() else absolute.parent
    missing = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with scratch(parent) as folder:
            yield folder
    finally:
        if not destination.exists():
            for folder in missing:
                with suppress(OSError):
                    folder.rmdir()


def _merge(package: Path, destination: Path, files: list[Path], journal: Path) -> list[Path]:
    """Moves the files into an existing folder: all, or nothing. Returns the names of what was there."""
    for file in files:
        _check_place(destination, file)
    names = [str(file) for file in files]
    before, after = merge.read(destination, names), merge.read(package, names)
    changed = {
        name: file
        for name, file in after.items()
        if name not in before or before[name].data != file.data
    }
    kept = {
        str(free_name(destination / name).relative_to(destination)): before[name]
        for name in changed
        if name in before
    }
    try:
        Journal(journal, destination).replace({**kept, **changed})
    except JournalError as error:
        raise error.__cause__ or error from None
    return [Path(name) for name in kept]


def _check_place(destination: Path, file: Path) -> None:
    target = destination / file
    if why := in_the_way(target, is_folder=False):
        raise DestinationError(why)
    for folder in target.parents:
        if folder == destination:
            return
        if why := in_the_way(folder, is_folder=True):
            raise DestinationError(why)


def in_the_way(place: Path, *, is_folder: bool) -> str | None:
    """Why no file, or folder of files, can be there; None where it can."""
    if place.is_symlink():
        what = "files would be written there" if is_folder else "it would be written over"
        return f"{place}: is a link to {place.readlink()}, and {what}; move it"
    if place.exists() and not (place.is_dir() if is_folder else place.is_file()):
        what = "directory" if is_folder else "plain file"
        return f"{place}: is in the way and is no {what}; move it"
    return None
