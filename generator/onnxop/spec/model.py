"""The model of a valid spec: everything named, parsed and resolved."""

from __future__ import annotations

from dataclasses import dataclass, field

from onnxop_runtime.specs import names
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.samples import Refusal
from onnxop_runtime.specs.tensors import SampleValue

from ..kernel.composed import Composed
from ..kernel.kernel_kinds import (
    INTEGERS,
    CudaFile,
    Elementwise,
    Kernel,
    Source,
    is_boolean,
    kernel_dtypes,
)
from .derivatives import Formula
from .integers import integer_tensors

_FLOAT_TYPES = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16")
LEFT_OUT = "left out"


@dataclass(frozen=True)
class OnnxMapping:
    """The mapping as the spec writes it, valid from its lowest opset on; empty if there is none.

    ``dynamo``: the dynamo exporter uses it, too. ``element_types`` are those of its results:
    ``INT64``, ``like x``, ``left out``, or empty if unknown. ``is_decomposed``: the TorchScript
    exporter writes PyTorch's own dynamo translation, which calls the operators in ``needs``; the
    package has specs of those.
    """

    text: str = ""
    opset: int = 0
    dynamo: bool = True
    element_types: tuple[str, ...] = ()
    is_decomposed: bool = False
    needs: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        """Return whether there is a mapping; without one, the operator is a node for a plugin."""
        return bool(self.text)

    def element_type(self, index: int) -> str:
        """Return the element type of a result; empty if it is unknown."""
        return self.element_types[index] if index < len(self.element_types) else ""

    def argument_of_type(self, index: int) -> str:
        """Return the argument whose element type the result has; empty if it is another."""
        return self.element_type(index).partition("like ")[2]


@dataclass(frozen=True)
class Metadata:
    """The generated package's metadata. ``given_keys`` are those that the spec sets."""

    name: str
    version: str
    description: str
    license: str
    authors: tuple[str, ...]
    given_keys: frozenset[str] = frozenset()
    runtimes: tuple[str, ...] = ("onnxruntime",)


