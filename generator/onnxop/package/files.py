"""Files in memory and on disk: read, written, moved to their places."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
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


def check_links(folder: Path, names: Iterable[str]) -> None:
    """Raise `DestinationError` if a link is in the place of a folder of these files."""
    for name in names:
        for parent in (folder / path for path in Path(name).parents[:-1]):
            if parent.is_symlink():
                raise DestinationError(
                    f"{parent}: is a link to {parent.readlink()}, where files would be written; "
                    "replace it by a folder"
                )


def check_places(folder: Path, names: Iterable[str]) -> None:
    """Raise `DestinationError` if a folder or a link is in the way of a file."""
    for name in names:
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise DestinationError(f"{folder / name}: is a directory where a file must go; move it")
        check_links(folder, [name])


def write_file(path: Path, file: File, former: Path) -> None:
    """Write a file to a new path. It has the permissions of ``former``, if that is a file. An
    OSError names the path.
    """
    if file.mode == _LINK:
        path.symlink_to(os.fsdecode(file.data))
        return
    try:
        path.write_bytes(file.data)
    except OSError as error:  # a failed write has no file name
        raise OSError(error.errno, error.strerror, str(path)) from error
    permissions = stat.S_IMODE((former if _is_plain(former) else path).stat().st_mode)
    is_executable = file.mode == "100755"
    if is_executable and not permissions & stat.S_IXUSR:
        permissions |= (permissions & 0o444) >> 2  # whoever may read it may run it
    elif not is_executable:
        permissions &= ~0o111
    path.chmod(permissions)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def put(folder: Path, name: str, source: Path | None) -> None:
    """Move ``source`` to the file's place; or remove the file, with the folders that are then
    empty.
    """
    target = folder / name
    if source is None:
        target.unlink(missing_ok=True)
        with suppress(OSError):  # stops at a folder that is not empty; git keeps no empty ones
            for parent in Path(name).parents[:-1]:
                (folder / parent).rmdir()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


def backup_of(target: Path, file: File | None) -> Path | None:
    """Return a new path for the backup of ``target``: ``<name>.orig``, perhaps with a number.
    ``file`` is what is there, or None for a folder. Return None if there is a backup of the same
    bytes.
    """
    backup, number = target.with_name(f"{target.name}.orig"), 1
    while os.path.lexists(backup):
        if file is not None and file == read(backup.parent, [backup.name]).get(backup.name):
            return None
        backup, number = target.with_name(f"{target.name}.orig.{number}"), number + 1
    return backup
