"""TorchScript calls the operators in place of a package's functions.

It cannot compile the functions themselves: it does not understand their annotations of Scalars, of
optional lists, and of lists that may be one number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from .. import torch_internals as internals
from .model import Operator

Call = TypeVar("Call", bound=Callable[..., Any])


def scripted(operator: Operator) -> Callable[[Call], Call]:
    """Return a decorator with which TorchScript calls the operator in place of the function."""

    def register(call: Call) -> Call:
        target = internals.schema_of(operator.overload).name
        internals.script(call, target, lambda: _prepared(call, operator))
        return call

    return register


def _prepared(call: Any, operator: Operator) -> Any:
    """Return the function with a TorchScript version made from the operator's schema."""
    schema = internals.schema_of(operator.overload)
    names = {argument.name for argument in operator.arguments}
    arguments = [argument for argument in schema.arguments if argument.name in names]
    typed = ", ".join(f"{a.name}: {a.type.annotation_str}" for a in arguments)
    passed = ", ".join(f"{a.name}={a.name}" for a in arguments)
    target = schema.name.replace("::", ".")
    source = f"def {call.__name__}({typed}):\n    return torch.ops.{target}({passed})\n"
    defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
    # Tuples, because a caller might change a list.
    defaults = {n: tuple(v) if isinstance(v, list) else v for n, v in defaults.items()}
    return internals.scripted(call, source, {"torch": torch}, defaults)
