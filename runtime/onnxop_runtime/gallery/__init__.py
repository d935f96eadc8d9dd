"""The gallery: specs of PyTorch's operators that its exporters do not support, or export wrong.

``import onnxop_runtime.gallery`` registers their rules with both exporters. Those for torchvision's
operators are included if torchvision is imported, or by ``import
onnxop_runtime.gallery.torchvision``. Rules of packages and of `onnxop_runtime.register` take
precedence.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..registered import register_gallery

FOLDER = Path(__file__).parent
OPERATORS = register_gallery(FOLDER / "aten")
if "torchvision" in sys.modules:
    from . import torchvision as torchvision
