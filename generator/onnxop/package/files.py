"""Files in memory and on disk: read them, and write all of them or none."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import DestinationError

_LINK = "120000"


@dataclass(frozen=True)
class File:
    """A file's contents and git's mode; for a link, its target."""

    data: bytes
    mode: str = "100644"


Tree = Mapping[str, File]
"""Files by their paths, with / between the parts."""


def read(folder: Path, names: Iterable[str]) -> dict[str, File]:
    """Return the files with these names that exist in a folder."""
    tree: dict[str, File] = {}
    for name in names:
        path = folder / name
        if path.is_symlink():
            tree[name] = File(bytes(path.readlink()), _LINK)
        elif path.is_file():
            is_executable = path.stat().st_mode & stat.S_IXUSR
            tree[name] = File(path.read_bytes(), "100755" if is_executable else "100644")
    return tree


def read_all(folder: Path) -> dict[str, File]:
    """Return every file below a folder."""
    return read(folder, sorted(str(f.relative_to(folder)) for f in folder.rglob("*")))


def check_places(folder: Path, names: Iterable[str]) -> None:
    """Raise `DestinationError` if a folder or a link is in the way of a file."""
    for name in names:
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise DestinationError(f"{folder / name}: is a directory where a file must go; move it")
        for place in (folder / parent for parent in Path(name).parents[:-1]):
            if place.is_symlink():
                raise DestinationError(
                    f"{place}: is a link to {place.readlink()}, where files would be written; "
                    "replace it by a folder"
                )


def replace(
    folder: Path, files: Mapping[str, File | None], then: Callable[[], None] = lambda: None
) -> None:
    """Write the files in order, remove those that are None, then call ``then``. If one step fails, undo all.
    Raise `DestinationError` for a folder or a link at a file's path, OSError for a failed write.
    """
    check_places(folder, files)
    before = read(folder, files)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".onnxop-") as scratch:
        Path(scratch, ".gitignore").write_text("*\n", encoding="utf-8")
        # A full disk raises here, before any file changes.
        new = {name: _written(Path(scratch, str(i)), files[name]) for i, name in enumerate(files)}
        try:
            for name, source in new.items():
                _put(folder, name, source)
            then()
        except BaseException:
            present = read(folder, files)
            for i, name in enumerate(files):
                if present.get(name) != before.get(name):
                    with suppress(OSError):
                        _put(folder, name, _written(Path(scratch, f"old{i}"), before.get(name)))
            raise


def _written(path: Path, file: File | None) -> Path | None:
    if file is None:
        return None
    if file.mode == _LINK:
        path.symlink_to(os.fsdecode(file.data))
    else:
        path.write_bytes(file.data)
        if file.mode == "100755":
            path.chmod(path.stat().st_mode | 0o111)
    return path


def _put(folder: Path, name: str, source: Path | None) -> None:
    target = folder / name
    if source is None:
        target.unlink(missing_ok=True)
        with suppress(OSError):  # stops at a folder that is not empty; git keeps no empty ones
            for parent in Path(name).parents[:-1]:
                (folder / parent).rmdir()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_file() and not (target.is_symlink() or source.is_symlink()):
        shutil.copymode(target, source)
    os.replace(source, target)


def free_name(target: Path) -> Path:
    """Return a new path for the backup of a file: ``<name>.orig``, perhaps with a number."""
    backup, number = target.with_name(f"{target.name}.orig"), 1
    while os.path.lexists(backup):
        backup, number = target.with_name(f"{target.name}.orig.{number}"), number + 1
    return backup
