"""What TorchScript makes of the functions of a package: calls of their operators.

It could not read them itself: of Scalars, and of lists that are optional or may be given as one number, the
annotations say nothing that it understands; the schemas do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from .. import torch_internals as internals
from .description import Operator

Call = TypeVar("Call", bound=Callable[..., Any])


def scripted(operator: Operator) -> Callable[[Call], Call]:
    """Have TorchScript call the operator wherever it meets a Python function that calls it, and make that
    call of the function itself.
    """

    def register(call: Call) -> Call:
        target = internals.schema_of(operator.overload).name
        internals.script(call, target, lambda: _prepared(call, operator))
        return call

    return register


def _prepared(call: Any, operator: Operator) -> Any:
    """The function, for which torch.jit.script then finds what is made of the schema here."""
    schema = internals.schema_of(operator.overload)
    given = {each.name for each in operator.arguments}
    arguments = [each for each in schema.arguments if each.name in given]
    typed = ", ".join(f"{each.name}: {each.type.annotation_str}" for each in arguments)
    passed = ", ".join(f"{each.name}={each.name}" for each in arguments)
    target = schema.name.replace("::", ".")
    source = f"def {call.__name__}({typed}):\n    return torch.ops.{target}({passed})\n"
    defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
    # No lists, which a caller might change.
    defaults = {n: tuple(v) if isinstance(v, list) else v for n, v in defaults.items()}
    return internals.scripted(call, source, {"torch": torch}, defaults)
