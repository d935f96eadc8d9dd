"""Kinds of arguments that commands have in common."""

from __future__ import annotations

import argparse
from pathlib import Path


def path(text: str) -> Path:
    """A path, which an empty text is none of: Python would take it for the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a path, such as . for this folder")
    return Path(text)
