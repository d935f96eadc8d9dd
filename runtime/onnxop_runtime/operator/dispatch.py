"""Registration of Python kernels with PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..torch_internals import OpOverload, keys_after_autograd, leave_uncompiled
from .arguments import Signature
from .model import Operator, overload_named

_LIBRARIES: list[Any] = []  # kept alive: a collected library unregisters its kernels
_Library: Any = torch.library.Library  # untyped in torch


def implement(
    overload: OpOverload, kernel: Callable[..., object], key: str, *, with_keyset: bool = False
) -> None:
    """Register an operator's kernel for a dispatch key, in place of one from an earlier import.

    ``with_keyset``: the kernel takes the call's dispatch keys before its arguments.
    """
    library = _Library(overload.namespace, "FRAGMENT")
    leave_uncompiled(kernel)
    library.impl(overload, kernel, key, with_keyset=with_keyset, allow_override=True)
    _LIBRARIES.append(library)


def implement_fake(name: str, fake: Callable[..., Any]) -> None:
    """Register an operator's fake kernel."""
    kernel = of_tensors(Signature.of_overload(overload_named(name)), fake)
    leave_uncompiled(kernel)
    torch.library.register_fake(name, kernel, allow_override=True)


def of_tensors(signature: Signature, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a kernel: where it fails for a required tensor that is None, TypeError names the
    argument.
    """

    def call(*args: object, **kwargs: object) -> object:
        try:
            return kernel(*args, **kwargs)
        except (AttributeError, RuntimeError, TypeError):
            signature.check_tensors(args, kwargs)
            raise

    return call


def redispatch(operator: Any, keyset: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call the operator's kernel below autograd."""
    return operator.redispatch(keyset & keys_after_autograd, *args, **kwargs)


def call(operator: Operator, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    """Call the operator through the dispatcher. Raise TypeError if a required tensor is None."""
    try:
        return operator.overload(*args, **kwargs)
    except (AttributeError, RuntimeError, TypeError):
        operator.signature.check_tensors(args, kwargs)
        raise
