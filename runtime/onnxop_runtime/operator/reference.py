"""Reference implementations in PyTorch's operators, for what compiled kernels do not support."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from ..torch_internals import DispatchKey, dispatch_keys, dispatch_modes, is_of_fakes
from . import dispatch, originals
from .lists import as_list, tensors_in
from .model import Operator

Compute = Callable[..., Any]

PLAIN = frozenset({Tensor, Parameter})
"""The types of tensors that are handled like Tensor itself."""

_HALVES = (torch.float16, torch.bfloat16)


def compute_of(operator: Operator) -> Compute | None:
    """Return the reference as a function of all arguments by position, or None if there is none."""
    if not operator.has_reference:
        return None
    call = as_written(operator)
    if operator.elementwise:
        return _elementwise(operator, call)
    if operator.infer is None:
        return call
    return _inferred(operator, operator.infer, call)


def as_written(operator: Operator) -> Compute:
    """Return the reference as a function of all arguments by position, without the kernel's
    checks.
    """
    written = operator.reference
    if written is None:
        names = [argument.name for argument in operator.arguments]

        def call(*values: object) -> object:
            (existing,) = operator.overloads[1:]
            return existing(**dict(zip(names, values, strict=True)))

    elif operator.elementwise:
        call = written
    else:

        def call(*values: object) -> object:
            args, kwargs = operator.signature.split(values)
            return written(*args, **kwargs)

    return originals.calling(call)


def _inferred(operator: Operator, infer: Compute, call: Compute) -> Compute:
    """Return a reference that refuses what the kernel's `infer` refuses."""

    def compute(*values: object) -> object:
        """Compute by the reference. For dtypes of the kernel, first let `infer` refuse what the
        kernel would refuse, such as sizes that PyTorch would broadcast.
        """
        if _has_dtype(operator, tensors_in(values)):
            infer(*values)
        return call(*values)

    return compute


def _elementwise(operator: Operator, call: Compute) -> Compute:
    """Return a reference that computes as an elementwise kernel does."""

    def compute(*values: object) -> object:
        """Compute as the kernel does: it refuses the same arguments, computes 16-bit floats in
        float32, and returns a new tensor of the broadcast shape.
        """
        tensors = check(operator, values)
        first = tensors[0]
        is_known = first.dtype in operator.dtypes
        if is_known and first.dtype in _HALVES:
            values = tuple(v.float() if isinstance(v, Tensor) else v for v in values)
        result = call(*values)
        # Not torch.broadcast_shapes, which imports sympy.
        shape = torch.broadcast_tensors(*tensors)[0].shape  # type: ignore[no-untyped-call,unused-ignore]
        if not isinstance(result, Tensor):
            result = torch.full_like(first, result, dtype=operator.result_dtype)
        if is_known:
            result = result.to(operator.result_dtype or first.dtype)
        if result.shape != shape:
            result = result.expand(shape).clone(memory_format=torch.contiguous_format)
        return result.clone() if any(result is tensor for tensor in tensors) else result

    return compute


def check(operator: Operator, values: Sequence[Any]) -> list[Tensor]:
    """Return the tensor arguments of an elementwise operator. Raise RuntimeError if their dtypes or
    devices differ, or for a float with integer tensors, for which PyTorch computes in another
    dtype.
    """
    arguments = dict(zip((a.name for a in operator.arguments), values, strict=True))
    tensors = {tensor.name: arguments[tensor.name] for tensor in operator.tensors}
    first_name, first = next(iter(tensors.items()))
    for name, tensor in tensors.items():
        for trait in ("dtype", "device"):
            own, other = getattr(first, trait), getattr(tensor, trait)
            if own != other:
                raise RuntimeError(
                    f"{operator}: {first_name} and {name} must have the same {trait}, "
                    f"but {first_name} has {own}, and {name} has {other}"
                )
    for name in operator.integers:
        is_real = isinstance(arguments[name], float | torch.SymFloat)
        if is_real and not (first.is_floating_point() or first.is_complex()):
            raise RuntimeError(
                f"{operator}: {name} is a float, but {first_name} is {first.dtype}, and the result "
                f"would have another dtype; convert {first_name}, or give an integer"
            )
    return list(tensors.values())


