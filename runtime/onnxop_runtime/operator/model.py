"""The description of an operator by its package, and properties derived from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from typing import Any

import torch

from ..mapping import rule_for_writer
from ..mapping.opsets import DYNAMO, TORCHSCRIPT, Opsets, left_out, opsets
from ..torch_internals import OpOverload, has_kernel_for, schema_of
from .arguments import OperatorArgument, Signature
from .library import Owner

Rule = Callable[..., Any]


class Origin(IntEnum):
    """The origin of a rule; lower values take precedence."""

    PACKAGE = 0
    REGISTERED = 1
    GALLERY = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class OperatorNames:
    """The names of an operator in PyTorch and in Python."""

    name: str
    """The overload that the package calls, in the dispatcher's terms:
    ``my_lib::my_add.default``.
    """
    public_name: str = ""
    """The name in the package, if it is not the operator's."""
    existing: str = ""
    """An operator of PyTorch that the rule also covers: ``aten::asinh.default``; equal to ``name``
    if the package registers no operator."""
    results: Sequence[str] = ("result",)
    """The names of the results."""
    in_place: str = ""
    """The schema, without the namespace, of the operator that writes the last results to arguments.
    """
    writes: Sequence[str] = ()
    """The arguments that it writes to, in the order of these results."""
    doc: str = ""
    """A description of the computation."""

    def __str__(self) -> str:
        # Keep the overload of an existing operator, of which the package may cover others.
        is_overload = self.public_name and not self.is_own
        return self.name if is_overload else self.name.partition(".")[0]

    @property
    def declared_name(self) -> str:
        """The name of the operator that writes to arguments, of which this one is the functional
        form.
        """
        return (
            f"{self.namespace}::{self.in_place.partition('(')[0]}" if self.in_place else str(self)
        )

    @property
    def namespace(self) -> str:
        return self.name.partition("::")[0]

    @property
    def short_name(self) -> str:
        return self.public_name or str(self).partition("::")[2]

    @property
    def is_own(self) -> bool:
        """Whether the package registers the operator."""
        return self.name != self.existing

    @property
    def targets(self) -> list[str]:
        """The names of the operators that the rule covers, in the TorchScript exporter."""
        targets: list[str] = []
        if self.existing:
            # TorchScript drops a final underscore, which marks in-place operators.
            targets.append(self.existing.partition(".")[0].removesuffix("_"))
        if self.is_own:
            targets.append(str(self))
        return targets


