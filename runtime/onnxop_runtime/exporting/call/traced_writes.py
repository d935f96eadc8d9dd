"""Writes to views of tensors, and to tensors of ``out=`` → writes to whole tensors, which the
TorchScript exporter keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from ...operator.in_place import note_lost_write
from ...torch_internals import (
    OpOverload,
    get_value_trace,
    is_tracing,
    name_of,
    overload_of,
    pytree,
    schema_of,
    set_value_trace,
)

_Function = Callable[..., Any]

_OPERATORS = frozenset(
    f"__i{name}__"
    for name in "add and floordiv lshift mod mul or pow rshift sub truediv xor".split()
)
_NO_WRITES = frozenset(  # functions whose names end like those that write
    "as_strided_ detach_ rename_ requires_grad_ resize_ resize_as_ set_ share_memory_ squeeze_ "
    "swapaxes_ swapdims_ t_ transpose_ unsqueeze_".split()
)


@dataclass(frozen=True)
class _View:
    """A view of a tensor.

    Attributes:
        parent: the tensor that it is a view of, which may be a view itself.
        root: the tensor at the end of these, which is no view.
        take: takes the same view of a tensor.
        put: returns a tensor with other values at the elements of the view.
    """

    parent: torch.Tensor
    root: torch.Tensor
    take: Callable[[torch.Tensor], torch.Tensor]
    put: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class TracedWrites(TorchFunctionMode):
    """Has a trace record what is written to a view as a write to the tensor that it is of.

    The TorchScript exporter loses such writes, but for slices that are taken on the line of the
    write, and has no rules for ``out=``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._views: Any = WeakIdKeyDictionary()

    def __torch_function__(
        self,
        func: _Function,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Call a function; record views, and writes to these."""
        named = dict(kwargs or {})
        if not is_tracing():
            return func(*args, **named)
        out = named.pop("out", None)
        if out is not None:
            return self._call_with_out(func, args, named, out)
        if _writes_to_first_argument(func, args):
            return self._call_in_place(func, args, named)
        overload = overload_of(func)
        written = _written_tensors(overload, args, named) if overload else {}
        if overload and written:
            return self._call_writing(overload, args, named, written)
        results = func(*args, **named)
        self._record_views(func, args, named, results)
        return results

    def _call_with_out(
        self, func: _Function, args: Sequence[Any], kwargs: Mapping[str, Any], out: object
    ) -> object:
        """Call a function without its ``out``, and write its results to these tensors."""
        function = getattr(func, "overloadpacket", func)
        results = pytree.tree_leaves(function(*args, **kwargs))
        for tensor, result in zip(pytree.tree_leaves(out), results, strict=True):
            self._write(tensor, result)
        return out

    def _call_in_place(
        self, func: _Function, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> object:
        """Call a function that writes to its first argument; of a view, with a copy of it, which is
        written to the view then.
        """
        tensor = args[0]
        if func.__name__ == "copy_":
            self._write(tensor, args[1])
            return tensor
        if tensor not in self._views:
            results = func(*args, **kwargs)
            self._update_views_of(tensor)
            return results
        copy = tensor.clone()
        results = func(copy, *args[1:], **kwargs)
        self._write(tensor, copy)
        return tensor if results is copy else results

    def _call_writing(
        self,
        overload: OpOverload,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        written: Mapping[str, torch.Tensor],
    ) -> object:
        """Call an operator that writes to the ``written`` arguments, with copies in place of views,
        which are written to these then.
        """
        views = {id(tensor): tensor for tensor in written.values() if tensor in self._views}
        copies = {key: view.clone() for key, view in views.items()}
        view_of_copy = {id(copies[key]): view for key, view in views.items()}
        args, kwargs = pytree.tree_map(lambda value: copies.get(id(value), value), (args, kwargs))
        results = overload(*args, **kwargs)
        for argument, tensor in written.items():
            copy = copies.get(id(tensor))
            if copy is None:
                self._update_views_of(tensor)
            else:
                note_lost_write(name_of(overload), argument, self._views[tensor].root)
                self._write(tensor, copy)
        return pytree.tree_map(lambda result: view_of_copy.get(id(result), result), results)

    def _record_views(
        self, func: _Function, args: Sequence[Any], kwargs: Mapping[str, Any], results: object
    ) -> None:
        """Record which of the results are views of the first argument."""
        if not args or not isinstance(args[0], torch.Tensor):
            return
        parent = args[0]
        root = self._views[parent].root if parent in self._views else parent
        is_item = getattr(func, "__name__", "") == "__getitem__"
        for at, result in enumerate(pytree.tree_leaves(results)):
            if isinstance(result, torch.Tensor) and _is_view(result, parent):
                take = partial(_take_view, func, args[1:], kwargs, at)
                put = partial(_with_item, args[1]) if is_item else partial(_scattered, take)
                self._views[result] = _View(parent, root, take, put)

    def _write(self, tensor: torch.Tensor, values: torch.Tensor) -> None:
        """Write to a tensor; to a view, by writing to the tensor that is no view."""
        values = values.to(tensor.dtype).expand(tensor.shape)
        while tensor in self._views:
            view = self._views[tensor]
            values = view.put(view.parent, values)
            tensor = view.parent
        tensor.copy_(values)
        self._update_views_of(tensor)

    def _update_views_of(self, root: torch.Tensor) -> None:
        """Have the trace take the values of views anew after a write."""
        for tensor, view in [*self._views.items()]:
            if view.root is root:
                set_value_trace(tensor, get_value_trace(view.take(view.parent)))


def _writes_to_first_argument(func: _Function, args: Sequence[Any]) -> bool:
    """Return whether a function, by its name, writes to its first argument, a tensor."""
    if not args or not isinstance(args[0], torch.Tensor):
        return False
    name = getattr(func, "__name__", "")
    if name.startswith("__"):
        return name == "__setitem__" or name in _OPERATORS
    return name.endswith("_") and name not in _NO_WRITES


def _written_tensors(
    overload: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, torch.Tensor]:
    """Return the tensors to which an operator writes, as its schema says, by argument."""
    arguments = schema_of(overload).arguments
    names = [argument.name for argument in arguments]
    values = {**dict(zip(names, args, strict=False)), **kwargs}
    aliases = {argument.name: argument.alias_info for argument in arguments}
    written = [name for name, alias in aliases.items() if alias is not None and alias.is_write]
    return {name: values[name] for name in written if isinstance(values.get(name), torch.Tensor)}


def _is_view(result: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Return whether a tensor has elements of another one, of the same type."""
    if result is tensor or result.dtype != tensor.dtype or result.layout != torch.strided:
        return False
    return result.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()


def _take_view(
    func: _Function,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    index: int,
    tensor: torch.Tensor,
) -> torch.Tensor:
    """Call a function on a tensor again, as it was called on another; return the result, by its
    index, that is a view.
    """
    view: torch.Tensor = pytree.tree_leaves(func(tensor, *args, **kwargs))[index]
    return view


def _with_item(index: Any, tensor: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return a tensor with other values at an index."""
    changed = tensor.clone()
    changed[index] = values
    return changed


def _scattered(take: _Function, tensor: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return a tensor with other values at the elements of a view: the view of their positions says
    where these are.
    """
    positions = torch.arange(tensor.numel(), device=tensor.device).reshape(tensor.shape)
    index = take(positions).reshape(-1)
    return tensor.reshape(-1).scatter(0, index, values.reshape(-1)).reshape(tensor.shape)