@dataclass(frozen=True)
class Spec:
    """A whole op spec. ``text`` is the file itself, which the package keeps as ``ops/<file>``."""

    text: str
    schema: OpSchema
    doc: str
    mapping: OnnxMapping
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
    schema_text: str = ""  # as the spec has it
    argument_notes: dict[str, str] = field(default_factory=dict)
    """What the spec says of arguments, for docstrings."""
    file: str = "op.toml"
    warnings: tuple[str, ...] = ()

    @property
    def is_native(self) -> bool:
        """Return whether there is C++ to compile."""
        return isinstance(self.kernel, Elementwise | Source)

    @property
    def kernel_file(self) -> str:
        """Return the header, under ``ops/``, of a kernel written by hand; empty without one."""
        return self.kernel.file if isinstance(self.kernel, Source) else ""

    @property
    def has_cuda_kernel(self) -> bool:
        """Return whether a library for CUDA has a kernel."""
        return isinstance(self.kernel, Elementwise | Source) and self.kernel.has_cuda_kernel

    @property
    def cuda_file(self) -> str:
        """Return the file, under ``ops/``, with loops for GPUs only; empty without one."""
        cuda = self.kernel.cuda if isinstance(self.kernel, Source) else None
        return cuda.file if cuda else ""

    @property
    def on_host(self) -> tuple[str, ...]:
        """Return the tensors whose values infer() reads."""
        return self.kernel.on_host if isinstance(self.kernel, Source) else ()

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Return the dtypes that an elementwise kernel supports; empty for other kernels."""
        if not isinstance(self.kernel, Elementwise):
            return ()
        return kernel_dtypes(self.kernel.expression, self.schema)

    @property
    def is_boolean(self) -> bool:
        """Return whether an elementwise kernel returns booleans."""
        kernel = self.kernel
        return isinstance(kernel, Elementwise) and is_boolean(kernel.expression, self.schema)

    @property
    def checked_scalars(self) -> tuple[str, ...]:
        """Return the Scalars that an elementwise kernel checks: integers for integer tensors."""
        scalars = tuple(a.name for a in self.schema.scalars if a.base_type == "Scalar")
        return scalars if {*INTEGERS} & {*self.dtypes} else ()

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Return the arguments that a caller can pass: all but those left at None."""
        return self.schema.caller_arguments

    @property
    def has_float_results(self) -> bool:
        """Return whether a result may have gradients: not if the mapping has integers only."""
        types = self.mapping.element_types
        return not types or any(
            not name or name.startswith("like ") or name in _FLOAT_TYPES for name in types
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the results that the mapping leaves out."""
        pairs = zip(self.schema.results, self.mapping.element_types, strict=False)
        return tuple(name for name, element_type in pairs if element_type == LEFT_OUT)

    @property
    def integer_tensors(self) -> tuple[str, ...]:
        """Return the tensors that have no gradients, because they are integers or booleans."""
        return tuple(integer_tensors(self.schema, self.kernel, self.samples))

    @property
    def kernel_gradients(self) -> tuple[str, ...]:
        """Return the tensors whose gradients a backward operator of the package computes."""
        match self.kernel:
            case Source(backward=backward):
                return tuple(t.name for t in self.schema.tensors if t.name in backward)
            case Composed() if self.has_float_results:
                others = {*self.derivatives, *self.integer_tensors}
                return tuple(t.name for t in self.schema.tensors if t.name not in others)
            case _:
                return ()

    @property
    def has_reference(self) -> bool:
        """Return whether a compiled kernel has a reference implementation in PyTorch."""
        match self.kernel:
            case Elementwise():
                return True
            case Source(reference=reference):
                return reference is not None or self.schema.exists
            case _:
                return False

    @property
    def reference_gradients(self) -> tuple[str, ...]:
        """Return the tensors whose gradients autograd computes through the reference."""
        if not self.has_reference or self.is_boolean or not self.has_float_results:
            return ()
        others = {*self.derivatives, *self.kernel_gradients, *self.integer_tensors}
        return tuple(t.name for t in self.schema.tensors if t.name not in others)

    @property
    def namespace(self) -> str:
        """Return the schema's namespace; the package's name for a kernel of PyTorch's operator."""
        replaces_kernel = self.schema.exists and self.kernel is not None
        return self.package.name if replaces_kernel else self.schema.namespace

    @property
    def domain(self) -> str:
        """Return the domain of the operator as one node: the spec's, package's or schema's."""
        if self.default_domain:
            return self.default_domain
        return self.package.name if self.schema.exists else self.schema.namespace

    @property
    def op(self) -> str:
        """Return the operator that the package calls, as PyTorch's dispatcher names it."""
        is_registered = not self.schema.exists or self.kernel is not None
        name = self.schema.public_name if is_registered else self.schema.name
        return f"{self.namespace}::{name}"

    @property
    def declared_op(self) -> str:
        """Return the operator as the schema declares it: `op`, or the one that writes to arguments,
        of which `op` is the functional form.
        """
        return f"{self.namespace}::{self.schema.declared_name}" if self.schema.writes else self.op

    @property
    def entry(self) -> str:
        """Return the name under which an installed package is asked for the operator."""
        has_this_name = self.op.startswith(f"{self.namespace}::{self.schema.public_name}")
        return (self.op if has_this_name else self.schema.title).replace("::", ".")

    @property
    def overloads(self) -> tuple[str, ...]:
        """Return ``torch.ops``' names of the operators with this rule, the package's first."""
        schema = self.schema
        registered = f"{self.namespace}.{schema.public_name}.default"
        existing = f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}"
        if not schema.exists:
            return (registered,)
        return (registered, existing) if self.kernel is not None else (existing,)

    @property
    def class_name(self) -> str:
        """Return the module's class; with ``Function`` appended, the autograd function's."""
        return names.camel(self.schema.public_name)


@dataclass(frozen=True)
class PackageSpec:
    """The specs of a package."""

    package: Metadata
    ops: tuple[Spec, ...]
    explicit_name: str = ""
    """The name that the caller gave the package; "" if the specs, or the first operator, name it.
    """

    @property
    def texts(self) -> dict[str, str]:
        """Return the specs' texts, by the names of their files in ``ops/``."""
        return {spec.file: spec.text for spec in self.ops}

    @property
    def sources(self) -> dict[str, Source | CudaFile]:
        """Return the kernels written by hand, by their files in the package."""
        kernels = [spec.kernel for spec in self.ops if isinstance(spec.kernel, Source)]
        files = [file for kernel in kernels for file in (kernel, kernel.cuda) if file is not None]
        return {f"ops/{file.file}": file for file in files}

    @property
    def given_files(self) -> dict[str, str]:
        """Return the files that the user supplied with the specs; no template makes them."""
        return {file: k.text or "" for file, k in self.sources.items() if k.is_given}

    @property
    def unwritten(self) -> tuple[str, ...]:
        """Return the files of the package that the user has to write."""
        return tuple(file for file, kernel in self.sources.items() if not kernel.is_written)
