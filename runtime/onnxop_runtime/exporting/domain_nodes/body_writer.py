"""The writer of a mapping's nodes for the body of an ONNX function."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...mapping.numbers import check_fits, leaves
from ...mapping.writing import NamedTensor, NodeWriter
from ...operator.export_context import Sizes
from ..exporter_names import NAMES, remedy_for_sizes
from ..numbers import check_integer


class BodyWriter(NodeWriter):
    """Writes the nodes of a function's body; no other value may have the name of an input."""

    def __init__(
        self,
        opset: int,
        inputs: Collection[str],
        types: dict[str, int],
        sizes: Mapping[str, Sizes],
        *,
        is_dynamo: bool,
        can_be_dynamo: bool,
    ) -> None:
        super().__init__(types, {**sizes})
        self.opset, self.inputs = opset, inputs
        self.exporter = NAMES[is_dynamo]
        self.remedy_for_sizes = remedy_for_sizes(dynamo=is_dynamo, can_be_dynamo=can_be_dynamo)
        self._count = 0  # of nodes and subgraphs

    def names(self, prefix: str, count: int) -> list[str]:
        names = [f"{prefix}_{self._count}_{index}" for index in range(count)]
        while any(name in self.inputs for name in names):
            names = [f"{name}_" for name in names]
        self._count += 1
        return names

    def constant(self, value: object, *, like: NamedTensor | str, is_number: bool = False) -> Any:
        """Write a constant in a tensor's element type, which the model may not tell, or in a named
        one.
        """
        if isinstance(like, str):
            check_fits(value, like)
            return self.tensor(value, like, "value")
        if element_type := self.element_type(like):
            check_integer(value, element_type, is_number=is_number)
            check_fits(value, element_type)
        is_float = any(isinstance(item, float) for item in leaves(value))
        number = self.tensor(value, "DOUBLE" if is_float else "INT64", "value")
        if self.opset >= 15:  # the first with CastLike
            return self.node("CastLike", number, like)
        return self.node("Cast", number, to=self.types[like.name])
