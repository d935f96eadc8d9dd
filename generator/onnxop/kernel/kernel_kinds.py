"""The kinds of kernels, and the dtypes that they support."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onnxop_runtime.specs.op_schema import OpSchema

from . import expression as ex
from .composed import Composed, KernelFunction

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def kernel_dtypes(elementwise: ex.Expression, schema: OpSchema) -> tuple[str, ...]:
    """Return the supported dtypes: floats, and integers and bool if the expression is exact on
    them.
    """
    if ex.DTYPE_DEPENDENT.intersection(ex.functions(elementwise)):
        return FLOATS[:2]
    scalar_types = {argument.base_type for argument in schema.scalars}
    if "float" in scalar_types or not ex.is_integer_exact(elementwise):
        return FLOATS
    takes_bool = scalar_types <= {"bool"} and ex.is_boolean_exact(elementwise)
    return (*FLOATS, *INTEGERS, *(["bool"] if takes_bool else []))


def reason_against(dtype: str, elementwise: ex.Expression, schema: OpSchema) -> str:
    """Return the part of the expression, or the argument, for which the kernel does not support a
    dtype.
    """
    if dependent := ex.DTYPE_DEPENDENT.intersection(ex.functions(elementwise)):
        return min(dependent)
    if inexact := ex.inexact_on_integers(elementwise):
        return inexact
    supported = {"bool"} if dtype == "bool" else {"bool", "int", "SymInt", "Scalar"}
    for argument in schema.scalars:
        if argument.base_type not in supported:
            return f"{argument.type} {argument.name}"
    return ex.inexact_on_booleans(elementwise)


def is_boolean(elementwise: ex.Expression, schema: OpSchema) -> bool:
    """Return whether the expression is boolean, so that the result is a bool tensor."""
    return ex.is_condition(elementwise, {a.name for a in schema.scalars if a.base_type == "bool"})


@dataclass(frozen=True)
class Elementwise:
    """A C++ kernel made from an expression for one element."""

    expression: ex.Expression
    has_cuda_kernel: bool = True
    """Whether the library for CUDA has it, too."""


@dataclass(frozen=True)
class CudaFile:
    """The file in ``ops/`` with the loops of a kernel for GPUs. Its fields are as those of
    `Source`.
    """

    file: str
    text: str | None
    is_given: bool = False

    @property
    def is_written(self) -> bool:
        return self.text is not None and "not_implemented(kName)" not in _without_comments(
            self.text
        )


@dataclass(frozen=True)
class Source:
    """A C++ kernel that the user writes in ``ops/<file>``.

    ``text`` is the content of the file, if it exists beside the spec; ``is_given`` tells whether it
    existed when the package was made: if not, onnxop writes a skeleton, and merges later skeletons
    into it. ``backward`` names the tensors whose gradients the kernel computes. ``reference`` is
    the reference implementation in PyTorch's operators, if the spec has one.

    ``has_cuda_kernel`` tells whether there is a kernel for CUDA, too: the same file, or ``cuda``.
    ``on_host`` names the tensors that infer() reads.
    """

    file: str
    text: str | None
    backward: tuple[str, ...]
    is_given: bool = False
    reference: KernelFunction | None = None
    has_cuda_kernel: bool = False
    cuda: CudaFile | None = None
    on_host: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The file's text without comments."""
        return _without_comments(self.text or "")

    @property
    def is_shared(self) -> bool:
        """Whether CPUs and GPUs share the loops."""
        return self.has_cuda_kernel and self.cuda is None

    @property
    def is_written(self) -> bool:
        """Whether the file exists and its compute() is written; in a skeleton it is not."""
        computes = re.split(r"\bvoid\s+backward\b", self.code)[0]
        return self.text is not None and "not_implemented(kName)" not in computes

    def problem_with_name(self, op: str) -> str:
        """Return an error if ``kName`` is not ``op`` (``namespace::name`` or ``::name``), else
        ``""``.
        """
        names: list[str] = re.findall(r'\bkName\s*=?\s*\{?\s*"([^"\n]*)"', self.code)
        if not names or any(name.endswith(op) if op[0] == ":" else name == op for name in names):
            return ""
        right_name = f"one that ends with {op}" if op[0] == ":" else op
        return f"kName in {self.file} names another operator, {names[0]}; write {right_name}"


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


Kernel = Elementwise | Source | Composed
