"""The gallery's specs of torchvision's operators."""

from __future__ import annotations

from pathlib import Path

import torchvision as _torchvision  # type: ignore[import-untyped,unused-ignore] # noqa: F401

from ...registered import register_gallery

OPERATORS = register_gallery(Path(__file__).parent)
