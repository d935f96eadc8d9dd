"""Operators that PyTorch has, described as a package that is not built would describe them."""

from __future__ import annotations

from typing import Any

from onnxop_runtime.mapping import language
from onnxop_runtime.operator.export_context import ExportContext
from onnxop_runtime.operator.library import Library
from onnxop_runtime.operator.model import Operator

OPSET = 18


class Owner:
    """A package that is not built."""

    version = "0.1.0"

    def __init__(self, name: str = "my_lib") -> None:
        self.name = name
        self.library = Library(name)


def existing(name: str, mapping: str = "", owner: str = "my_lib", **fields: Any) -> Operator:
    """Return an operator that covers an overload of PyTorch's: ``aten::asinh.default``."""
    description: dict[str, Any] = {
        "domain": "my_lib",
        "op_type": name.partition("::")[2].partition(".")[0],
        "opset": OPSET,
    }
    operator = Operator(package=Owner(owner), name=name, existing=name, **(description | fields))
    if not mapping:
        return operator
    parameters = [argument.name for argument in operator.arguments]
    rule = language.function(mapping, parameters)
    return existing(name, owner=owner, rule=rule, **fields)


def asinh(**fields: Any) -> Operator:
    return existing("aten::asinh.default", "op.Asinh(self)", **fields)


def context(*operators: Operator, dynamo: bool = True, **fields: Any) -> ExportContext:
    return ExportContext(operators, dynamo, OPSET, **fields)
