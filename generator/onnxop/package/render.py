"""Spec → package: rendered in a temporary folder, then written all at once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DestinationError, OnnxopError
from ..spec.model import PackageSpec
from . import files, git, present, template
from .files import File


class RenderError(OnnxopError):
    """A version of the template rejects the answers."""


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
    facts: Mapping[str, Any],
    destination: Path,
    *,
    force: bool = False,
    takes_kernels: bool = False,
) -> Written:
    """Write the whole package, or nothing. ``facts`` were recorded while the specs were read.
    Raise `DestinationError` if the destination is taken, or cannot be written.

    A kernel written by hand stays the user's; with ``takes_kernels``, the one beside the spec
    replaces it, and a backup stays.
    """
    check_destination(destination, force=force)
    missing = [p for p in (destination, *destination.absolute().parents) if not p.exists()]
    try:
        made = _package(spec, facts)
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


def answers_of(spec: PackageSpec, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers that a package records."""
    return {"specs": spec.texts, "name": spec.name, "facts": dict(facts)}


def copy(bundle: Path, version: str, answers: Mapping[str, Any], destination: Path) -> None:
    """Render a template version by its own code. Raise `RenderError` if it rejects the answers."""
    from copier import run_copy
    from copier.errors import CopierError
    from plumbum import ProcessExecutionError, local

    with local.env(**git.OWN):  # git ignores the user's configuration
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
        except (ProcessExecutionError, CopierError) as error:
            raise RenderError(f"template {version}: {error}") from error


def _package(spec: PackageSpec, facts: Mapping[str, Any]) -> dict[str, File]:
    """Return the template's files, those supplied with the spec, and the template's version."""
    with template.versions() as known, tempfile.TemporaryDirectory(prefix="onnxop-") as folder:
        version = known.add_present()
        bundle = File(known.bundle().read_bytes())
        present.render(version, answers_of(spec, facts), Path(folder))
        made = files.read_all(Path(folder))
    supplied = {name: File(text.encode()) for name, text in spec.given_files.items()}
    return dict(sorted({**made, **supplied, template.BUNDLE.as_posix(): bundle}.items()))
