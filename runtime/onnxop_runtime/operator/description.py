"""An operator as its package describes it, and what follows from the description."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import torch

from ..mapping import rule as written
from ..mapping.opsets import DYNAMO, TORCHSCRIPT, Opsets, left_out, opsets
from ..registry import Origin
from ..torch_internals import schema_of
from .arguments import Argument, Signature
from .lists import save, saved

if TYPE_CHECKING:
    from .library import Owner

Rule = Callable[..., Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Operator:
    """An operator, and what it is in ONNX.

    Args:
        package: the package that has it.
        name: what the package calls, as PyTorch's dispatcher names it: ``my_lib::my_add.default``.
        called: what the package calls it, where that is not the operator's name.
        existing: an operator of PyTorch's own that the rule covers, too: ``aten::asinh.default``; the same
            as ``name`` where the package adds none.
        results: the names of what it returns.
        rule: the mapping, a function of ``op`` and the arguments.
        opset: the lowest opset version at which it holds.
        for_dynamo: whether it is for the dynamo exporter, too.
        domain: the domain of the operator as one node.
        op_type: what that node is called.
        version: of the domain, since which the node means what it means.
        doc: what the operator computes.
        spec: the hash of the spec that it was made of.
        default_domain: the domain of exports that ask for none; "": standard nodes.
        held: arguments that mean nothing in ONNX, and must be None.
        requires: modules that are imported, since they register operators.
        is_native: whether the package has a compiled kernel of it.
        is_decomposed: whether TorchScript's exporter writes what PyTorch's dynamo exporter does.
        differentiable: the tensors whose gradients its operator ``<name>_backward`` computes.
        kernel: what computes it, called without the dispatcher.
        infer: what says the dtypes and sizes of the results of a kernel written by hand.
        elementwise: whether the kernel is: one dtype in, the broadcast shape out.
        result: the dtype that comes out of an elementwise kernel, where that is another one.
        integers: the Scalars that an elementwise kernel takes as integers where its tensors hold them.
        dtypes: those that the compiled kernel computes with, of its first tensor.
        reference: the operator in PyTorch's own; where none is given, a compiled kernel's is ``existing``.
        fake: what gives the results without values, where no other part does.
        through_reference: the tensors whose gradients PyTorch's autograd takes through the reference.
        autocast: ``promote``, ``float32`` or ``lower``: what autocast makes of the tensors.
        schema: the signature of one that is composed, ``(Tensor x, float alpha=1.0) -> Tensor``.
        backward_schema: that of the operator ``<name>_backward``, where it has one.
        origin: whether a package has it, `register` was given it, or the gallery has it.
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
        # Another overload may be in the package, too, of an operator that it does not register.
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
        """Whether the package registers it."""
        return self.name != self.existing

    @property
    def targets(self) -> list[str]:
        """What the TorchScript exporter calls the operators that the rule covers."""
        # TorchScript takes the last underscore for that of an operator which writes in place.
        existing = self.existing.partition(".")[0].removesuffix("_")
        return [existing] * bool(existing) + [str(self)] * self.is_own

    @cached_property
    def opsets(self) -> Opsets:
        """The opset versions at which the rule holds."""
        assert self.rule is not None  # which is asked first
        return opsets(self.rule, self.opset, dynamo=self.for_dynamo)

    @cached_property
    def torchscript(self) -> range:
        """Those at which the TorchScript exporter can write standard nodes."""
        if self.is_decomposed:
            return range(DYNAMO.start, TORCHSCRIPT.stop)
        return range(0) if self.rule is None else self.opsets.torchscript

    @cached_property
    def dynamo(self) -> range:
        """Those at which the dynamo exporter can."""
        if self.is_decomposed:
            return DYNAMO
        return range(0) if self.rule is None else self.opsets.dynamo

    @property
    def is_for_dynamo(self) -> bool:
        """Whether the dynamo exporter is given the rule; the gallery's hold there, which a test knows."""
        is_given = self.rule is not None and self.for_dynamo
        return is_given and (self.origin is Origin.GALLERY or bool(self.dynamo))

    @cached_property
    def left_out(self) -> list[str]:
        """The results that the mapping leaves out."""
        places = set() if self.rule is None else left_out(self.rule)
        return [name for place, name in enumerate(self.results) if place in places]

    @property
    def overloads(self) -> list[Any]:
        """Return the operators that the rule covers, as ``torch.ops.my_lib.my_add.default``."""
        names = dict.fromkeys(name for name in (self.name, self.existing) if name)
        return [_overload(name) for name in names]

    @cached_property
    def overload(self) -> Any:
        """The operator itself, once it is registered."""
        return _overload(self.name)

    @cached_property
    def backward(self) -> Any:
        """The operator that computes the gradients of `differentiable`."""
        return _overload(f"{self}_backward.default")

    @cached_property
    def numbered(self) -> dict[Any, frozenset[str]]:
        """The overloads of the existing operator that take numbers where it takes tensors, and are the same
        else (``aten::special_zeta.other_scalar``): its arguments that are numbers there.
        """
        if not self.existing:
            return {}
        own, packet = schema_of(self.described), self.described.overloadpacket
        others = (getattr(packet, word) for word in packet.overloads())
        found = {other: _numbers(own, schema_of(other)) for other in others}
        return {other: names for other, names in found.items() if names}

    def is_numbered(self, name: str) -> bool:
        """Whether it is the same as another overload but for numbers where that takes tensors."""
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
        """The arguments that a caller can give: all but those that are held at None."""
        return tuple(a for a in self.schema_arguments if a.name not in self.held)

    @cached_property
    def signature(self) -> Signature:
        """The same, of a call by the package's own operator."""
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
        """The names of the results that it has in ONNX, too."""
        return [name for name in self.results if name not in self.left_out]

    @property
    def can_be_node(self) -> bool:
        """Whether it can be one node of a domain of its own."""
        returns = schema_of(self.described).returns
        is_list = len(returns) == 1 and isinstance(returns[0].type, torch.ListType)
        lists = [tensor.is_list for tensor in self.tensors[:-1]]
        return not (self.is_decomposed or self.left_out or is_list or any(lists))

    @cached_property
    def takes_list(self) -> bool:
        """Whether the last of its tensors is a list of them, which a node can hold."""
        return bool(self.tensors) and self.tensors[-1].is_list

    def spread(self, values: Sequence[Any]) -> list[Any]:
        """Return the values of `tensors`, those of a list at the end one by one."""
        return [*values[:-1], *values[-1]] if self.takes_list else [*values]

    @cache  # noqa: B019 - operators stay as long as the process
    def rule_at(self, opset: int) -> Rule | None:
        """The mapping at an opset version, ``rule(writer, **arguments)``; None where it does not hold."""
        if self.rule is None or opset not in self.opsets.holds:
            return None
        kinds = {scalar.name: scalar.kind for scalar in self.scalars}
        return written(self.rule, opset, scalars=kinds, results=len(self.results))

    def by_position(self, *values: Any) -> Any:
        """Call it with all arguments by their places, keyword-only ones included."""
        if len(values) != len(self.arguments):
            names = ", ".join(argument.name for argument in self.arguments)
            raise TypeError(f"{self} takes all of {names} by their places, not {len(values)}")
        given = [
            number(value) if argument.kind == "number" else value
            for argument, value in zip(self.arguments, values, strict=True)
        ]
        return self.call(*self.signature.split(given))

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call it by the dispatcher.

        Raises:
            TypeError: a tensor is None that must be given, which the dispatcher hands on to kernels.
        """
        try:
            return self.overload(*args, **kwargs)
        except (AttributeError, RuntimeError, TypeError):
            values = self.signature.values(args, kwargs)
            for argument, value in zip(self.arguments, values, strict=False):
                if value is None and argument.is_tensor and not argument.is_optional:
                    what = "list" if argument.is_list else "tensor"
                    fact = f"{self}: {argument.name} must be a {what}, but it is None"
                    raise TypeError(fact) from None
            raise

    def save(self, ctx: Any, *values: Any) -> None:
        """Keep values for the backward pass, tensors or not: `saved` gives them back."""
        save(ctx, values)

    def saved(self, ctx: Any) -> list[Any]:
        """Return what `save` has kept."""
        return saved(ctx)

    def gradients(self, ctx: Any, grads: Sequence[torch.Tensor]) -> list[Any]:
        """Return the gradients that the kernel computes, or autograd through the reference, one an
        argument; None where neither does, or none is wanted. The arguments were saved first.
        """
        from . import autograd

        return autograd.computed(self, ctx, grads)

    def missing(self, argument: str) -> NotImplementedError:
        """Return what asking for a gradient raises that the spec does not give."""
        return NotImplementedError(f"{self}: [autograd] gives no formula for {argument}")


def number(value: Any) -> Any:
    """A truth value as the integer that it is: TorchScript knows no Scalar that is one."""
    return int(value) if isinstance(value, bool) else value


def _overload(name: str) -> Any:
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload)


def _numbers(schema: Any, other: Any) -> frozenset[str]:
    """The names of the tensors that are numbers in another schema; none where else they differ."""
    pairs = list(zip(schema.arguments, other.arguments, strict=False))
    kinds = [(str(own.type), str(its.type)) for own, its in pairs]
    is_same = [str(each.type) for each in schema.returns] == [str(x.type) for x in other.returns]
    if not (is_same and len(schema.arguments) == len(other.arguments)) or any(
        own != its and (own, its) != ("Tensor", "number") for own, its in kinds
    ):
        return frozenset()
    return frozenset(o.name for (o, _), (own, its) in zip(pairs, kinds, strict=True) if own != its)
