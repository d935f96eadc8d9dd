"""Functions of PyTorch of which `torch.jit.trace` makes constants → the same, computed by operators
that it records.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from math import prod
from typing import Any

import torch

from ...mapping.numbers import is_list, leaves
from ...torch_internals import TracerWarning, depends_on_others, is_tracing, scripted_as
from . import floor_division
from .model_arguments import Model
from .traced_writes import TracedWrites

_Function = Callable[..., Any]


@contextmanager
def recorded(model: Model) -> Iterator[set[str]]:
    """Have `torch.jit.trace` record sizes in tensors and lists, and overlapping views, in place of
    the values and strides that they have in the trace of a model. Yield the names of the functions
    that it has then called in another way.
    """
    used = set[str]()
    with ExitStack() as stack:
        for owner, name, instead in (*_INSTEAD, (torch.Tensor, "tolist", _tolist_in(model))):
            original = getattr(owner, name)
            stack.callback(_restore, owner, name, vars(owner).get(name))
            function = _in_traces(original, instead, used)
            stack.enter_context(scripted_as(function, original))
            setattr(owner, name, function)
        apply = vars(torch.autograd.Function)["apply"]
        stack.callback(setattr, torch.autograd.Function, "apply", apply)
        inlined: Any = classmethod(_in_traces(partial(_applied, apply), _forward, used))
        torch.autograd.Function.apply = inlined
        stack.enter_context(TracedWrites())
        yield used


def _restore(owner: type, name: str, before: object) -> None:
    """Set an attribute to what it was; None: the owner had none of its own."""
    if before is None:
        delattr(owner, name)
    else:
        setattr(owner, name, before)


def _in_traces(original: _Function, instead: _Function, used: set[str]) -> _Function:
    """Return a function that returns what ``instead`` does under a trace of its thread; the
    original's result without a trace, and where that is NotImplemented.
    """

    name = getattr(original, "__name__", "apply")

    @wraps(original, updated=())
    def function(*args: object, **kwargs: object) -> object:
        if not is_tracing():
            return original(*args, **kwargs)
        result = instead(original, *args, **kwargs)
        if result is NotImplemented:
            return original(*args, **kwargs)
        used.add(name)
        return result

    return function


# ---- Functions of autograd ----


def _applied(apply: Any, function: Any, *args: object, **kwargs: object) -> object:
    """Call a function of autograd by PyTorch's own ``apply``, a descriptor."""
    return apply.__get__(None, function)(*args, **kwargs)


def _forward(_original: _Function, function: Any, *args: object, **kwargs: object) -> object:
    """Return what a function of autograd computes. PyTorch's tracer fails at some that have no
    ``symbolic``, as at arguments that are modules.
    """
    if hasattr(function, "symbolic"):
        return NotImplemented
    if function.setup_context is not torch.autograd.Function.setup_context:
        return function.forward(*args, **kwargs)
    context: Any = torch.autograd.function.FunctionCtx()
    context.needs_input_grad = (False,) * len(args)
    return function.forward(context, *args, **kwargs)


# ---- Sizes in tensors and lists ----


def _tensor(original: _Function, data: object, *args: object, **kwargs: object) -> object:
    """Return a tensor of nested lists that have sizes: these stacked."""
    items = leaves(data)
    if not is_list(data) or not any(map(_is_size, items)) or kwargs.get("requires_grad"):
        return NotImplemented
    if any(isinstance(item, torch.Tensor) and not _is_size(item) for item in items):
        return NotImplemented
    with _without_warnings():
        constant = original(data, *args, **kwargs)
        numbers = constant.flatten().unbind()
    pairs = zip(items, numbers, strict=True)
    parts = [item.to(number) if _is_size(item) else number for item, number in pairs]
    return torch.stack(parts).reshape(constant.shape)


def _new_tensor(original: _Function, tensor: torch.Tensor, *args: object, **kw: object) -> object:
    """Return what `torch.tensor` does, with the dtype of a tensor."""
    return _tensor(partial(original, tensor), *args, **kw)


def _new(_original: _Function, tensor: torch.Tensor, *sizes: object, **kwargs: object) -> object:
    """Return an uninitialised tensor of these sizes."""
    first = sizes[0] if sizes else None
    shape: tuple[Any, ...] = tuple(first) if isinstance(first, torch.Size) else sizes
    if kwargs or not shape or not all(isinstance(n, int) or _is_size(n) for n in shape):
        return NotImplemented
    return tensor.new_empty(shape)


