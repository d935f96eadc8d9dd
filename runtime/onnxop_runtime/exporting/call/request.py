"""A call of `export`, checked: what an exporter gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .model_arguments import Axes, Call, Model

DynamicShapes = dict[str, Any] | tuple[Any, ...] | list[Any]


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """The arguments of `export` that do not depend on operators."""

    call: Call
    """The model, and the arguments with which the exporter traces it."""
    input_names: Sequence[str] | None = None
    output_names: Sequence[str] | None = None
    dynamic_shapes: DynamicShapes | None = None
    """The dynamic dimensions for the dynamo exporter."""
    dynamic_axes: Axes | None = None
    """The dynamic dimensions for the TorchScript exporter."""
    table: Mapping[Callable[..., Any], Callable[..., Any]] = field(default_factory=dict)
    """The caller's rules for the dynamo exporter, which precede all others."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `torch.onnx.export`."""

    @property
    def model(self) -> Model:
        model: Model = self.call[0]
        return model
