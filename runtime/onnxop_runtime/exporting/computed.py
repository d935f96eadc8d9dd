"""Numbers that the model computes, as sizes along open axes, among the arguments of a rule."""

from __future__ import annotations

from typing import Any, NoReturn


class Computed:
    """A number of which the exporter has a value in the graph alone. A rule makes a tensor of it, by
    `Writer.constant`; what else it asks of a number is refused, by a ValueError.
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def refuse(self, *_: object) -> NoReturn:
        raise ValueError(
            f"{self.name} is computed in the model, as of an open axis, where the rule needs a number; "
            "give it one, as in int(x.shape[0]), and keep that axis closed"
        )

    __bool__ = __int__ = __index__ = __float__ = __len__ = __neg__ = __abs__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __rpow__ = refuse
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = refuse
    __hash__ = None  # type: ignore[assignment]


def items(value: Any) -> list[Any]:
    """Those of a list; of another value, itself."""
    return list(value) if isinstance(value, list | tuple) else [value]


def is_computed(value: Any) -> bool:
    """Whether it is such a number, or a list with one."""
    return any(isinstance(item, Computed) for item in items(value))


def marked(name: str, value: Any) -> Any:
    """An argument of integers, with what is none as `Computed`."""
    if isinstance(value, list | tuple):
        return [marked(name, item) for item in value]
    return value if value is None or isinstance(value, int) else Computed(name, value)


def check_known(values: Any) -> None:
    """Raises ValueError where one is computed."""
    for item in (item for value in values for item in items(value)):
        if isinstance(item, Computed):
            item.refuse()
