"""Spec → package: rendered in memory, then written all at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..code.spec_data import data_of
from ..errors import DestinationError
from ..spec.model import PackageSpec
from . import files, journal, recorded, template, worktree
from .files import File
from .scratch import temporary_files


@dataclass(frozen=True)
class Written:
    """The files written, the backups of older files, and the user's files, which stay unchanged."""

    files: tuple[Path, ...]
    kept: tuple[Path, ...]
    left: tuple[Path, ...]


def prepare_destination(destination: Path, *, force: bool) -> None:
    """Undo what an interrupted run left there. Raise `DestinationError` if a package cannot be
    written there, before anything is rendered.
    """
    existing = next(p for p in (destination, *destination.absolute().parents) if os.path.lexists(p))
    if not existing.is_dir():
        raise DestinationError(f"{existing}: is not a directory; choose another")
    if destination.is_dir():
        with _explained(destination), journal.exclusive(destination):
            worktree.recover(destination.absolute())
        _check_is_free(destination, force=force)


def _check_is_free(destination: Path, *, force: bool) -> None:
    if any(destination.iterdir()) and not force:
        raise DestinationError(
            f"{destination}: exists and is not empty; choose another, or give --force to write "
            "over it (files in the way are kept as <name>.orig)"
        )


def render(
    package_spec: PackageSpec,
    destination: Path,
    *,
    force: bool = False,
    takes_kernels: bool = False,
) -> Written:
    """Write the whole package, or nothing. Raise `DestinationError` if the destination is taken, or
    cannot be written.

    A kernel written by hand stays the user's; with ``takes_kernels``, the one beside the spec
    replaces it, and a backup stays.
    """
    prepare_destination(destination, force=force)
    with temporary_files():
        made = _package_files(package_spec)
    supplied = package_spec.given_files if takes_kernels else {}
    owned = package_spec.sources.keys() - supplied.keys()
    with _explained(destination), _made_folders(destination), journal.exclusive(destination):
        _check_is_free(destination, force=force)
        before = files.read(destination, made)
        left = sorted(owned & before.keys())
        changed = {n: f for n, f in made.items() if n not in left and before.get(n) != f}
        kept = _backups(destination, {name: before[name] for name in changed if name in before})
        with journal.replaced(destination, "onnxop new", {**kept, **changed}):
            pass
    written = [name for name in made if name not in left]
    return Written(tuple(map(Path, written)), tuple(map(Path, kept)), tuple(map(Path, left)))


def _backups(destination: Path, former: Mapping[str, File]) -> dict[str, File]:
    """Return copies of files that are written over, by their new paths; none of what has a copy
    already.
    """
    kept: dict[str, File] = {}
    for name, file in former.items():
        if backup := files.backup_of(destination / name, file):
            kept[str(backup.relative_to(destination))] = file
    return kept


@contextmanager
def _made_folders(destination: Path) -> Iterator[None]:
    """Make the folder and its parents; remove those that are new and empty if the body fails."""
    missing = [p for p in (destination, *destination.absolute().parents) if not p.exists()]
    try:
        destination.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def _explained(destination: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DestinationError(
            f"{destination}: cannot be written: {error.strerror or error}; choose a folder that "
            "you may write to, where there is room"
        ) from error


def _package_files(package_spec: PackageSpec) -> dict[str, File]:
    """Return the template's files, the user's specs and kernels, and the template itself."""
    with template.versions() as template_versions:
        version = template_versions.add_present()
        made = recorded.make(template_versions, version, data_of(package_spec))
        bundle = File(template_versions.bundle([version]).read_bytes())
    specs = {f"ops/{file}": text for file, text in package_spec.texts.items()}
    texts = {**package_spec.given_files, **specs}
    supplied = {name: File(text.encode()) for name, text in texts.items()}
    return dict(sorted({**made, **supplied, template.BUNDLE.as_posix(): bundle}.items()))
