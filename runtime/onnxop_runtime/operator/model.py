"""The description of an operator by its package, and properties derived from it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from typing import Any

import torch

from ..mapping import rule as written
from ..mapping.opsets import DYNAMO, TORCHSCRIPT, Opsets, left_out, opsets
from ..torch_internals import has_kernel_for, schema_of
from .arguments import Argument, Signature
from .library import Owner

Rule = Callable[..., Any]


class Origin(IntEnum):
    """The origin of a rule; lower values take precedence."""

    PACKAGE = 0
    REGISTERED = 1
    GALLERY = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Operator:
    """An operator in PyTorch and in ONNX.

    Args:
        package: the package of the operator.
        name: the overload that the package calls, in the dispatcher's terms: ``my_lib::my_add.default``.
        called: the name in the package, if it is not the operator's.
        existing: an operator of PyTorch that the rule also covers: ``aten::asinh.default``; equal to
            ``name`` if the package registers no operator.
        results: the names of the results.
        rule: the mapping, a function of ``op`` and the arguments.
        opset: the lowest opset version at which the rule is valid.
        for_dynamo: whether the rule is also for the dynamo exporter.
        domain: the domain of the operator as one node.
        op_type: the op type of that node.
        version: the domain version since which the node has its meaning.
        doc: a description of the computation.
        spec: the hash of the spec.
        default_domain: the domain of an export without the argument ``domain``; "" for standard nodes.
        held: arguments that mean nothing in ONNX and must be None.
        requires: modules to import because they register operators.
        is_native: whether the package has a compiled kernel.
        is_decomposed: whether the TorchScript exporter copies the nodes that the dynamo exporter writes.
        differentiable: the tensors whose gradients the operator ``<name>_backward`` computes.
        kernel: the function that computes the operator, without the dispatcher.
        infer: the function that infers the results' dtypes and sizes, for a kernel written by hand.
        elementwise: whether the kernel is elementwise: one dtype in, the broadcast shape out.
        result: the dtype of an elementwise kernel's result, if it is not that of the tensors.
        integers: the Scalars that must be integers if the tensors of an elementwise kernel are integers.
        dtypes: the dtypes of the first tensor that the compiled kernel supports.
        reference: the reference implementation in PyTorch's operators. If a compiled kernel has none,
            ``existing`` takes its place.
        fake: the fake kernel, if no other part provides one.
        through_reference: the tensors whose gradients come from autograd through the reference.
        autocast: ``promote``, ``float32`` or ``lower``: the cast of the tensors by autocast.
        schema: the signature of a composed operator, ``(Tensor x, float alpha=1.0) -> Tensor``.
        backward_schema: the signature of the operator ``<name>_backward``, if there is one.
        origin: a package, `register` or the gallery.
    """

    package: Owner
    name: str
    called: str = ""
    existing: str = ""
    results: Sequence[str] = ("result",)
    rule: Rule | None = None
    opset: int = 0
    for_dynamo: bool = True
    domain: str
    op_type: str
    version: int = 1
    doc: str = ""
    spec: str = ""
    default_domain: str = ""
    held: Sequence[str] = ()
    requires: Sequence[str] = ()
    is_native: bool = False
    is_decomposed: bool = False
    differentiable: Sequence[str] = ()
    kernel: Any = None
    infer: Any = None
    elementwise: bool = False
    result: torch.dtype | None = None
    integers: Sequence[str] = ()
    dtypes: Sequence[torch.dtype] = ()
    reference: Any = None
    fake: Any = None
    through_reference: Sequence[str] = ()
    autocast: str = "promote"
    schema: str = ""
    backward_schema: str = ""
    origin: Origin = Origin.PACKAGE

    def __post_init__(self) -> None:
        for module in self.requires:
            importlib.import_module(module)

    def __str__(self) -> str:
        # Keep the overload of an existing operator, of which the package may cover others.
        is_overload = self.called and not self.is_own
        return self.name if is_overload else self.name.partition(".")[0]

    @property
    def namespace(self) -> str:
        return self.name.partition("::")[0]

    @property
    def short_name(self) -> str:
        return self.called or str(self).partition("::")[2]

    @property
    def is_own(self) -> bool:
        """Whether the package registers the operator."""
        return self.name != self.existing

    @property
    def targets(self) -> list[str]:
        """The names of the operators that the rule covers, in the TorchScript exporter."""
        # TorchScript drops a final underscore, which marks in-place operators.
        existing = self.existing.partition(".")[0].removesuffix("_")
        return [existing] * bool(existing) + [str(self)] * self.is_own

    @cached_property
    def opsets(self) -> Opsets:
        """The opset versions at which the rule is valid."""
        assert self.rule is not None  # callers check
        return opsets(self.rule, self.opset, dynamo=self.for_dynamo)

    @cached_property
    def torchscript(self) -> range:
        """The opset versions at which the TorchScript exporter can write standard nodes."""
        if self.is_decomposed:
            return range(DYNAMO.start, TORCHSCRIPT.stop)
        return range(0) if self.rule is None else self.opsets.torchscript

    @cached_property
    def dynamo(self) -> range:
        """The opset versions at which the dynamo exporter can write standard nodes."""
        if self.is_decomposed:
            return DYNAMO
        return range(0) if self.rule is None else self.opsets.dynamo

    @property
    def is_for_dynamo(self) -> bool:
        """Whether the dynamo exporter gets the rule. Rules of the gallery are checked by a test instead."""
        has_rule = self.rule is not None and self.for_dynamo
        return has_rule and (self.origin is Origin.GALLERY or bool(self.dynamo))

    @cached_property
    def left_out(self) -> list[str]:
        """The results that the mapping leaves out."""
        places = set() if self.rule is None else left_out(self.rule)
        return [name for place, name in enumerate(self.results) if place in places]

    @property
    def overloads(self) -> list[Any]:
        """The overloads that the rule covers, as ``torch.ops.my_lib.my_add.default``."""
        names = dict.fromkeys(name for name in (self.name, self.existing) if name)
        return [_overload(name) for name in names]

    @cached_property
    def overload(self) -> Any:
        """The operator's overload, once it is registered."""
        return _overload(self.name)

    @cached_property
    def devices(self) -> frozenset[str]:
        """The types of devices on which the kernel computes; "meta" has its fake kernel."""
        has_cuda = self.is_native and has_kernel_for(str(self), "CUDA")
        return frozenset({"cpu", "meta", "cuda"} if has_cuda else {"cpu", "meta"})

    @cached_property
    def backward(self) -> Any:
        """The operator that computes the gradients of `differentiable`."""
        return _overload(f"{self}_backward.default")

    @cached_property
    def numbered(self) -> dict[Any, frozenset[str]]:
        """The overloads of the existing operator that differ only in numbers for tensors
        (``aten::special_zeta.other_scalar``), each with the names of these arguments.
        """
        if not self.existing:
            return {}
        own, packet = schema_of(self.described), self.described.overloadpacket
        others = (getattr(packet, name) for name in packet.overloads())
        numbers = {other: _numbers(own, schema_of(other)) for other in others}
        return {other: names for other, names in numbers.items() if names}

    def is_numbered(self, name: str) -> bool:
        """Return whether the operator differs from an overload only by numbers in place of tensors."""
        if not self.existing:
            return False
        return bool(_numbers(schema_of(_overload(name)), schema_of(self.described)))

    @property
    def described(self) -> Any:
        """The existing operator, or else the package's own."""
        return _overload(self.existing or self.name)

    @cached_property
    def schema_arguments(self) -> tuple[Argument, ...]:
        """All arguments of `described`."""
        return tuple(map(Argument.of, schema_of(self.described).arguments))

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that a caller can give: all but the ``held`` ones."""
        return tuple(a for a in self.schema_arguments if a.name not in self.held)

    @cached_property
    def signature(self) -> Signature:
        """The signature of the package's own operator."""
        return Signature(str(self).partition(".")[0], self.arguments)

    @cached_property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @cached_property
    def scalars(self) -> tuple[Argument, ...]:
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
        returns = schema_of(self.described).returns
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
        """Return the mapping at an opset version as ``rule(writer, **arguments)``, or None if invalid there."""
        if self.rule is None or opset not in self.opsets.holds:
            return None
        kinds = {scalar.name: scalar.kind for scalar in self.scalars}
        return written(self.rule, opset, scalars=kinds, results=len(self.results))


def _overload(name: str) -> Any:
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload)


def _numbers(schema: Any, other: Any) -> frozenset[str]:
    """Return the names of tensors that are numbers in another schema; none if there are other differences."""
    pairs = list(zip(schema.arguments, other.arguments, strict=False))
    kinds = [(str(own.type), str(its.type)) for own, its in pairs]
    is_same = [str(x.type) for x in schema.returns] == [str(x.type) for x in other.returns]
    if not (is_same and len(schema.arguments) == len(other.arguments)) or any(
        own != its and (own, its) != ("Tensor", "number") for own, its in kinds
    ):
        return frozenset()
    return frozenset(o.name for (o, _), (own, its) in zip(pairs, kinds, strict=True) if own != its)
