"""A call as a module of its tensors, which exporters trace, and the results of an exported
program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.export.graph_signature import ConstantArgument, OutputKind

from ..torch_internals import pytree


def map_items(value: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a function to each item of nested containers; return the containers with the
    results.
    """
    is_item = lambda value: not isinstance(value, list | tuple | dict)
    return pytree.tree_map(change, value, is_leaf=is_item)


class TensorsOnly(torch.nn.Module):
    """A model as a function of its tensors, as the TorchScript exporter makes inputs of numbers."""

    def __init__(self, model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        super().__init__()
        self.model, self.arguments = model, (args, kwargs)
        self.training = getattr(model, "training", False)

    def forward(self, *tensors: Tensor) -> object:
        feed = iter(tensors)
        next_tensor = lambda v: next(feed) if isinstance(v, Tensor) else v
        args, kwargs = map_items(self.arguments, next_tensor)
        return self.model(*args, **kwargs)


def returned(program: Any) -> list[tuple[Any, Any]]:
    """Return the model outputs of an exported program, without buffer mutations: each argument and
    its node.
    """
    (results,) = next(iter(reversed(program.graph.nodes))).args
    return [
        (spec.arg, node)
        for spec, node in zip(program.graph_signature.output_specs, results, strict=True)
        if spec.kind == OutputKind.USER_OUTPUT and not isinstance(spec.arg, ConstantArgument)
    ]
