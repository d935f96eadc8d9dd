"""The operators that PyTorch has registered."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import FunctionType
from typing import Any

from onnxop_runtime.messages import did_you_mean, some
from onnxop_runtime.specs.operator_lookup import MODULES
from onnxop_runtime.specs.parser import read_head
from onnxop_runtime.specs.signature import FOREIGN

from ..errors import OnnxopError
from ..schema import lookup_in_files, registry
from . import onnxops


class UnknownError(OnnxopError):
    """Neither PyTorch nor ONNX has the requested name."""


_FUNCTIONAL = "torch.nn.functional."
_CALLED = r"\b(?:torch|torch\._C\._nn|_VF|input)\.(\w+)\((?![^)]*\bout=)"
_CALLS = re.compile(_CALLED), re.compile(f"return {_CALLED}")
_PREFIXES = {
    _FUNCTIONAL: "aten::",
    "torch.special.": "aten::special_",
    "torch.linalg.": "aten::linalg_",
    "torch.fft.": "aten::fft_",
    "torch.ops.aten.": "aten::",
    "torch.Tensor.": "aten::",
    "torch.": "aten::",
    "torchvision.ops.": "torchvision::",
}


@dataclass(frozen=True)
class TorchOp:
    """An operator, the modules that register it, and PyTorch's schemas by overload (or ``""``)."""

    name: str
    requires: tuple[str, ...]
    overloads: dict[str, str]


def name_of(name: str) -> str:
    """Return ``aten::erfinv`` for ``torch.erfinv``, for a function in Python the operator that it
    ends with, and other names as they are. Raise `UnknownError` if that may be one of several.
    """
    for prefix, namespace in _PREFIXES.items():
        base = name.removeprefix(prefix)
        if name.startswith(prefix) and base.isidentifier():
            function = pydoc.locate(name) if prefix == _FUNCTIONAL else None
            if isinstance(function, FunctionType):
                return _operator_of_function(name, prefix, base, function)
            operator: str = getattr(function, "__name__", base)
            return namespace + operator
    return name


def _operator_of_function(name: str, prefix: str, base: str, function: FunctionType) -> str:
    """Return the operator that a function in Python ends with. Raise `UnknownError` if that may be
    one of several.
    """
    namespace = _PREFIXES[prefix]
    # _max_pool2d is max_pool2d with return_indices=False.
    source = inspect.getsource(getattr(inspect.getmodule(function), f"_{base}", function))
    called, returned = (_operators_in(source, pattern) for pattern in _CALLS)
    if base in called:
        return namespace + base
    if len(returned) == 1:
        return namespace + returned.pop()
    if other := re.search(rf"return ({base}_\w+)\(", source):  # with_indices
        return name_of(prefix + other[1])
    fact = "is a function that calls several operators"
    if returned:
        fact += f", {some([namespace + op for op in sorted(returned)])}"
    raise UnknownError(f"{name}: {fact}; scan a model that calls it to see which")


def _operators_in(source: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the operators that a pattern finds in source code; in-place ones as the others."""
    return {operator.rstrip("_") for operator in pattern.findall(source)}


def modules(namespace: str, requires: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the modules to import for the operators of a namespace."""
    registering = [MODULES[namespace]] if namespace in MODULES else []
    return tuple(dict.fromkeys([*requires, *registering]))


def schemas(name: str, requires: Sequence[str] = ()) -> dict[str, str]:
    """Return the schemas of ``namespace::name`` by overload, without those that write to ``out``.
    Raise `UnknownError` for no operator, or one whose module cannot be imported.
    """
    namespace, _, base = name.partition("::")
    registered = _registered(namespace, requires)
    texts = registered.get(name) or (
        lookup_in_files.aten_schemas(base) if namespace == "aten" else None
    )
    if not texts:
        raise _unknown(name, registered, requires)
    by_overload = {read_head(text)["overload"] or "": text for text in texts}
    return {o: text for o, text in by_overload.items() if "(a!)" not in text} or by_overload


def _unknown(name: str, operators: Iterable[str], requires: Sequence[str]) -> UnknownError:
    """Return the error for a name that no operator has, with the name that was meant."""
    namespace, _, base = name.partition("::")
    if namespace in FOREIGN:
        return UnknownError(
            f"{name}: operators of {namespace}:: are internal to PyTorch and have no specs; name "
            "the operator of aten:: that the model calls"
        )
    names = [other.partition("::")[2] for other in operators if other.startswith(f"{namespace}::")]
    if not names:
        return UnknownError(
            f"{name}: no known module registers operators of {namespace}::; name it with "
            "--requires MODULE"
        )
    others = [other for other in every(requires) if other.partition("::")[2] == base]
    near = did_you_mean(base, names).replace("mean ", f"mean {namespace}::")
    hint = f"; did you mean {others[0]}?" if others else near
    return UnknownError(f"{name}: PyTorch has no such operator{hint}")


def every(requires: Sequence[str] = ()) -> Iterator[str]:
    """Yield the known operators: PyTorch's own, and those of installed modules."""
    yield from (f"aten::{name}" for name in lookup_in_files.all_aten_schemas())
    installed = [module for module in MODULES.values() if find_spec(module)]
    for module in dict.fromkeys([*requires, *installed]):
        answer = registry.look_up((module,))
        if not isinstance(answer, registry.Failure):
            spaces = {module, *(s for s, other in MODULES.items() if other == module)}
            yield from (name for name in answer if name.partition("::")[0] in spaces)


def public(requires: Sequence[str] = ()) -> list[str]:
    """Return the operators of `every` that are neither in-place nor private."""
    return [op for op in every(requires) if op[-1] != "_" and "::_" not in op]


def like(onnx_op: str, requires: Sequence[str] = ()) -> list[str]:
    """Return the operators for which the ONNX op is the first one with a similar name."""
    return [op for op in public(requires) if onnxops.like(op.partition("::")[2])[:1] == (onnx_op,)]


def _registered(namespace: str, requires: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the schemas of a namespace's operators; none if no module is known to register it."""
    if namespace == "aten":
        return {
            f"aten::{name}": texts for name, texts in lookup_in_files.all_aten_schemas().items()
        }
    registering = modules(namespace, requires)
    if not registering:
        return {}
    answer = registry.look_up(registering)
    if isinstance(answer, registry.Failure):
        module = registering[answer.index]
        asked = f"--requires {module}" if module in requires else namespace
        raise UnknownError(f"{asked}: {answer.message}")
    return {**answer}


def packet(name: str, requires: Sequence[str] = ()) -> Any:
    """Import the modules that register an operator, and return ``torch.ops.namespace.name``."""
    import torch

    namespace, _, base = name.partition("::")
    for module in modules(namespace, requires):
        importlib.import_module(module)
    return getattr(getattr(torch.ops, namespace), base)


def find(name: str, requires: Sequence[str] = ()) -> TorchOp:
    """Return an operator. Raise `UnknownError` if there is none."""
    return TorchOp(name, modules(name.partition("::")[0], requires), schemas(name, requires))


def has_symbolic(name: str, opset: int) -> bool:
    """Return whether the TorchScript exporter has a symbolic function for an operator."""
    from torch.onnx import utils  # noqa: F401 - which registers the functions

    from onnxop_runtime.torch_internals import Symbolics

    return Symbolics().stock(name, opset) is not None
