"""``python -m onnxop_runtime``: where the C++ of the runtime lies, for builds without setup.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import __version__

_FOLDER = Path(__file__).resolve().parent
_INCLUDE = _FOLDER / "include"
_HOST = _INCLUDE / "onnxop" / "onnxruntime"


def main() -> None:
    """Print what is asked for, a line each."""
    parser = argparse.ArgumentParser("python -m onnxop_runtime", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    told = {
        "folder": ("the folder of the runtime", f"{_FOLDER}"),
        "includes": ("the compiler's -I option", f"-I{_INCLUDE}"),
        "cmakedir": ("the folder of onnxop-config.cmake", f"{_INCLUDE / 'cmake'}"),
        "library": (
            "what a C++ compiler needs, beside a package's csrc/*.cpp, to make its library for ONNX Runtime",
            " ".join(
                [
                    f"@{_HOST / 'library.flags'}",
                    f"-I{_INCLUDE}",
                    f"-Wl,--version-script={_HOST / 'library.map'}",
                    f"{_HOST / 'library.cpp'}",
                ]
            ),
        ),
    }
    for name, (what, _) in told.items():
        parser.add_argument(f"--{name}", action="store_true", help=f"print {what}")
    args = vars(parser.parse_args())
    if not any(args.values()):
        parser.print_help()
    for name, (_, text) in told.items():
        if args[name]:
            print(text)


if __name__ == "__main__":
    main()
