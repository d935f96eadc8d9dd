"""Whether a reference rounds numbers, such as x / (largest / 127), that it computes exactly: then a
tie between two integers is one for every right kernel.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from ....torch_internals import pytree
from ...arguments import Arguments, floats_of, have_equal_numbers, is_floating, with_tensors
from ...base import OperatorTests

_ROUNDINGS = {
    *("round", "floor", "ceil", "trunc", "fix", "frac", "floor_divide", "remainder", "fmod"),
    *("to", "type", "int", "long", "short", "char", "byte", "div", "divide", "round_", "floor_"),
}
"""The functions of PyTorch that may round to integers."""


class _Steps(TorchFunctionMode):
    """Records the results of floating-point functions, and whether a function rounds."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Tensor] = []
        self.has_rounding = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.has_rounding |= getattr(func, "__name__", "") in _ROUNDINGS
        leaves = pytree.tree_leaves(result)
        self.results += [leaf for leaf in leaves if isinstance(leaf, Tensor) and is_floating(leaf)]
        return result


def rounds_exactly(tests: type[OperatorTests], arguments: Arguments) -> bool:
    """Return whether the reference rounds numbers of a call to integers, and each of its steps has
    the same numbers in the call's dtypes as in float64.
    """
    double = {name: t.double() for name, t in floats_of(arguments, arguments).items()}
    own, wide = _Steps(), _Steps()
    try:
        for steps, tensors in ((own, {}), (wide, double)):
            with steps:
                tests.reference_as_written(**with_tensors(arguments, tensors))
    except Exception:  # noqa: BLE001 - whatever a reference raises
        return False
    if not own.has_rounding or len(own.results) != len(wide.results):
        return False
    return all(map(have_equal_numbers, own.results, wide.results))
