"""Files of a package, replaced all or none: killed at any moment, what was there can be put back."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import OnnxopError
from .merge import File, Tree, read

_ENTRIES = "entries.json"
_SUFFIX = ".onnxop-new"


class JournalError(OnnxopError):
    """An update was interrupted, another is running, or a file cannot be written."""


@dataclass(frozen=True)
class Restored:
    """What was put back, and what the user had changed meanwhile, by the names it is kept under."""

    names: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class Journal:
    """A folder, on the package's disk, that keeps the old files while the new ones are written.

    ``entries.json`` appears once all the old files are kept, and goes once all the new ones are
    there: where it is, the package may be half old and half new.
    """

    def __init__(self, folder: Path, package: Path) -> None:
        self._folder, self._package = folder, package

    @property
    def is_open(self) -> bool:
        """Whether an update was interrupted that left something: a file of it, or part of one."""
        journal = self._read()
        if journal is None:
            return False
        return any(self._is_new(entry) for entry in journal["entries"])

    def replace(
        self,
        files: Mapping[str, File | None],
        before: Tree | None = None,
        then: Callable[[], None] = lambda: None,
        marked: Sequence[str] = (),
    ) -> None:
        """Writes the files, and removes those that are None, then calls ``then``: all, or nothing.

        ``before`` is what they must still hold; ``marked`` are the names that ``then`` changes
        something about: `restore` passes them to its own ``then``, which comes first there.

        Raises:
            JournalError: a file cannot be written, or was changed; everything is as it was.
        """
        shutil.rmtree(self._folder / "old", ignore_errors=True)
        made = list(self._new_folders(files))
        try:
            (self._folder / "old").mkdir(parents=True)
            entries = [
                self._entry(name, file, str(number), before)
                for number, (name, file) in enumerate(files.items())
            ]
            self._write_entries({"entries": entries, "folders": made, "marked": list(marked)})
            for name, file in files.items():
                self._put(self._package / name, file)
            then()
        except BaseException as error:
            with suppress(OSError, JournalError):
                self.restore()
            if isinstance(error, OSError):
                place = error.filename or self._package
                raise JournalError(f"{place}: cannot be written: {error.strerror}") from error
            raise
        self._close()

    def restore(self, then: Callable[[list[str]], None] = lambda marked: None) -> Restored:
        """Puts every file back as it was; can be interrupted, and repeated. What is neither the old
        nor the new file, because somebody wrote it since, is kept under another name.

        Raises:
            JournalError: what was kept is not whole, or a file cannot be written.
        """
        journal = self._read()
        if journal is None or not self.is_open:
            self._close()
            return Restored()
        restored: list[str] = []
        kept: list[str] = []
        names = [*(entry["name"] for entry in journal["entries"]), *journal["folders"]]
        strange = [name for name in names if not self._is_inside(name)]
        if strange:
            raise JournalError(
                f"{self._folder}: speaks of {strange[0]}, which is no file of the package; put the "
                f"package back by git: git checkout -- ., and remove {self._folder}"
            )
        missing = [e for e in journal["entries"] if e["old"] and not self._has_kept(e["old"])]
        if missing:
            raise JournalError(
                f"{self._folder}: what an interrupted update kept of {missing[0]['name']} is gone; "
                f"put the package back by git: git checkout -- ., and remove {self._folder}"
            )
        then(journal["marked"])
        try:
            for entry in journal["entries"]:
                self._restore(entry, restored, kept)
        except OSError as error:
            place = error.filename or self._package
            raise JournalError(f"{place}: cannot be restored: {error.strerror}") from error
        for name in reversed(journal["folders"]):
            with suppress(OSError):
                (self._package / name).rmdir()
        self._close()
        return Restored(tuple(restored), tuple(kept))

    def _restore(self, entry: dict[str, Any], restored: list[str], kept: list[str]) -> None:
        name, target = entry["name"], self._package / entry["name"]
        with suppress(FileNotFoundError, NotADirectoryError):
            _temporary(target).unlink()
        old = self._folder / "old" / entry["old"] if entry["old"] else None
        present = read(self._package, [name]).get(name)
        wanted = read(old.parent, [old.name])[old.name] if old is not None else None
        if present == wanted:
            return
        if present is not None and _digest(present) != entry["new"]:
            backup = free_name(target)
            os.rename(target, backup)
            kept.append(str(backup.relative_to(self._package)))
        if old is not None:
            _move_copy(old, target)
        else:
            with suppress(FileNotFoundError, NotADirectoryError):
                target.unlink()
        restored.append(name)

    def _is_new(self, entry: dict[str, Any]) -> bool:
        """Whether the file is what the update made of it, or the update was about to make it so."""
        name = entry["name"]
        if os.path.lexists(_temporary(self._package / name)):
            return True
        present = read(self._package, [name]).get(name)
        if present is not None:
            return bool(_digest(present) == entry["new"] != entry["old_digest"])
        return entry["new"] is None and entry["old"] is not None

    def _is_inside(self, name: str) -> bool:
        """Whether a file of that name lies in the package: not in git's own, nor behind a link."""
        target = self._package / name
        inside = target.parent.resolve().is_relative_to(self._package.resolve())
        return inside and not {"..", ".git"} & set(Path(name).parts)

    def _has_kept(self, number: str) -> bool:
        return os.path.lexists(self._folder / "old" / number)

    def _read(self) -> dict[str, Any] | None:
        """The entries, or None where there are none: no update was interrupted."""
        path = self._folder / _ENTRIES
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return {name: found[name] for name in ("entries", "folders", "marked")}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise JournalError(
                f"{path}: cannot be read: {error}; put the package back by git: git checkout -- ., "
                f"and remove {self._folder}"
            ) from None

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

    def _entry(
        self, name: str, file: File | None, number: str, before: Tree | None
    ) -> dict[str, str | None]:
        old = self._keep(name, number, before)
        present = read(self._folder / "old", [number]).get(number)
        return {
            "name": name,
            "old": old,
            "old_digest": None if present is None else _digest(present),
            "new": None if file is None else _digest(file),
        }

    def _keep(self, name: str, number: str, before: Tree | None) -> str | None:
        source = self._package / name
        present = read(self._package, [name]).get(name)
        if before is not None and name in before and present != before[name]:
            raise JournalError(f"{source}: was changed while the update ran; run it again")
        if present is None:
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


def free_name(target: Path) -> Path:
    """Where a file can be kept that is in the way: ``<name>.orig``, or a number behind it."""
    backup, number = target.with_name(f"{target.name}.orig"), 1
    while os.path.lexists(backup):
        backup, number = target.with_name(f"{target.name}.orig.{number}"), number + 1
    return backup


def _digest(file: File) -> str:
    return sha256(bytes([file.is_link]) + file.data).hexdigest()


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
