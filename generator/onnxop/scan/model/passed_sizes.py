"""A call of a model → the sizes of the tensors that its operators return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from onnxop_runtime.torch_internals import DispatchMode, pytree

from ...trial.call import Call

Shapes = list[tuple[int, ...]]


def passed_sizes(call: Call) -> Shapes | None:
    """Return the shapes of the tensors that the model's operators return, in their order; None if
    PyTorch refuses the call.
    """
    with _Shapes() as mode:
        is_accepted = call.is_accepted()
    return mode.shapes if is_accepted else None


def are_alike(shapes: Shapes, example: Shapes) -> bool:
    """Return whether the same number of tensors have the same ranks, and no size is below 2 that is
    not in the example: a size of 1 may be broadcast, and makes another case of many operators.
    """
    return len(shapes) == len(example) and all(
        len(own) == len(other) and all(n >= min(m, 2) for n, m in zip(own, other, strict=True))
        for own, other in zip(shapes, example, strict=True)
    )


class _Shapes(DispatchMode):  # type: ignore[misc]
    """Notes the shapes of tensors that operators return."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: Shapes = []

    def __torch_dispatch__(
        self,
        overload: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call the operator, and note the shapes."""
        results = overload(*args, **(kwargs or {}))
        tensors = [leaf for leaf in pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor)]
        self.shapes += [tuple(tensor.shape) for tensor in tensors]
        return results