def _linspace(
    original: _Function, start: object, end: object, steps: object, **kwargs: Any
) -> object:
    """Return evenly spaced numbers. If a bound is computed of sizes, both get the result's dtype:
    the exporter's rule returns that of the bounds.
    """
    dtype = kwargs.get("dtype") or torch.get_default_dtype()
    if not _is_size(start) and not _is_size(end):
        return NotImplemented
    with _without_warnings():
        first, last = (torch.as_tensor(bound).to(dtype) for bound in (start, end))
    return original(first, last, steps, **kwargs)


def _tolist_in(model: Model) -> _Function:
    """Return a function that returns integers which the model computes of its inputs as nested
    lists of tensors, which a trace takes as sizes.
    """

    def tolist(_original: _Function, tensor: torch.Tensor) -> object:
        is_float = tensor.is_floating_point() or tensor.is_complex()
        state = [*model.parameters(), *model.buffers()]
        if is_float or tensor.dtype == torch.bool or not depends_on_others(tensor, state):
            return NotImplemented
        if tensor.dim():
            text = "The trace keeps the number of items that a tensor has in tolist()."
            warnings.warn(text, TracerWarning, stacklevel=3)
        return _items(tensor)

    return tolist


def _items(tensor: torch.Tensor) -> object:
    return tensor if tensor.dim() == 0 else [_items(item) for item in tensor.unbind()]


def _is_size(value: Any) -> bool:
    """Return whether a value may be a size in a trace, or a number computed of sizes."""
    return isinstance(value, torch.Tensor) and value.dim() == 0


# ---- Views that overlap ----


def _as_strided(
    _original: _Function,
    tensor: torch.Tensor,
    size: Sequence[Any],
    stride: Sequence[Any],
    storage_offset: int | None = None,
) -> object:
    """Return the elements at these strides, gathered: ONNX has no strides."""
    with _without_warnings():
        order = _dense_order(tensor)
        steps = [int(step) for step in stride]
        offset = 0 if storage_offset is None else int(storage_offset) - tensor.storage_offset()
        last = offset + sum((int(n) - 1) * s for n, s in zip(size, steps, strict=True))
        if order is None or not 0 <= offset <= last < tensor.numel():
            return NotImplemented
        computed = [_step(tensor, order, step) for step in steps]
    index: Any = offset
    for d, (count, step) in enumerate(zip(size, computed, strict=True)):
        positions = torch.arange(count, device=tensor.device) * step
        index = index + positions.reshape([-1 if n == d else 1 for n in range(len(size))])
    return tensor.permute(order).reshape(-1)[index]


def _dense_order(tensor: torch.Tensor) -> list[int] | None:
    """Return the dimensions in the order of the memory; None if it has gaps, or elements twice."""
    strides = tensor.stride()
    sizes = [int(size) for size in tensor.shape]
    order = sorted(range(tensor.dim()), key=lambda d: (-strides[d], -sizes[d]))
    inner = [prod(sizes[d] for d in order[at + 1 :]) for at in range(len(order))]
    pairs = zip(order, inner, strict=True)
    is_dense = all(strides[d] == step for d, step in pairs if sizes[d] > 1)
    return order if is_dense else None


def _step(tensor: torch.Tensor, order: Sequence[int], step: int) -> Any:
    """Return a step in memory as a multiple of the longest stride of the tensor that divides it,
    computed of sizes.
    """
    strides = tensor.stride()
    outer = [at for at, d in enumerate(order) if strides[d] and step % strides[d] == 0]
    if step == 0 or not outer:
        return step
    at = outer[0]
    computed: Any = step // strides[order[at]]
    for d in order[at + 1 :]:
        computed = computed * tensor.shape[d]
    return computed


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Leave out the trace's warnings of constants, which are meant here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TracerWarning)
        yield


_INSTEAD: tuple[tuple[Any, str, _Function], ...] = (
    (torch, "tensor", _tensor),
    (torch, "as_tensor", _tensor),
    (torch, "linspace", _linspace),
    (torch, "floor_divide", floor_division.in_trace),
    (torch.Tensor, "floor_divide", floor_division.in_trace),
    (torch, "as_strided", _as_strided),
    (torch.Tensor, "as_strided", _as_strided),
    (torch.Tensor, "new", _new),
    (torch.Tensor, "new_tensor", _new_tensor),
)
