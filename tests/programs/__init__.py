"""Programs that tests run in processes of their own, and models that they scan: one file each. A program
imports what it shares with others, as ``tests.programs.native.both``, by `PATH`.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent
PATH = str(_FOLDER.parents[1])
"""The ``PYTHONPATH`` of programs that import others."""


def program(name: str) -> str:
    """Return the text of a program, such as ``native/threads`` for native/threads.py in this folder."""
    return (_FOLDER / f"{name}.py").read_text(encoding="utf-8")


def folder(name: str) -> Path:
    """Return a folder of programs, for those that import each other."""
    return _FOLDER / name
