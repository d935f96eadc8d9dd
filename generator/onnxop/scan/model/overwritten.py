"""A call of a model → whether it writes unequal values to one element, of which PyTorch leaves open
which one stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from onnxop_runtime.torch_internals import DispatchMode, schema_of

from ...trial.call import Call


def is_in_any_order(call: Call) -> bool:
    """Return whether PyTorch accepts the call, and its results do not depend on the order in which
    values are written to one element.
    """
    with _Overwritten() as mode:
        is_accepted = call.is_accepted()
    return is_accepted and not mode.is_found


class _Overwritten(DispatchMode):  # type: ignore[misc]
    """Notes whether unequal values are written to one element.

    Attributes:
        is_found: whether they were.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_found = False

    def __torch_dispatch__(
        self,
        overload: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call the operator; before it writes, look for elements of its values that do not stay."""
        schema = schema_of(overload)
        name = schema.name.partition("::")[2].strip("_").removeprefix("unsafe_")
        values = {a.name: value for a, value in zip(schema.arguments, args, strict=False)}
        values |= kwargs or {}
        if lost := _LOST.get(name):
            self.is_found |= lost(values)
        return overload(*args, **(kwargs or {}))


def _is_lost(
    written: torch.Tensor,
    write: Callable[[torch.Tensor], torch.Tensor],
    read: Callable[[torch.Tensor], torch.Tensor],
) -> bool:
    """Return whether a value differs from the one that stays at its element: each is numbered, the
    numbers are written in its place, and read again.
    """
    flat = written.flatten()
    numbers = torch.arange(flat.numel()).view(written.shape)
    staying = flat[read(write(numbers)).flatten()]
    return not torch.equal(staying.nan_to_num(), flat.nan_to_num())


def _of_index_put(values: Mapping[str, Any]) -> bool:
    if values.get("accumulate", False):
        return False
    indices, places = values["indices"], torch.zeros_like(values["self"], dtype=torch.int64)
    index, index_put = torch.ops.aten.index, torch.ops.aten.index_put
    return _is_lost(
        values["values"].expand(index(places, indices).shape),
        lambda numbers: index_put(places, indices, numbers),
        lambda put: index(put, indices),
    )


def _of_scatter(values: Mapping[str, Any]) -> bool:
    if "src" not in values or values.get("reduce") is not None:
        return False
    tensor, dim, index = values["self"], values["dim"], values["index"]
    written = values["src"][tuple(slice(size) for size in index.shape)]
    places = torch.zeros_like(tensor, dtype=torch.int64)
    return _is_lost(
        written,
        lambda numbers: places.scatter(dim, index, numbers),
        lambda put: put.gather(dim, index),
    )


def _of_index_copy(values: Mapping[str, Any]) -> bool:
    tensor, dim, index = values["self"], values["dim"], values["index"]
    places = torch.zeros_like(tensor, dtype=torch.int64)
    return _is_lost(
        values["source"],
        lambda numbers: places.index_copy(dim, index, numbers),
        lambda put: put.index_select(dim, index),
    )


def _of_put(values: Mapping[str, Any]) -> bool:
    if values.get("accumulate", False):
        return False
    index, places = values["index"], torch.zeros_like(values["self"], dtype=torch.int64)
    return _is_lost(
        values["source"].view(index.shape),
        lambda numbers: places.put(index, numbers),
        lambda put: put.take(index),
    )


_LOST: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "index_put": _of_index_put,
    "index_put_impl": _of_index_put,
    "scatter": _of_scatter,
    "index_copy": _of_index_copy,
    "put": _of_put,
}
"""By operator, in all its forms, whether its values are lost."""
