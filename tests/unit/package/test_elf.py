"""What an ELF file tells, and libraries that were cut off."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from onnxop.package.shipped import elf, libraries
from onnxop.package.shipped.errors import ShipError


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Compile a library that calls a function of the C library."""
    source = tmp_path / "lib.c"
    source.write_text('#include <stdlib.h>\nchar *home(void) { return getenv("HOME"); }\n')
    path = tmp_path / "liba_onnxruntime.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-s", source, "-o", path], check=True)
    return path


def test_a_whole_library(library: Path, tmp_path: Path) -> None:
    assert elf.is_whole(library)
    names = [name for names in elf.requirements(library).functions.values() for name in names]
    assert "getenv" in names
    (tmp_path / "text.so").write_text("text")
    assert elf.is_whole(tmp_path / "text.so")  # the loader tells what it is not


@pytest.mark.parametrize("kept", [10, 1000, -1])
def test_a_library_that_was_cut_off(library: Path, kept: int) -> None:
    library.write_bytes(library.read_bytes()[:kept])
    with pytest.raises(ShipError, match="liba_onnxruntime.so: is cut off; copy it again"):
        libraries.load_library(library)


@pytest.mark.parametrize(
    ("name", "message"), [("none.so", "none.so"), ("text.so", "invalid ELF header")]
)
def test_no_library(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "text.so").write_text("text of a file" * 9)
    with pytest.raises(ShipError, match=f"{name}: does not load here: .*{message}"):
        libraries.load_library(tmp_path / name)
