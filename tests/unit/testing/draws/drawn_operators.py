"""Classes of tests with what draws ask them for: an operator's arguments, its reference and
samples.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from onnxop_runtime.testing.samples import Sample


def scalar(
    name: str, base_type: str, default: Any = None, *, is_list: bool = False
) -> SimpleNamespace:
    """Return an argument that is no tensor."""
    return SimpleNamespace(
        name=name, base_type=base_type, default=default, is_list=is_list, is_optional=False
    )


def class_of(
    reference: Any, *samples: Sample, scalars: Any = (), optional: Any = (), errors: Any = ()
) -> Any:
    """Return a class of tests of a compiled kernel for float32 and float16, whose arguments are
    tensors and scalars.
    """
    names = {scalar.name for scalar in scalars}
    tensors = [
        SimpleNamespace(name=name, is_list=draw.items is not None, is_optional=name in optional)
        for name, draw in samples[0].draws.items()
        if name not in names
    ]

    class Tests:
        operator = SimpleNamespace(
            has_reference=True,
            op_type="drawn",
            is_native=True,
            elementwise=False,
            reference=reference,
            rule=None,
            dtypes=(torch.float32, torch.float16),
            tensors=tensors,
            scalars=scalars,
            integers=(),
        )

        @staticmethod
        def in_onnx(function: Any) -> Any:
            return function

        @staticmethod
        def values(arguments: dict[str, Any]) -> dict[str, Any]:
            return {scalar.name: scalar.default for scalar in scalars} | arguments

    Tests.errors = errors  # type: ignore[attr-defined]
    Tests.samples = samples  # type: ignore[attr-defined]
    Tests.reference = staticmethod(reference)  # type: ignore[attr-defined]
    Tests.reference_as_written = staticmethod(reference)  # type: ignore[attr-defined]
    return Tests
