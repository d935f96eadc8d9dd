"""The spec once it is known to be right: everything named, parsed and resolved."""

from __future__ import annotations

from dataclasses import dataclass

from .. import names
from ..kernel.composed import Composed
from ..kernel.kinds import INTEGERS, Elementwise, Kernel, Source, is_boolean, kernel_dtypes
from ..schema.signature import Argument, OpSchema
from .derivatives import Formula
from .tensors import SampleValue

_FLOAT_TYPES = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16")


LEFT_OUT = "left out"


@dataclass(frozen=True)
class Mapping:
    """The mapping as it is written, from its lowest opset on; empty where there is none.

    ``dynamo``: it is for the dynamo exporter, too. ``kinds`` are the element types of its results:
    ``INT64``, ``like x``, ``left out``, or nothing where they cannot be told. Where it
    ``is_decomposed``, PyTorch's dynamo exporter has it, and TorchScript's writes the same; it is made
    of those that it ``needs``, of which the package has specs.
    """

    text: str = ""
    opset: int = 0
    dynamo: bool = True
    kinds: tuple[str, ...] = ()
    is_decomposed: bool = False
    needs: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        """Whether there is one: the operator may be a node alone, for an engine's own plugin."""
        return bool(self.text)

    def kind(self, place: int) -> str:
        """The element type of a result, or nothing where it cannot be told."""
        return self.kinds[place] if place < len(self.kinds) else ""

    def argument(self, place: int) -> str:
        """The argument whose element type a result has; empty where it has another."""
        return self.kind(place).partition("like ")[2]


@dataclass(frozen=True)
class Refusal:
    """A call that must raise: ``raises`` is a builtin exception, ``match`` a regex or empty."""

    values: dict[str, SampleValue]
    raises: str
    match: str


@dataclass(frozen=True)
class Metadata:
    """The generated package's metadata. ``given`` are the keys that the spec has for them."""

    name: str
    version: str
    description: str
    license: str
    authors: tuple[str, ...]
    given: frozenset[str] = frozenset()
    runtimes: tuple[str, ...] = ("onnxruntime",)


