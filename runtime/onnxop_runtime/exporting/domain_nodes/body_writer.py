"""The writer that records a mapping's nodes as the body of an ONNX function."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...mapping.numbers import check_fits, leaves
from ...mapping.writing import NodeWriter
from ..rules import opsets
from ..rules.writer import check_integer


class Recorder(NodeWriter):
    """Records the nodes of a function's body; no other value may have the name of an input."""

    def __init__(
        self,
        opset: int,
        inputs: Collection[str],
        types: dict[str, int],
        shapes: dict[str, Any],
        *,
        is_dynamo: bool,
    ) -> None:
        super().__init__(types, shapes)
        self.opset, self.inputs = opset, inputs
        self.exporter = opsets.NAMES[is_dynamo]
        self.remedy_for_sizes = opsets.UNKNOWN_SIZES[is_dynamo]
        self._count = 0  # of nodes and subgraphs

    def names(self, prefix: str, count: int) -> list[str]:
        names = [f"{prefix}_{self._count}_{i}" for i in range(count)]
        while any(name in self.inputs for name in names):
            names = [f"{name}_" for name in names]
        self._count += 1
        return names

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        if isinstance(like, str):
            check_fits(value, like)
            return self.tensor(value, like, "value")
        if kind := self.kind(like):
            check_integer(value, kind, is_number=is_number)
            check_fits(value, kind)
        is_float = any(isinstance(item, float) for item in leaves(value))
        number = self.tensor(value, "DOUBLE" if is_float else "INT64", "value")
        if self.opset >= 15:  # the first with CastLike
            return self.node("CastLike", number, like)
        return self.node("Cast", number, to=self.types[like.name])