def kernel_unsupported(operator: Operator, values: Sequence[object]) -> bool:
    """Return whether the kernel does not support the dtype of the first tensor, or the device,
    layout or type of any tensor. Its `infer` checks other dtypes, such as int64 for indices.
    """
    tensors = tensors_in(values)
    return not _has_dtype(operator, tensors) or any(_is_elsewhere(operator, t) for t in tensors)


def _has_dtype(operator: Operator, tensors: Sequence[Tensor]) -> bool:
    return not (operator.dtypes and tensors) or tensors[0].dtype in operator.dtypes


def is_widened(operator: Operator, values: Sequence[object]) -> bool:
    """Return whether the library for ONNX Runtime computes in float32, because the kernel lacks the
    dtype.
    """
    return tensors_in(values)[0].dtype in _HALVES and torch.float32 in operator.dtypes


def _is_elsewhere(operator: Operator, tensor: Tensor) -> bool:
    if tensor.layout is not torch.strided and operator.is_native:
        return True
    if type(tensor) not in PLAIN and _is_foreign(tensor):
        return True
    return tensor.device.type not in operator.devices and not _is_exported()


def _is_foreign(tensor: Tensor) -> bool:
    """Return whether the tensor's subclass defines its operations: it supports only PyTorch's
    operators.
    """
    keys = dispatch_keys(tensor)
    return keys.has(DispatchKey.Python) and not is_of_fakes(tensor)  # of PyTorch's tracers


def _is_exported() -> bool:
    """Return whether this call is being traced for an export that keeps the operator as one
    node.
    """
    is_exporting = torch.compiler.is_exporting() or torch.onnx.is_in_onnx_export()
    return is_exporting and dispatch_modes() > 0


def register(operator: Operator) -> None:
    """Register the reference, or else a clear error, for devices and layouts without a kernel."""
    compute = compute_of(operator) or _missing(operator)

    def kernel(*args: object, **kwargs: object) -> object:
        return compute(*operator.signature.bind(args, kwargs))

    kernel = kernel if operator.elementwise else owned(kernel)
    kernel = dispatch.of_tensors(operator.signature, kernel)
    dispatch.implement(operator.overload, kernel, "CompositeExplicitAutograd")


def _missing(operator: Operator) -> Compute:
    """Return a function that raises the error of a call for which there is no kernel."""

    def refuse(*values: object) -> object:
        tensors = tensors_in(values)
        if not tensors:  # only empty lists, which have no device
            args, kwargs = operator.signature.split(values)
            assert operator.kernel is not None  # this is a compiled one's refusal
            return operator.kernel(*args, **kwargs)
        first = tensors[0]
        devices = "CPUs and CUDA GPUs" if "cuda" in operator.devices else "the CPU"
        layout = "" if first.layout is torch.strided else f" {first.layout}"
        raise NotImplementedError(
            f"{operator} has no kernel for{layout} tensors on {first.device.type}: its C++ kernel "
            f"supports dense tensors on {devices}; add a reference implementation in PyTorch's "
            "operators, "
            'python = "...", to [kernel] of its spec'
        )

    return refuse


def owned(compute: Compute) -> Compute:
    """Wrap a kernel so that its results are contiguous, and not views of arguments or of each
    other.
    """

    def kernel(*args: object, **kwargs: object) -> object:
        taken = {_address(tensor) for tensor in tensors_in((*args, *kwargs.values()))}
        returned = compute(*args, **kwargs)
        results: list[Tensor] = []
        for tensor in as_list(returned):
            result = tensor.contiguous()
            results.append(result.clone() if _address(result) in taken else result)
            taken.add(_address(results[-1]))
        return results[0] if isinstance(returned, Tensor) else tuple(results)

    return kernel


def _address(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
