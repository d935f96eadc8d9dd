"""Numbers among the arguments of a call: those that only the model knows, and floats that ONNX
rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..mapping.numbers import leaves


class Computed:
    """An argument of a mapping that the model computes, such as a dynamic size. `Writer.constant`
    makes a tensor of it; its use as a number raises ValueError.
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def refuse(self, *_: object) -> NoReturn:
        """Raise the error for the use as a number."""
        raise ValueError(
            f"{self.name} is dynamic, but the rule needs a constant; pass a number, as in "
            "int(x.shape[0]), and do not make that axis dynamic"
        )

    __bool__ = __int__ = __index__ = __float__ = __len__ = __neg__ = __abs__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __rpow__ = refuse
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = refuse
    __hash__ = None  # type: ignore[assignment]


def is_computed(value: object) -> bool:
    """Return whether the model computes a value, or an item of it."""
    return any(isinstance(item, Computed) for item in leaves(value))


def check_known(values: Iterable[object]) -> None:
    """Raise ValueError if the model computes one of the values, or an item of one."""
    for value in values:
        for item in leaves(value):
            if isinstance(item, Computed):
                item.refuse()


def check_integer(value: object, element_type: str, *, is_number: bool = False) -> None:
    """Raise ValueError for a number that a tensor of integers cannot hold; with ``is_number``, for
    any float.
    """
    if "INT" not in element_type and element_type != "BOOL":
        return
    for item in leaves(value):
        if isinstance(item, float) and (is_number or not item.is_integer()):
            raise ValueError(
                f"the number {float(item)!r} is combined with integers ({element_type}), for which "
                "PyTorch computes in another dtype; convert the tensor before the call, or give an "
                "integer"
            )


def as_written(values: Sequence[object]) -> list[Any]:
    """Return floats that ONNX rounded to float32 as they were written: 1.7, not 1.70000005."""
    return [_shortest(value) if isinstance(value, float) else value for value in values]


def _shortest(value: float) -> float:
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if float(single) == value else value
