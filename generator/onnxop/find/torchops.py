"""The operators that PyTorch has registered, and what its exporters' registries have for them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

from onnxop_runtime.mapping import opsets

from ..errors import OnnxopError, did_you_mean, listed
from ..schema import existing, registry, signature
from ..trial import forks
from . import functions, onnxops


class UnknownError(OnnxopError):
    """Neither PyTorch nor ONNX has what is asked for."""


_PREFIXES = {
    "torch.nn.functional.": "aten::",
    "torch.special.": "aten::special_",
    "torch.linalg.": "aten::linalg_",
    "torch.fft.": "aten::fft_",
    "torch.ops.aten.": "aten::",
    "torch.Tensor.": "aten::",
    "torch.": "aten::",
    "torchvision.ops.": "torchvision::",
}


@dataclass(frozen=True)
class Overload:
    """One of an operator's overloads.

    Attributes:
        name: the overload's; empty of the one without.
        schema: the whole signature, as PyTorch has it.
        dynamo: what the dynamo exporter has: ``"rule"``, ``"decomposition"``, or nothing.
        decomposes: whether PyTorch composes it of other operators, before any exporter asks.
    """

    name: str
    schema: str
    dynamo: str = ""
    decomposes: bool = False


@dataclass(frozen=True)
class Symbolic:
    """What the TorchScript exporter's registry has from ``first`` to ``last``: the function that
    writes the nodes; ``refuses`` where all it does is raise.
    """

    first: int
    last: int
    function: str
    refuses: bool = False


@dataclass(frozen=True)
class TorchOp:
    """An operator: ``name`` is ``namespace::name``; ``requires`` are modules that register it."""

    name: str
    requires: tuple[str, ...]
    overloads: tuple[Overload, ...]
    torchscript: tuple[Symbolic, ...]


def name_of(name: str) -> str:
    """``aten::erfinv`` of ``torch.erfinv`` and the like; other names as they are.

    Raises:
        UnknownError: it is a function that calls other operators, not that of its name.
    """
    for prefix, space in _PREFIXES.items():
        if name.startswith(prefix) and name.removeprefix(prefix).isidentifier():
            op = space + name.removeprefix(prefix)
            if functions.calls_others(name, op):
                raise UnknownError(functions.told(name))
            return op
    return name


def modules(namespace: str, requires: Sequence[str] = ()) -> tuple[str, ...]:
    """The modules to import for the operators of a namespace."""
    known = existing.MODULES.get(namespace)
    return tuple(dict.fromkeys([*requires, *([known] if known else [])]))


def schemas(name: str, requires: Sequence[str] = ()) -> dict[str, str]:
    """The schemas of ``namespace::name`` by overload, those that write to ``out`` left out.

    Raises:
        UnknownError: there is no such operator, or what registers it cannot be imported.
    """
    namespace, _, base = name.partition("::")
    known = _registered(namespace, requires)
    found = known.get(name) or (existing.aten_schemas(base) if namespace == "aten" else None)
    if not found:
        if namespace == "aten" and (told := functions.told(name)):
            raise UnknownError(told)
        words = [other.partition("::")[2] for other in known if other.startswith(f"{namespace}::")]
        others = [other for other in every(requires) if other.partition("::")[2] == base]
        hint = f"; did you mean {others[0]}?" if others else ""
        hint = hint or did_you_mean(base, words).replace("mean ", f"mean {namespace}::")
        which = modules(namespace, requires)
        has = "PyTorch has" if namespace == "aten" else f"with {listed(which)}, PyTorch has"
        if namespace in signature.FOREIGN:
            raise UnknownError(
                f"{name}: the operators of {namespace}:: are inner ones of PyTorch's, of which there are "
                "no specs; name that of aten:: which the model calls"
            )
        if not words:
            has = f"nothing registers operators of {namespace}::, so there is"
            hint = "; name what does: --requires MODULE"
        raise UnknownError(f"{name}: {has} no such operator{hint}")
    by_overload = {_overload(schema): schema for schema in found}
    usable = {word: schema for word, schema in by_overload.items() if "(a!)" not in schema}
    return usable or by_overload


def every(requires: Sequence[str] = ()) -> Iterator[str]:
    """The operators that may be asked for: PyTorch's own, and those of modules that are installed."""
    yield from (f"aten::{name}" for name in existing.all_aten_schemas())
    installed = [module for module in existing.MODULES.values() if find_spec(module)]
    for module in dict.fromkeys([*requires, *installed]):
        answer = registry.look_up((module,))
        if isinstance(answer, registry.Failure):
            continue
        yield from (name for name in answer if name.partition("::")[0] in (module, *_own(module)))


