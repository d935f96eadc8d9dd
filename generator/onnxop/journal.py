"""Files of a package, replaced all or none: killed at any moment, what was there can be put back."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import OnnxopError
from .merge import File

_ENTRIES = "entries.json"
_SUFFIX = ".onnxop-new"


class JournalError(OnnxopError):
    """An update was interrupted, another is running, or a file cannot be written."""


class Journal:
    """A folder, on the package's disk, that keeps the old files while the new ones are written.

    ``entries.json`` appears once all the old files are kept, and goes once all the new ones are
    there: where it is, the package may be half old and half new.
    """

    def __init__(self, folder: Path, package: Path) -> None:
        self._folder, self._package = folder, package

    @property
    def is_open(self) -> bool:
        """Whether an update was interrupted."""
        return (self._folder / _ENTRIES).exists()

    def replace(self, files: Mapping[str, File | None]) -> None:
        """Writes the files, and removes those that are None; all of them, or none.

        Raises:
            JournalError: a file cannot be written; everything is as it was.
        """
        shutil.rmtree(self._folder / "old", ignore_errors=True)
        entries: list[dict[str, str | None]] = []
        made = [name for name in self._new_folders(files)]
        try:
            (self._folder / "old").mkdir(parents=True)
            for number, name in enumerate(files):
                entries.append({"name": name, "old": self._keep(name, str(number))})
            self._write_entries({"entries": entries, "folders": made})
            for name, file in files.items():
                self._put(self._package / name, file)
        except BaseException as error:
            with suppress(OSError):
                self.restore()
            if isinstance(error, OSError):
                place = error.filename or self._package
                raise JournalError(f"{place}: cannot be written: {error.strerror}") from error
            raise
        self._close()

    def restore(self) -> list[str]:
        """Puts every file back as it was; returns their names. Can be interrupted, and repeated."""
        if not self.is_open:
            shutil.rmtree(self._folder / "old", ignore_errors=True)
            return []
        journal = json.loads((self._folder / _ENTRIES).read_text(encoding="utf-8"))
        for entry in journal["entries"]:
            target = self._package / entry["name"]
            with suppress(FileNotFoundError, NotADirectoryError):
                _temporary(target).unlink()
            if entry["old"] is None:
                with suppress(FileNotFoundError, NotADirectoryError):
                    target.unlink()
            else:
                _move_copy(self._folder / "old" / entry["old"], target)
        for name in reversed(journal["folders"]):
            with suppress(OSError):
                (self._package / name).rmdir()
        self._close()
        return [entry["name"] for entry in journal["entries"]]

    def _new_folders(self, files: Mapping[str, File | None]) -> Iterator[str]:
        """The folders that are not there yet, outer ones first."""
        found = {
            str(folder)
            for name, file in files.items()
            if file is not None
            for folder in Path(name).parents
            if not (self._package / folder).exists()
        }
        yield from sorted(found)

    def _keep(self, name: str, number: str) -> str | None:
        source = self._package / name
        if not source.is_symlink() and not source.exists():
            return None
        shutil.copy2(source, self._folder / "old" / number, follow_symlinks=False)
        if not source.is_symlink():
            _sync(self._folder / "old" / number)
        return number

    def _write_entries(self, journal: object) -> None:
        temporary = self._folder / f"{_ENTRIES}.new"
        temporary.write_text(json.dumps(journal), encoding="utf-8")
        _sync(temporary)
        os.replace(temporary, self._folder / _ENTRIES)
        _sync(self._folder)

    def _put(self, target: Path, file: File | None) -> None:
        if file is None:
            with suppress(FileNotFoundError):
                target.unlink()
            for folder in target.parents:  # as git does, which knows no empty folders
                if folder == self._package or any(folder.iterdir()):
                    break
                folder.rmdir()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = _temporary(target)
        with suppress(FileNotFoundError):
            temporary.unlink()
        if file.is_link:
            temporary.symlink_to(os.fsdecode(file.data))
        else:
            temporary.write_bytes(file.data)
            if file.mode == "100755":
                temporary.chmod(temporary.stat().st_mode | 0o111)
            elif target.exists() and not target.is_symlink():
                temporary.chmod(target.stat().st_mode & 0o7666)
        os.replace(temporary, target)

    def _close(self) -> None:
        with suppress(FileNotFoundError):
            (self._folder / _ENTRIES).unlink()
        shutil.rmtree(self._folder / "old", ignore_errors=True)


@contextmanager
def journal(folder: Path, package: Path) -> Iterator[Journal]:
    """The journal of a package, for one process at a time.

    Raises:
        JournalError: another process has it, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("wb")
    except OSError as error:
        raise JournalError(f"{folder}: cannot be written: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalError(
                f"{package}: is being updated by another process; wait until it is done"
            ) from None
        yield Journal(folder, package)


def _temporary(target: Path) -> Path:
    return target.with_name(f"{target.name}{_SUFFIX}")


def _move_copy(source: Path, target: Path) -> None:
    """Puts a copy of the file in place at once; the source stays, for the next attempt."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(target)
    shutil.copy2(source, temporary, follow_symlinks=False)
    os.replace(temporary, target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
