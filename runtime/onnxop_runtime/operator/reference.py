"""What computes an operator wherever its compiled kernel does not: its reference, the same in
PyTorch's own operators. It serves other devices and dtypes, layouts, and subclasses of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from ..torch_internals import DispatchKey, dispatch_keys, dispatch_modes
from . import dispatch
from .description import Operator
from .lists import listed, tensors_in

Compute = Callable[..., Any]

PLAIN = frozenset({Tensor, Parameter})
"""The types of tensors that are no subclasses in any way that matters."""

_HALVES = (torch.float16, torch.bfloat16)


def of(operator: Operator) -> Compute | None:
    """Return the reference as a function of all arguments by their places; None where there is none."""
    if not operator.has_reference:
        return None
    if operator.reference is None:
        names = [argument.name for argument in operator.arguments]

        def call(*values: Any) -> Any:
            (existing,) = operator.overloads[1:]
            return existing(**dict(zip(names, values, strict=True)))

    elif operator.elementwise:
        call = operator.reference
    else:

        def call(*values: Any) -> Any:
            args, kwargs = operator.signature.split(values)
            return operator.reference(*args, **kwargs)

    if operator.elementwise:
        return _elementwise(operator, call)
    return call if operator.infer is None else _inferred(operator, call)


def _inferred(operator: Operator, call: Compute) -> Compute:
    def compute(*values: Any) -> Any:
        """What the kernel's `infer` refuses is refused wherever the reference computes, of a dtype that
        the kernel has: PyTorch would broadcast where the kernel wants one size.
        """
        if _has_dtype(operator, tensors_in(values)):
            operator.infer(*values)
        return call(*values)

    return compute


def _elementwise(operator: Operator, call: Compute) -> Compute:
    def compute(*values: Any) -> Any:
        """What the kernel would give: the same arguments are refused, 16-bit floats are computed as
        float32, and the result is a new tensor of the broadcast shape.
        """
        tensors = check(operator, values)
        first = tensors[0]
        is_known = first.dtype in operator.dtypes
        if is_known and first.dtype in _HALVES:
            values = tuple(v.float() if isinstance(v, Tensor) else v for v in values)
        found = call(*values)
        # Not torch.broadcast_shapes, which imports sympy.
        shape = torch.broadcast_tensors(*tensors)[0].shape  # type: ignore[no-untyped-call,unused-ignore]
        if not isinstance(found, Tensor):
            found = torch.full_like(first, found, dtype=operator.result)
        if is_known:
            found = found.to(operator.result or first.dtype)
        if found.shape != shape:
            found = found.expand(shape).clone(memory_format=torch.contiguous_format)
        return found.clone() if any(found is tensor for tensor in tensors) else found

    return compute


def check(operator: Operator, values: Sequence[Any]) -> list[Tensor]:
    """Return the tensors that an elementwise operator is given, of one dtype and device.

    Raises:
        RuntimeError: they differ, or a real number stands beside integers, which PyTorch would compute
            in another dtype.
    """
    given = dict(zip((a.name for a in operator.arguments), values, strict=True))
    tensors = {tensor.name: given[tensor.name] for tensor in operator.tensors}
    first_name, first = next(iter(tensors.items()))
    for name, tensor in tensors.items():
        for what in ("dtype", "device"):
            own, other = getattr(first, what), getattr(tensor, what)
            if own != other:
                raise RuntimeError(
                    f"{operator}: {first_name} and {name} must have the same {what}, "
                    f"but that of {first_name} is {own}, and that of {name} is {other}"
                )
    for name in operator.integers:
        is_real = isinstance(given[name], float | torch.SymFloat)
        if is_real and not (first.is_floating_point() or first.is_complex()):
            raise RuntimeError(
                f"{operator}: {name} is a float, but {first_name} is {first.dtype}, and the result "
                f"would be of another dtype; convert {first_name}, or give an integer"
            )
    return list(tensors.values())


def is_needed(operator: Operator, values: Sequence[Any]) -> bool:
    """Whether the kernel has no dtype of the first tensor, or a tensor is of a device, layout or type that it
    does not compute with. The dtypes of the others are for its `infer` to judge, as int64 indices.
    """
    tensors = tensors_in(values)
    return not _has_dtype(operator, tensors) or any(_is_elsewhere(operator, t) for t in tensors)


def _has_dtype(operator: Operator, tensors: Sequence[Tensor]) -> bool:
    return not (operator.dtypes and tensors) or tensors[0].dtype in operator.dtypes


def _is_elsewhere(operator: Operator, tensor: Tensor) -> bool:
    if tensor.layout is not torch.strided and operator.is_native:
        return True
    if type(tensor) not in PLAIN and _is_foreign(tensor):
        return True
    return tensor.device.type not in ("cpu", "meta") and not _is_exported()


def _is_foreign(tensor: Tensor) -> bool:
    """Whether operations on the tensor are a subclass's to define, which knows PyTorch's alone."""
    keys = dispatch_keys(tensor)
    return keys.has(DispatchKey.Python) and not type(tensor).__module__.startswith(
        "torch._subclasses."  # those of PyTorch's tracers
    )


def _is_exported() -> bool:
    """Whether this is traced for a graph that is to have the operator as one node."""
    is_exporting = torch.compiler.is_exporting() or torch.onnx.is_in_onnx_export()
    return is_exporting and dispatch_modes() > 0


def register(operator: Operator) -> None:
    """Have the dispatcher take the reference of a compiled operator on every device and layout that
    nobody has registered a kernel for; without one, that says what to write.
    """
    compute = of(operator) or _missing(operator)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        return compute(*operator.signature.values(args, kwargs))

    kernel = kernel if operator.elementwise else owned(kernel)
    dispatch.implement(operator.overload, kernel, "CompositeExplicitAutograd")


def _missing(operator: Operator) -> Compute:
    def refuse(*values: Any) -> Any:
        tensors = tensors_in(values)
        if not tensors:  # but lists without any, which are of no device
            args, kwargs = operator.signature.split(values)
            return operator.kernel(*args, **kwargs)
        first = tensors[0]
        layout = "" if first.layout is torch.strided else f" {first.layout}"
        raise NotImplementedError(
            f"{operator} has no kernel for{layout} tensors on {first.device.type}: its C++ kernel "
            'computes with dense ones on the CPU; write python = "..." beside source in [kernel] of '
            "its spec, the same in PyTorch's own operators"
        )

    return refuse


def owned(compute: Compute) -> Compute:
    """Return a kernel whose results are contiguous, and no views of arguments, or of each other."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        taken = {_place(tensor) for tensor in tensors_in((*args, *kwargs.values()))}
        found = compute(*args, **kwargs)
        results: list[Tensor] = []
        for each in listed(found):
            result = each.contiguous()
            results.append(result.clone() if _place(result) in taken else result)
            taken.add(_place(results[-1]))
        return results[0] if isinstance(found, Tensor) else tuple(results)

    return kernel


def _place(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