@dataclass(frozen=True, kw_only=True, eq=False)
class OnnxForm:
    """An operator in ONNX: standard nodes by a rule, or one node of a domain."""

    rule: Rule | None = None
    """The mapping, a function of ``op`` and the arguments."""
    opset: int = 0
    """The lowest opset version at which the rule is valid."""
    allows_dynamo: bool = True
    """Whether the rule is also for the dynamo exporter."""
    is_decomposed: bool = False
    """Whether the TorchScript exporter copies the nodes that the dynamo exporter writes."""
    always_none: Sequence[str] = ()
    """The arguments that mean nothing in ONNX and must be None."""
    domain: str
    """The domain of the operator as one node."""
    op_type: str
    """The op type of that node."""
    version: int = 1
    """The domain version since which the node has its meaning."""
    default_domain: str = ""
    """The domain of an export without the argument ``domain``; "" for standard nodes."""
    spec_hash: str = ""
    """The hash of the spec, which the metadata of models has."""

    @cached_property
    def opsets(self) -> Opsets:
        """The opset versions at which the rule is valid."""
        assert self.rule is not None  # callers check
        return opsets(self.rule, self.opset, dynamo=self.allows_dynamo)

    @cached_property
    def torchscript_opsets(self) -> range:
        """The opset versions at which the TorchScript exporter can write standard nodes."""
        if self.is_decomposed:
            return range(DYNAMO.start, TORCHSCRIPT.stop)
        return range(0) if self.rule is None else self.opsets.torchscript

    @cached_property
    def dynamo_opsets(self) -> range:
        """The opset versions at which the dynamo exporter can write standard nodes."""
        if self.is_decomposed:
            return DYNAMO
        return range(0) if self.rule is None else self.opsets.dynamo


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelParts:
    """What computes an operator in PyTorch."""

    is_native: bool = False
    """Whether the package has a compiled kernel."""
    kernel: Callable[..., Any] | None = None
    """The function that computes the operator, without the dispatcher."""
    infer: Callable[..., Any] | None = None
    """The function that infers the results' dtypes and sizes, for a kernel written by hand."""
    dtypes: Sequence[torch.dtype] = ()
    """The dtypes of the first tensor that the compiled kernel supports."""
    elementwise: bool = False
    """Whether the kernel is elementwise: one dtype in, the broadcast shape out."""
    result_dtype: torch.dtype | None = None
    """The dtype of an elementwise kernel's result, if it is not that of the tensors."""
    integers: Sequence[str] = ()
    """The Scalars that must be integers if the tensors of an elementwise kernel are integers."""
    schema: str = ""
    """The signature of a composed operator, ``(Tensor x, float alpha=1.0) -> Tensor``."""
    reference: Callable[..., Any] | None = None
    """The reference implementation in PyTorch's operators. If a compiled kernel has none, the
    existing operator takes its place."""
    fake: Callable[..., Any] | None = None
    """The fake kernel, if no other part provides one."""
    autocast: str = "promote"
    """The cast of the tensors by autocast: ``promote``, ``float32``, ``lower`` or ``none``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Derivatives:
    """What computes an operator's gradients, apart from formulas in its module."""

    differentiable: Sequence[str] = ()
    """The tensors whose gradients the operator ``<name>_backward`` computes."""
    backward_schema: str = ""
    """The signature of that operator, if it is composed."""
    through_reference: Sequence[str] = ()
    """The tensors whose gradients come from autograd through the reference."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Operator(OperatorNames, OnnxForm, KernelParts, Derivatives):
    """The description of an operator in PyTorch and in ONNX, and what follows from its schema."""

    package: Owner
    """The package of the operator."""
    origin: Origin = Origin.PACKAGE
    """Where the rule comes from: a package, `register` or the gallery."""

    @property
    def is_used_by_dynamo(self) -> bool:
        """Whether the dynamo exporter gets the rule. Rules of the gallery are checked by a test
        instead.
        """
        has_rule = self.rule is not None and self.allows_dynamo
        return has_rule and (self.origin is Origin.GALLERY or bool(self.dynamo_opsets))

    @cached_property
    def left_out(self) -> list[str]:
        """The results that the mapping leaves out."""
        indices = set() if self.rule is None else left_out(self.rule)
        return [name for index, name in enumerate(self.results) if index in indices]

    @property
    def overloads(self) -> list[OpOverload]:
        """The overloads that the rule covers, as ``torch.ops.my_lib.my_add.default``."""
        names = dict.fromkeys(name for name in (self.name, self.existing) if name)
        return [overload_named(name) for name in names]

    @cached_property
    def overload(self) -> OpOverload:
        """The operator's overload, once it is registered."""
        return overload_named(self.name)

    @cached_property
    def devices(self) -> frozenset[str]:
        """The types of devices on which the kernel computes; "meta" has its fake kernel."""
        has_cuda = self.is_native and has_kernel_for(str(self), "CUDA")
        return frozenset({"cpu", "meta", "cuda"} if has_cuda else {"cpu", "meta"})

    @cached_property
    def backward(self) -> OpOverload:
        """The operator that computes the gradients of `differentiable`."""
        return overload_named(f"{self}_backward.default")

    @property
    def schema_overload(self) -> OpOverload:
        """The overload whose schema is the operator's: the existing one, or else the package's
        own.
        """
        return overload_named(self.existing or self.name)

    @cached_property
    def scalar_overloads(self) -> dict[Any, frozenset[str]]:
        """The overloads of the existing operator that differ only in numbers for tensors
        (``aten::special_zeta.other_scalar``), each with the names of these arguments.
        """
        if not self.existing:
            return {}
        schema, packet = schema_of(self.schema_overload), self.schema_overload.overloadpacket
        overloads: dict[Any, frozenset[str]] = {}
        for name in packet.overloads():
            overload = getattr(packet, name)
            if numbers := _numbers_for_tensors(schema, schema_of(overload)):
                overloads[overload] = numbers
        return overloads

    def is_scalar_overload_of(self, name: str) -> bool:
        """Return whether the operator differs from an overload only by numbers for tensors of that
        overload.
        """
        if not self.existing:
            return False
        schema = schema_of(overload_named(name))
        return bool(_numbers_for_tensors(schema, schema_of(self.schema_overload)))

    @cached_property
    def schema_arguments(self) -> tuple[OperatorArgument, ...]:
        """All arguments of `schema_overload`."""
        return tuple(map(OperatorArgument.of_schema, schema_of(self.schema_overload).arguments))

    @cached_property
    def arguments(self) -> tuple[OperatorArgument, ...]:
        """The arguments that a caller can give: all but the `always_none` ones."""
        return tuple(a for a in self.schema_arguments if a.name not in self.always_none)

    @cached_property
    def signature(self) -> Signature:
        """The signature of the package's own operator."""
        return Signature(str(self).partition(".")[0], self.arguments)

    @cached_property
    def tensors(self) -> tuple[OperatorArgument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @cached_property
    def scalars(self) -> tuple[OperatorArgument, ...]:
        return tuple(argument for argument in self.arguments if not argument.is_tensor)

    @property
    def has_reference(self) -> bool:
        return self.reference is not None or (self.is_own and bool(self.existing))

    @property
    def kept(self) -> list[str]:
        """The names of the results that the ONNX operator has."""
        return [name for name in self.results if name not in self.left_out]

    @property
    def can_be_node(self) -> bool:
        """Whether the operator can be one node of a custom domain."""
        returns = schema_of(self.schema_overload).returns
        is_list = len(returns) == 1 and isinstance(returns[0].type, torch.ListType)
        lists = [tensor.is_list for tensor in self.tensors[:-1]]
        return not (self.is_decomposed or self.left_out or is_list or any(lists))

    @cached_property
    def takes_list(self) -> bool:
        """Whether the last tensor argument is a list, which a node can take."""
        return bool(self.tensors) and self.tensors[-1].is_list

    def spread(self, values: Sequence[Any]) -> list[Any]:
        """Return the values of `tensors`, with a list at the end spread out."""
        return [*values[:-1], *values[-1]] if self.takes_list else [*values]

    @cache  # noqa: B019 - operators stay as long as the process
    def rule_at(self, opset: int) -> Rule | None:
        """Return the mapping at an opset version as ``rule(writer, **arguments)``, or None if
        invalid there.
        """
        if self.rule is None or opset not in self.opsets.holds:
            return None
        kinds = {scalar.name: scalar.base_type for scalar in self.scalars}
        return rule_for_writer(self.rule, opset, scalars=kinds, results=len(self.results))


def overload_named(name: str) -> OpOverload:
    namespace, _, rest = name.partition("::")
    base, _, overload_name = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), base)
    overload: OpOverload = getattr(packet, overload_name)
    return overload


def _numbers_for_tensors(schema: Any, other: Any) -> frozenset[str]:
    """Return the names of tensors that are numbers in another schema; none if there are other
    differences.
    """
    if _types(schema.returns) != _types(other.returns):
        return frozenset()
    if len(schema.arguments) != len(other.arguments):
        return frozenset()
    names: set[str] = set()
    for argument, counterpart in zip(schema.arguments, other.arguments, strict=True):
        types = str(argument.type), str(counterpart.type)
        if types == ("Tensor", "number"):
            names.add(argument.name)
        elif types[0] != types[1]:
            return frozenset()
    return frozenset(names)


def _types(arguments: Sequence[Any]) -> list[str]:
    return [str(argument.type) for argument in arguments]