@dataclass(frozen=True)
class Spec:
    """A whole op spec. ``text`` is the file itself, which the package keeps as ``ops/<file>``."""

    text: str
    schema: OpSchema
    doc: str
    mapping: Mapping
    kernel: Kernel | None
    derivatives: dict[str, Formula | None]
    samples: tuple[dict[str, SampleValue], ...]
    refusals: tuple[Refusal, ...]
    package: Metadata
    requires: tuple[str, ...] = ()
    default_domain: str = ""
    op_type: str = ""
    autocast: str = ""
    version: int = 1  # of the node in a domain
    file: str = "op.toml"

    @property
    def is_native(self) -> bool:
        """Whether there is C++ to compile."""
        return isinstance(self.kernel, Elementwise | Source)

    @property
    def kernel_file(self) -> str:
        """The C++ header that holds a kernel written by hand, under ``ops/``; empty where none is."""
        return self.kernel.file if isinstance(self.kernel, Source) else ""

    @property
    def dtypes(self) -> tuple[str, ...]:
        """What an elementwise kernel computes with; of others, it is not known here."""
        if not isinstance(self.kernel, Elementwise):
            return ()
        return kernel_dtypes(self.kernel.expression, self.schema)

    @property
    def is_boolean(self) -> bool:
        """Whether an elementwise kernel gives truth values."""
        kernel = self.kernel
        return isinstance(kernel, Elementwise) and is_boolean(kernel.expression, self.schema)

    @property
    def checked_scalars(self) -> tuple[str, ...]:
        """The Scalars that an elementwise kernel takes as integers, where its tensors hold them."""
        scalars = tuple(a.name for a in self.schema.scalars if a.kind == "Scalar")
        return scalars if {*INTEGERS} & {*self.dtypes} else ()

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that a caller of the package can give: all but those held at None."""
        return self.schema.free

    @property
    def has_float_results(self) -> bool:
        """Whether a result may have gradients: the mapping may tell that all are of integers."""
        kinds = self.mapping.kinds
        return not kinds or any(
            not kind or kind.startswith("like ") or kind in _FLOAT_TYPES for kind in kinds
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """The results that the mapping leaves out."""
        pairs = zip(self.schema.results, self.mapping.kinds, strict=False)
        return tuple(name for name, kind in pairs if kind == LEFT_OUT)

    @property
    def kernel_gradients(self) -> tuple[str, ...]:
        """The tensors whose gradients an operator of the package's own computes."""
        match self.kernel:
            case Source(backward=backward):
                return tuple(t.name for t in self.schema.tensors if t.name in backward)
            case Composed() if self.has_float_results:
                given = self.derivatives
                return tuple(t.name for t in self.schema.tensors if t.name not in given)
            case _:
                return ()

    @property
    def has_reference(self) -> bool:
        """Whether PyTorch's own operators say what a compiled kernel computes."""
        match self.kernel:
            case Elementwise():
                return True
            case Source(reference=reference):
                return reference is not None or self.schema.exists
            case _:
                return False

    @property
    def reference_gradients(self) -> tuple[str, ...]:
        """The tensors whose gradients PyTorch's autograd takes through the reference."""
        if not self.has_reference or self.is_boolean or not self.has_float_results:
            return ()
        given = {*self.derivatives, *self.kernel_gradients}
        return tuple(t.name for t in self.schema.tensors if t.name not in given)

    @property
    def namespace(self) -> str:
        """Where the package's operator lies: the schema's namespace; that of the package where
        the operator exists and the package adds a kernel of its own.
        """
        own = self.schema.exists and self.kernel is not None
        return self.package.name if own else self.schema.namespace

    @property
    def domain(self) -> str:
        """The domain of the operator as one node: the spec's, or else the namespace of one that
        the package defines, and the package's name.
        """
        own = self.package.name if self.schema.exists else self.namespace
        return self.default_domain or own

    @property
    def op(self) -> str:
        """The operator that the package calls, as PyTorch's dispatcher names it."""
        own = not self.schema.exists or self.kernel is not None
        return f"{self.namespace}::{self.schema.called if own else self.schema.name}"

    @property
    def entry(self) -> str:
        """What an installed package is asked for it by."""
        is_own = self.op.startswith(f"{self.namespace}::{self.schema.called}")
        return (self.op if is_own else self.schema.title).replace("::", ".")

    @property
    def overloads(self) -> tuple[str, ...]:
        """What ``torch.ops`` calls the operators that the rule covers, the one called first."""
        schema = self.schema
        own = f"{self.namespace}.{schema.called}.default"
        existing = f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}"
        if not schema.exists:
            return (own,)
        return (own, existing) if self.kernel is not None else (existing,)

    @property
    def class_name(self) -> str:
        """The module's class; ``Function`` behind it, the autograd function's."""
        return names.camel(self.schema.called)


@dataclass(frozen=True)
class PackageSpec:
    """The specs of a package. ``name`` is the one that was asked for beside them, or empty."""

    package: Metadata
    ops: tuple[Spec, ...]
    name: str = ""

    @property
    def texts(self) -> dict[str, str]:
        """The specs' texts, by the names of their files in ``ops/``."""
        return {spec.file: spec.text for spec in self.ops}

    @property
    def sources(self) -> dict[str, Source]:
        """The kernels that are written by hand, by their files in the package."""
        kernels = (spec.kernel for spec in self.ops)
        return {f"ops/{k.file}": k for k in kernels if isinstance(k, Source)}

    @property
    def given_files(self) -> dict[str, str]:
        """The files of the package that came with the specs: no version of the template has them."""
        return {file: k.text or "" for file, k in self.sources.items() if k.is_given}

    @property
    def unwritten(self) -> tuple[str, ...]:
        """The files of the package that the user has to write."""
        return tuple(file for file, kernel in self.sources.items() if not kernel.is_written)