def public(requires: Sequence[str] = ()) -> list[str]:
    """Those of `every` that are neither in-place nor private."""
    return [
        op for op in every(requires) if op[-1] != "_" and not op.partition("::")[2].startswith("_")
    ]


def like(onnx_op: str, requires: Sequence[str] = ()) -> list[str]:
    """The operators of which the ONNX op is the first of like name."""
    return [op for op in public(requires) if onnxops.like(op.partition("::")[2])[:1] == (onnx_op,)]


def _own(module: str) -> list[str]:
    return [space for space, other in existing.MODULES.items() if other == module]


def _registered(namespace: str, requires: Sequence[str]) -> dict[str, Sequence[str]]:
    if namespace == "aten":
        return {f"aten::{name}": found for name, found in existing.all_aten_schemas().items()}
    wanted = modules(namespace, requires)
    if not wanted:
        return {}
    answer = registry.look_up(wanted)
    if isinstance(answer, registry.Failure):
        module = wanted[answer.index]
        asked = f"--requires {module}" if module in requires else namespace
        raise UnknownError(f"{asked}: {answer.message}")
    return {**answer}


def _overload(schema: str) -> str:
    return schema.partition("(")[0].partition("::")[2].partition(".")[2]


def packet(name: str, requires: Sequence[str] = ()) -> Any:
    """``torch.ops.namespace.name``, what registers it imported into this process."""
    import torch

    namespace, _, base = name.partition("::")
    for module in modules(namespace, requires):
        importlib.import_module(module)
    return getattr(getattr(torch.ops, namespace), base)


def find(name: str, requires: Sequence[str] = ()) -> TorchOp:
    """What PyTorch and its exporters have of an operator.

    Raises:
        UnknownError: there is none.
    """
    found = schemas(name, requires)
    overloads = [
        Overload(word, schema, *_dynamo(getattr(packet(name, requires), word or "default", None)))
        for word, schema in found.items()
    ]
    needed = modules(name.partition("::")[0], requires)
    return TorchOp(name, needed, tuple(overloads), tuple(_symbolics(name)))


def _dynamo(overload: Any) -> tuple[str, bool]:
    if overload is None:
        return "", False
    import torch

    composite = torch._C.DispatchKey.CompositeImplicitAutograd
    decomposes = torch._C._dispatch_has_kernel_for_dispatch_key(overload.name(), composite)
    table, rules = _torchlib()
    if rules.is_registered(overload):
        return "rule", decomposes
    return ("decomposition" if overload in table else ""), decomposes


@cache
def _torchlib() -> tuple[Any, Any]:
    """The decompositions and the rules of the dynamo exporter."""
    with forks.quiet():
        from torch.onnx._internal.exporter import _decomp, _registration

        rules = _registration.ONNXRegistry.from_torchlib()
        known: Any = set(rules.functions)
        return _decomp.create_onnx_friendly_decomposition_table(known), rules


def _symbolics(name: str) -> Iterator[Symbolic]:
    """What the TorchScript exporter's registry has, opsets of one function together."""
    with forks.quiet():
        from torch.onnx import utils  # noqa: F401 - which registers the functions
        from torch.onnx._internal.torchscript_exporter import registration

    group = registration.registry.get_function_group(name)
    before: Symbolic | None = None
    for opset in opsets.TORCHSCRIPT:
        function = group.get(opset) if group is not None else None
        if function is None:
            continue
        module = function.__module__.rpartition(".")[2]
        title = f"{module}.{getattr(function, '__name__', type(function).__name__)}"
        refuses = bool(re.search("unsupported|block_list", getattr(function, "__qualname__", "")))
        if before and (before.function, before.refuses) == (title, refuses):
            before = Symbolic(before.first, opset, title, refuses)
            continue
        if before:
            yield before
        before = Symbolic(opset, opset, title, refuses)
    if before:
        yield before
