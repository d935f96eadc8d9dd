"""``python -m onnxop_runtime``: the paths of the runtime's C++ files, for builds without
setup.py.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from . import __version__

_INCLUDE = Path(__file__).resolve().parent / "include"


_EXAMPLES = """\
examples:
  g++ csrc/*.cpp $(%(prog)s --library) -o libmy_add_onnxruntime.so
  cmake -S . -B build -Donnxop_DIR="$(%(prog)s --cmakedir)"
"""


def main() -> None:
    """Print the requested paths and options, one per line."""
    command = parser()
    for text in command.parse_args().texts or [command.format_help()]:
        print(text)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options, each of which has the text that it prints."""
    parser = argparse.ArgumentParser(
        "python -m onnxop_runtime",
        description="Print the paths of the runtime's C++ files, for builds without setup.py.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    include, host = f"-I{_INCLUDE}", _INCLUDE / "onnxop" / "onnxruntime"
    script = f"-Wl,--version-script={host / 'library.map'}"
    library = f"@{host / 'library.flags'} {include} {script} {host / 'library.cpp'}"
    for option, text, description in (
        ("--folder", _INCLUDE.parent, "the folder of the runtime"),
        ("--includes", include, "the compiler's -I option"),
        ("--cmakedir", _INCLUDE / "cmake", "the folder of onnxop-config.cmake"),
        ("--library", library, "the compiler's options to build csrc/*.cpp for ONNX Runtime"),
    ):
        parser.add_argument(
            option, action="append_const", dest="texts", const=text, help=f"print {description}"
        )
    return parser


if __name__ == "__main__":
    main()
