"""Spec → package: rendered in memory, then written all at once."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..code.data import data
from ..errors import DestinationError
from ..spec.model import PackageSpec
from . import files, recorded, template
from .files import File


@dataclass(frozen=True)
class Written:
    """The files written, the backups of older files, and the user's files, which stay unchanged."""

    files: tuple[Path, ...]
    kept: tuple[Path, ...]
    left: tuple[Path, ...]


def check_destination(destination: Path, *, force: bool) -> None:
    """Raise `DestinationError` if a package cannot be written there, before anything is rendered."""
    place = next(p for p in (destination, *destination.absolute().parents) if os.path.lexists(p))
    if not place.is_dir():
        raise DestinationError(f"{place}: is not a directory; choose another")
    if destination.is_dir() and any(destination.iterdir()) and not force:
        raise DestinationError(
            f"{destination}: exists and is not empty; choose another, or give --force to write "
            "over it (files in the way are kept as <name>.orig)"
        )


def render(
    spec: PackageSpec,
    destination: Path,
    *,
    force: bool = False,
    takes_kernels: bool = False,
) -> Written:
    """Write the whole package, or nothing. Raise `DestinationError` if the destination is taken, or cannot be written.

    A kernel written by hand stays the user's; with ``takes_kernels``, the one beside the spec
    replaces it, and a backup stays.
    """
    check_destination(destination, force=force)
    missing = [p for p in (destination, *destination.absolute().parents) if not p.exists()]
    try:
        made = _package(spec)
        before = files.read(destination, made)
        supplied = spec.given_files if takes_kernels else {}
        left = sorted((spec.sources.keys() - supplied.keys()) & before.keys())
        changed = {n: f for n, f in made.items() if n not in left and before.get(n) != f}
        kept = {
            str(files.free_name(destination / name).relative_to(destination)): before[name]
            for name in changed
            if name in before
        }
        destination.mkdir(parents=True, exist_ok=True)
        files.replace(destination, {**kept, **changed})
    except OSError as error:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise DestinationError(
            f"{destination}: cannot be written: {error.strerror or error}; choose a folder that you "
            "may write to, where there is room"
        ) from error
    written = [name for name in made if name not in left]
    return Written(tuple(map(Path, written)), tuple(map(Path, kept)), tuple(map(Path, left)))


def _package(spec: PackageSpec) -> dict[str, File]:
    """Return the template's files, the user's specs and kernels, and the template itself."""
    with template.versions() as known:
        version = known.add_present()
        made = recorded.make(known, version, data(spec))
        bundle = File(known.bundle([version]).read_bytes())
    texts = {**spec.given_files, **{f"ops/{file}": text for file, text in spec.texts.items()}}
    supplied = {name: File(text.encode()) for name, text in texts.items()}
    return dict(sorted({**made, **supplied, template.BUNDLE.as_posix(): bundle}.items()))
