"""Arguments of an operator: their types and defaults, in PyTorch's schema language."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from dataclasses import dataclass

UNKNOWN_TYPE = "?"  # an argument's in the outline of an invalid schema
BASE_TYPES = ("Tensor", "float", "int", "SymInt", "bool", "str", "Scalar")
SUPPORTED = (
    "Tensor, float, int, SymInt, bool, str and Scalar, their optionals (Tensor?, float?), lists of "
    "float, int and SymInt (int[], int[2]?), and of tensors (Tensor[], Tensor?[])"
)
MEANINGLESS = ("Device", "Layout", "MemoryFormat")
"""Types of arguments to PyTorch's own operators that do not affect values."""
Default = float | int | bool | str | tuple[float | int | bool, ...] | None
_TYPE = re.compile(
    r"(?P<base>float|int|SymInt|bool|Tensor(?=\??\[\]\Z|\??\Z)|str(?!\[)|Scalar(?!\[)|ScalarType(?!\[))"
    r"(?P<items>(?<=Tensor)\?(?=\[))?(?P<list>\[(?P<length>[0-9]{0,4})\])?\??"
)
_PYTHON_TYPES = {"SymInt": "int", "Scalar": "float", "ScalarType": "torch.dtype"}
_EXAMPLES = {"float": "1.0", "int": "1", "bool": "True", "str": "'mean'", "Scalar": "1"}


@dataclass(frozen=True)
class Argument:
    """An argument of the operator. ``type`` is PyTorch's own spelling, such as ``SymInt[2]?``.

    ``default`` has a meaning only if ``has_default``; a list's is a tuple. A ``ScalarType?`` is
    left at None unless it ``is_exposed``: a mapping that does not name it would ignore it.
    """

    name: str
    type: str
    has_default: bool = False
    default: Default = None
    keyword_only: bool = False
    is_exposed: bool = False

    @property
    def base_type(self) -> str:
        """Return the type of the argument, or of a list's items; ``int`` for SymInt, too."""
        base_type = self._part("base") or self.type
        return "int" if base_type == "SymInt" else base_type

    @property
    def is_tensor(self) -> bool:
        return self.base_type == "Tensor"

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("?") and self.type != UNKNOWN_TYPE

    @property
    def is_list(self) -> bool:
        return self._part("list") is not None

    @property
    def has_optional_items(self) -> bool:
        """Return whether each item of the list may be None: ``Tensor?[]``."""
        return self._part("items") is not None

    @property
    def is_symbolic(self) -> bool:
        return self._part("base") == "SymInt"

    @property
    def is_always_none(self) -> bool:
        """Return whether the argument keeps its default, because ONNX has no equivalent."""
        if self.type.startswith("ScalarType"):
            return self.has_default and not self.is_exposed
        return self.type != UNKNOWN_TYPE and not is_supported(self.type)

    @property
    def length(self) -> int | None:
        """Return the number of items for which one number can stand; None if it must be a list."""
        return int(self._part("length") or 0) or None

    @property
    def fixed_length(self) -> int | None:
        """Return the list's required length; None for ``int[1]``, where any length is valid."""
        return None if self.length == 1 else self.length

    @property
    def python_type(self) -> str:
        """Return the argument's annotation in Python."""
        base_type = self._part("base")
        if base_type is None:
            return "Any"
        python_type = _PYTHON_TYPES.get(base_type, base_type)
        if self.has_optional_items:
            python_type += " | None"
        if self.is_list:
            python_type = f"Sequence[{python_type}]"
        return f"{python_type} | None" if self.is_optional else python_type

    @property
    def schema_default(self) -> str:
        """Return the default in PyTorch's schema language."""
        if isinstance(self.default, tuple):
            return f"[{', '.join(map(repr, self.default))}]"
        text = repr(self.default)
        is_plain = isinstance(self.default, str) and '"' not in text
        return f'"{text[1:-1]}"' if is_plain else text

    @property
    def example_default(self) -> str:
        """Return a valid default as an example; empty if there is none."""
        if self.base_type not in _EXAMPLES:
            return "None" if self.is_optional else ""
        item = _EXAMPLES[self.base_type]
        if not self.is_list:
            return item
        items = [item for _ in range(min(self.fixed_length or 2, 4))]
        return f"[{', '.join(items)}]"

    def _part(self, group: str) -> str | None:
        match = _TYPE.fullmatch(self.type)
        return match[group] if match else None


def is_supported(type_: str) -> bool:
    """Return whether a mapping supports the type."""
    return _TYPE.fullmatch(type_) is not None


def read_default(text: str, type_: str) -> tuple[Default] | None:
    """Return the default's value as a tuple of one, or None if its type is not the argument's.

    As in PyTorch, one item stands for all items of a list with a length.
    """
    argument = Argument("", type_)
    if text == "long" and type_ == "ScalarType?":  # in aten::tril_indices, where None means long
        text = "None"
    text = re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", text))
    try:
        with warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if value is None:
        return (None,) if argument.is_optional else None
    if not argument.is_list:
        item = _item(value, argument.base_type)
        return None if item is None else (item,)
    if not isinstance(value, list):
        if not argument.length:
            return None
        value = [value for _ in range(argument.length)]
    items = tuple(_item(item, argument.base_type) for item in value)
    if argument.fixed_length and len(items) not in (0, argument.fixed_length):
        return None
    return None if None in items else (items,)  # type: ignore[return-value]


def _item(value: object, base_type: str) -> float | int | bool | str | None:
    """Return a default in its type; None if it has another type, or is out of range."""
    match value:
        case bool():
            return value if base_type == "bool" else None
        case int() if base_type in ("int", "Scalar"):
            return value if -(2**63) <= value < 2**63 else None
        case int() | float() if base_type in ("float", "Scalar"):
            return float(value) if abs(value) <= sys.float_info.max else None
        case str():
            return value if base_type == "str" and value.isprintable() else None
        case _:
            return None
