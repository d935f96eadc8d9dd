"""The gallery: specs of PyTorch's operators that its exporters lack, or write wrong.

``import onnxop_runtime.gallery`` makes their rules known to both exporters; those of torchvision's
operators are there once torchvision is imported, or by ``import onnxop_runtime.gallery.torchvision``.
Rules of packages, and those that `onnxop_runtime.register` was given, take precedence.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..specs import register_gallery

FOLDER = Path(__file__).parent
OPERATORS = register_gallery(FOLDER / "aten")
if "torchvision" in sys.modules:
    from . import torchvision as torchvision
