"""What TorchScript makes of the functions of a package: calls of their operators.

It could not read them itself: of Scalars, and of lists that are optional or may be given as one number, the
annotations say nothing that it understands; the schemas do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from .operator import Operator

Call = TypeVar("Call", bound=Callable[..., Any])

_register_builtin: Any = torch.jit._builtins._register_builtin
_state: Any = torch.jit._state
_torch: Any = torch._C


def scripted(operator: Operator) -> Callable[[Call], Call]:
    """Has TorchScript call the operator wherever it meets a function in Python that calls it, and make
    that call of the function itself.
    """

    def register(call: Call) -> Call:
        _register_builtin(call, operator.overload._schema.name)
        call.__prepare_scriptable__ = lambda: _prepared(call, operator)  # type: ignore[attr-defined]
        return call

    return register


def _prepared(call: Any, operator: Operator) -> Any:
    """The function, for which torch.jit.script then finds what is made of the schema here."""
    if _state._try_get_jit_cached_function(call) is None:
        schema, given = operator.overload._schema, {each.name for each in operator.arguments}
        arguments = [each for each in schema.arguments if each.name in given]
        typed = ", ".join(f"{each.name}: {each.type.annotation_str}" for each in arguments)
        passed = ", ".join(f"{each.name}={each.name}" for each in arguments)
        target = schema.name.replace("::", ".")
        source = f"def {call.__name__}({typed}):\n    return torch.ops.{target}({passed})\n"
        function = _torch._jit_script_compile(
            torch._jit_internal._qualified_name(call),
            _torch._parse_source_def(source),
            {"torch": torch}.get,
            {
                each.name: _frozen(each.default_value)
                for each in arguments
                if each.has_default_value()
            },
        )
        _state._set_jit_function_cache(call, function)
    return call


def _frozen(default: Any) -> Any:
    """TorchScript takes no list for a default, which a caller might change."""
    return tuple(default) if isinstance(default, list) else default
