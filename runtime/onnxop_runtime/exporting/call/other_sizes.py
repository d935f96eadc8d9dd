"""A trace for the TorchScript exporter → whether the model's trace is the same where its dynamic axes
have other sizes: a file has one side of a condition on a size, and the steps of a loop.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, zip_longest
from typing import Any

import torch
from torch import Tensor

from ...torch_internals import pytree
from .. import model_lines
from .dynamic_shapes import STEPS, copy_of_model
from .model_arguments import Axes

_Dimension = tuple[int, int]
"""The index of an input, and a dimension of it."""
_Node = tuple[str, str]
"""A node of a trace as text, and the line of the model that calls it."""

_LONGEST_CONSTANT = 16
_is_checked: ContextVar[bool] = ContextVar("onnxop_other_sizes", default=True)


@contextmanager
def unchecked() -> Iterator[None]:
    """Leave the check out in the block, whose caller compares the file at other sizes itself."""
    token = _is_checked.set(False)
    try:
        yield
    finally:
        _is_checked.reset(token)


class OneSidedTrace(UserWarning):
    """A trace holds for one side of a condition on a size only."""


def difference(model: Any, inputs: Sequence[Tensor], names: Sequence[str], axes: Axes) -> str:
    """Return at which sizes near the example's the trace of a model is another one, and where in
    the model; "" if there are none. All dynamic dimensions change at once; one by one, if the model
    refuses that, or to tell which one makes the difference. A size that the model refuses is none.
    """
    groups = [*_groups(inputs, names, axes)]
    recorded = _trace(model, inputs) if groups and _is_checked.get() else None
    if recorded is None:
        return ""
    together = [*chain(*groups)]
    line = _differing_line(model, inputs, recorded, together)
    if line == "":
        return ""
    differing = ((same, _differing_line(model, inputs, recorded, same)) for same in groups)
    same, line = next((found for found in differing if found[1]), (together, line))
    if not line or recorded != _trace(model, inputs):
        return ""
    index, dimension = same[0]
    return (
        f"the TorchScript exporter recorded the model where dimension {dimension} of "
        f"{names[index]} is {inputs[index].shape[dimension]}, but at sizes near it the model calls "
        f"other operators, or with other numbers, from {line} on; write it for any size, or leave "
        "the dimension out of dynamic_axes"
    )


def _differing_line(
    model: Any, inputs: Sequence[Tensor], recorded: Sequence[_Node], same: Sequence[_Dimension]
) -> str | None:
    """Return the line from which on the trace is another one if these dimensions have a size near
    the example's; "" if there is none, None if the model refuses all these sizes.
    """
    line = None
    for step in STEPS:
        other = _trace(model, _resized(inputs, same, step))
        if other is not None:
            line = _first_difference(recorded, other)
        if line:
            break
    return line


def _groups(
    inputs: Sequence[Tensor], names: Sequence[str], axes: Axes
) -> Iterator[list[_Dimension]]:
    """Yield the dynamic dimensions that have the same name, and so the same size."""
    by_name: dict[str, list[_Dimension]] = {}
    for index, name in enumerate(names[: len(inputs)]):
        for dimension, axis in axes.get(name, {}).items():
            by_name.setdefault(axis, []).append((index, dimension))
    yield from by_name.values()


def _resized(inputs: Sequence[Tensor], same: Sequence[_Dimension], step: int) -> list[Tensor]:
    """Return the inputs with dimensions that are longer by a step, at least 2, of their values again."""
    resized = list(inputs)
    for index, dimension in same:
        tensor, example = resized[index].detach(), resized[index].shape[dimension]
        places = torch.arange(max(example + step, 2), device=tensor.device)
        resized[index] = tensor.index_select(dimension, places % max(example, 1))
    return resized


def _first_difference(nodes: Sequence[_Node], nodes_at_other_sizes: Sequence[_Node]) -> str:
    """Return the line of the first node by which two traces differ; "" if they do not."""
    for node, other in zip_longest(nodes, nodes_at_other_sizes, fillvalue=("", "")):
        if node[0] != other[0]:
            return node[1] or other[1] or "an unknown line"
    return ""


def _trace(model: Any, inputs: Sequence[Tensor]) -> list[_Node] | None:
    """Return the trace of a copy of a model; None if the model refuses the inputs."""
    copy = copy_of_model(model)
    if copy is None:
        return None
    copies = tuple(tensor.detach().clone() for tensor in inputs)
    with warnings.catch_warnings(action="ignore"), torch.no_grad(), _as_in_export():
        try:
            traced: Any = torch.jit.trace(  # type: ignore[no-untyped-call,unused-ignore]
                _TensorResults(copy), copies, check_trace=False, strict=False
            )
        except Exception:  # noqa: BLE001 - the model's own, or the tracer's
            return None
        return [(_text(node), _line(node)) for node in traced.inlined_graph.nodes()]


def _text(node: Any) -> str:
    """Return the kind of a node; of a constant, with its value, unless that is a large tensor."""
    if node.kind() != "prim::Constant":
        return str(node.kind())
    value = node.output().toIValue()
    if isinstance(value, Tensor):
        value = value.tolist() if value.numel() <= _LONGEST_CONSTANT else value.shape
    return f"{node.kind()} {value}"


def _line(node: Any) -> str:
    """Return the line of the model that calls a node, with its text."""
    place = model_lines.of_traced_node(node)
    file, _, line = place.rpartition(":")
    text = linecache.getline(file, int(line)).strip() if place else ""
    return f"{place}, `{text}`," if text else place


@contextmanager
def _as_in_export() -> Iterator[None]:
    """Have models compute what they do in exports."""
    original = torch.onnx.is_in_onnx_export
    torch.onnx.is_in_onnx_export = lambda: True
    try:
        yield
    finally:
        torch.onnx.is_in_onnx_export = original


class _TensorResults(torch.nn.Module):
    """A model that returns the tensors of its results."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        results = pytree.tree_leaves(self.model(*inputs))
        return tuple(result for result in results if isinstance(result, Tensor))
