"""The test classes of packages: one class per operator, with the samples to run it on.

    class TestMyAdd(testing.ElementwiseTests):
        operator = OP
        function = staticmethod(my_add.my_add)
        module = my_add.MyAdd
        samples = [
            testing.Sample(a=testing.random("float32", 2, 3), b=testing.random("float32", 3))
        ]

Names are imported at first use, because the pytest plugin must not import PyTorch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..optional_imports import need

if TYPE_CHECKING:
    from .base import OperatorTests as OperatorTests
    from .base_classes import ComposedTests as ComposedTests
    from .base_classes import ElementwiseTests as ElementwiseTests
    from .base_classes import ExistingTests as ExistingTests
    from .base_classes import SourceTests as SourceTests
    from .samples import Error as Error
    from .samples import Sample as Sample
    from .samples import fixed as fixed
    from .samples import many as many
    from .samples import random as random
    from .samples import tensor as tensor

_HOME = {
    "base": ["OperatorTests"],
    "base_classes": ["ComposedTests", "ElementwiseTests", "ExistingTests", "SourceTests"],
    "samples": ["Error", "Sample", "fixed", "many", "random", "tensor"],
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            need(f"{__name__}.{name}", "pytest")
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
