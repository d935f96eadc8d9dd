"""A compiled library → the C library and the processor that it needs, read from its ELF file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import ShipError

_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 21: "ppc64le", 22: "s390x"}
_LITTLE = 1
_ELF_64 = b"\x7fELF\x02"
_HEADER_SIZE = 64
_TABLE, _TABLE_SIZE = 40, 58
"""Where the header has the place of the table of sections, and the size and number of its entries.
"""
_DYNAMIC_SYMBOLS = 11
_NEEDED_VERSIONS = 0x6FFFFFFE
_VERSIONS = 0x6FFFFFFF
"""The types of the sections .dynsym, .gnu.version_r and .gnu.version."""

Release = tuple[int, ...]
"""A release of glibc: (2, 28)."""


@dataclass(frozen=True)
class Requirements:
    """The processor of a library, and the functions of glibc that it calls, by the release that has
    them first.
    """

    machine: str
    functions: dict[Release, list[str]]

    @property
    def glibc(self) -> Release:
        """The first release of glibc that loads the library; (2, 0) if it calls nothing of it."""
        return max(self.functions, default=(2, 0))

    def later_than(self, release: Release) -> list[str]:
        """Return the functions that a release of glibc lacks."""
        names = [self.functions[since] for since in sorted(self.functions) if since > release]
        return [name for names_of_release in names for name in names_of_release]


@dataclass(frozen=True)
class _Section:
    type: int
    offset: int
    size: int
    link: int
    """The index of the section with its texts."""


def requirements(path: Path) -> Requirements:
    """Return what a library needs. Raise ShipError if the file is not a 64-bit ELF library."""
    try:
        return _File(path.read_bytes()).requirements()
    except (struct.error, IndexError, ValueError) as error:
        raise ShipError(f"{path}: is not a library for Linux; build the package again") from error


def is_whole(path: Path) -> bool:
    """Return whether a library has all its bytes, of which the table of sections is the last. The
    system ends a process that loads a library that was cut off. What is no ELF file is whole.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER_SIZE)
    if header[:5] != _ELF_64:
        return True
    if len(header) < _HEADER_SIZE:
        return False
    order = _byte_order(header)
    (table,) = struct.unpack_from(f"{order}Q", header, _TABLE)
    size, count = struct.unpack_from(f"{order}HH", header, _TABLE_SIZE)
    return bool(table + size * count <= path.stat().st_size)


def text_of(release: Release) -> str:
    """Return a release as text: 2.28."""
    return ".".join(map(str, release))


def _release(version: str) -> Release:
    """Return the release of glibc that has a version of symbols; () for other libraries'
    versions.
    """
    if version == "GLIBC_ABI_DT_RELR":  # of no function: a form of relocations
        return 2, 36
    numbers = version.removeprefix("GLIBC_").split(".")
    if not version.startswith("GLIBC_") or not all(number.isdecimal() for number in numbers):
        return ()
    return tuple(map(int, numbers))


def _byte_order(header: bytes) -> str:
    """Return the order of bytes in an ELF file, as `struct` writes it."""
    return "<" if header[5] == _LITTLE else ">"


class _File:
    def __init__(self, data: bytes) -> None:
        if data[:5] != _ELF_64:
            raise ValueError
        self._data = data
        self._order = _byte_order(data)
        (self._machine,) = self._unpacked("H", 18)
        (start,) = self._unpacked("Q", _TABLE)
        size, count = self._unpacked("HH", _TABLE_SIZE)
        self._sections = [self._section(start + index * size) for index in range(count)]

    def requirements(self) -> Requirements:
        machine = _MACHINES.get(self._machine, f"machine {self._machine} of ELF")
        releases = dict(self._needed_versions())
        functions: dict[Release, list[str]] = {release: [] for release in releases.values()}
        for name, version in self._symbols():
            if version in releases:
                functions[releases[version]].append(name)
        return Requirements(machine, functions)

    def _needed_versions(self) -> Iterator[tuple[int, Release]]:
        """Yield the versions of glibc that the library needs, by their index in .gnu.version."""
        for section in self._of_type(_NEEDED_VERSIONS):
            file = section.offset
            while True:
                _, count, _, first, following = self._unpacked("HHIII", file)
                entry = file + first
                for _ in range(count):
                    _, _, index, name, next_entry = self._unpacked("IHHII", entry)
                    release = _release(self._text(section.link, name))
                    if release:
                        yield index & 0x7FFF, release
                    entry += next_entry
                if not following:
                    break
                file += following

    def _symbols(self) -> Iterator[tuple[str, int]]:
        """Yield the names of the symbols that the library takes from others, and the index of their
        version.
        """
        (symbols,), (versions,) = self._of_type(_DYNAMIC_SYMBOLS), self._of_type(_VERSIONS)
        for index in range(symbols.size // 24):
            name, _, _, section, _, _ = self._unpacked("IBBHQQ", symbols.offset + 24 * index)
            (version,) = self._unpacked("H", versions.offset + 2 * index)
            if name and not section:
                yield self._text(symbols.link, name), version & 0x7FFF

    def _of_type(self, type_: int) -> list[_Section]:
        return [section for section in self._sections if section.type == type_]

    def _section(self, offset: int) -> _Section:
        _, type_, _, _, at, size, link, _, _, _ = self._unpacked("IIQQQQIIQQ", offset)
        return _Section(type_, at, size, link)

    def _text(self, section: int, offset: int) -> str:
        start = self._sections[section].offset + offset
        return self._data[start : self._data.index(b"\0", start)].decode("utf-8")

    def _unpacked(self, format_: str, offset: int) -> tuple[int, ...]:
        return struct.unpack_from(f"{self._order}{format_}", self._data, offset)
