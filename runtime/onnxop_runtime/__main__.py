"""``python -m onnxop_runtime``: where the C++ of the runtime lies, for builds without setup.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import __version__

_INCLUDE = Path(__file__).resolve().parent / "include"


def main() -> None:
    """Print what is asked for, a line each."""
    parser = argparse.ArgumentParser("python -m onnxop_runtime", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    include, host = f"-I{_INCLUDE}", _INCLUDE / "onnxop" / "onnxruntime"
    script = f"-Wl,--version-script={host / 'library.map'}"
    library = f"@{host / 'library.flags'} {include} {script} {host / 'library.cpp'}"
    for option, text, what in (
        ("--folder", _INCLUDE.parent, "the folder of the runtime"),
        ("--includes", include, "the compiler's -I option"),
        ("--cmakedir", _INCLUDE / "cmake", "the folder of onnxop-config.cmake"),
        ("--library", library, "what makes a library for ONNX Runtime of a package's csrc/*.cpp"),
    ):
        parser.add_argument(
            option, action="append_const", dest="told", const=text, help=f"print {what}"
        )
    for text in parser.parse_args().told or [parser.format_help()]:
        print(text)


if __name__ == "__main__":
    main()
