"""Spec → the data of the C++ templates: an op, its arguments and its results."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.tensors import tensors_of

from .. import names
from ..kernel import expression
from ..kernel.kernel_kinds import FLOATS, Elementwise, Source
from ..spec.model import Spec
from . import cppexpr
from .cpp_arguments import (
    CppArgument,
    CppResult,
    FunctionalForm,
    described_results,
    functional_form,
)
from .cpp_types import TYPE_LISTS
from .signatures import backward_schema, gradient_names, parameters, returned_type, schema_text
from .skeleton import Skeleton


@dataclass(frozen=True)
class CppOp:
    """An op with a kernel in C++. ``spec`` is the whole spec; the other fields are text for
    templates.

    ``namespace`` is the C++ one: the schema's name with ``_kernel`` appended, so that it is not a
    name of a function, such as ``asinh``. ``header`` is the kernel's, as the op's ``.cpp`` includes
    it, and ``cuda_header`` the one that nvcc compiles. ``worker`` is the last parameter of
    compute(). ``schema``, ``backward_schema`` and ``doc`` are string literals, one a line.
    """

    spec: Spec
    name: str
    namespace: str
    header: str
    cuda_header: str
    worker: str
    schema: list[str]
    backward_schema: list[str]
    doc: list[str]
    arguments: tuple[CppArgument, ...]
    results: tuple[CppResult, ...]

    # For an elementwise kernel.
    supported: str
    checked_scalars: tuple[CppArgument, ...]
    grain: int
    expression: str

    # For a kernel written by hand.
    gradient_locals: tuple[str, ...]

    @property
    def is_elementwise(self) -> bool:
        return isinstance(self.spec.kernel, Elementwise)

    @property
    def kernel_name(self) -> str:
        return self.spec.declared_op

    @property
    def functional(self) -> FunctionalForm | None:
        return functional_form(self.arguments, self.results)

    @property
    def returned(self) -> tuple[CppResult, ...]:
        """The results that the kernel's infer() describes: all but those that hold written
        arguments.
        """
        return tuple(described_results(self.arguments, self.results))

    @property
    def tensors(self) -> tuple[CppArgument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @property
    def scalars(self) -> tuple[CppArgument, ...]:
        return tuple(argument for argument in self.arguments if not argument.is_tensor)

    @property
    def first(self) -> str:
        return self.tensors[0].local

    @property
    def skeleton(self) -> Skeleton:
        return Skeleton(self.spec, self.arguments, self.returned, self.gradient_locals)


# Names that the kernels' functions use in addition to the arguments; no local may have one of them.
_TAKEN = frozenset(
    "out parallel_for worker stream functions element infer compute backward elementwise "
    "infer_elementwise fail not_implemented check_supported check_same_dtype check_dtype "
    "check_rank T Tensor TensorView TensorMeta MutableTensorView OutputSpec Dtype Types Compute "
    "Supported ParallelFor Worker Element Stored Size kGrain Scalar check_scalar kName std "
    "onnxop int64_t size_t tensors".split()
)


def cpp_op(spec: Spec) -> CppOp:
    """Return the templates' data for a spec with a kernel in C++."""
    schema = spec.schema
    local = {a.name: names.unused_name(names.cpp(a.name), _TAKEN) for a in spec.arguments}
    taken = {*local.values(), *_TAKEN}
    results = _results(spec, taken)
    arguments = tuple(_argument(spec, a, local[a.name]) for a in spec.arguments)
    gradients = {name: names.claim_name(f"grad_{name}", taken) for name in spec.kernel_gradients}
    header = f"../ops/{spec.kernel_file}" if spec.kernel_file else f"{schema.public_name}.h"
    return CppOp(
        spec=spec,
        name=schema.public_name,
        namespace=f"{schema.declared_name}_kernel",
        header=header,
        cuda_header=f"../ops/{spec.cuda_file}" if spec.cuda_file else header,
        worker=_worker(spec),
        schema=strings(schema_text(spec)),
        backward_schema=strings(backward_schema(spec)),
        doc=strings(_doc(spec)),
        arguments=arguments,
        results=results,
        supported=TYPE_LISTS.get(spec.dtypes, ""),
        checked_scalars=tuple(a for a in arguments if a.name in spec.checked_scalars),
        grain=_grain(spec),
        expression=_expression(spec, local),
        gradient_locals=tuple(gradients.values()),
    )


def definitions(spec: Spec) -> tuple[str, ...]:
    """Return the definitions that the kernel's header must have; none if the kernel is not C++."""
    if not spec.is_native:
        return ()
    op = cpp_op(spec)
    metas = [f"{argument.meta} {argument.local}" for argument in op.arguments]
    views = [f"{argument.kernel_view} {argument.local}" for argument in op.arguments]
    views.append(op.worker)
    outputs = [f"const MutableTensorView& {result.local}" for result in op.returned]
    gradients = [f"const std::optional<MutableTensorView>& {name}" for name in op.gradient_locals]
    grads = [f"const TensorView& {result.grad_local}" for result in op.results]
    several = f"std::array<OutputSpec, {len(outputs)}>"
    inferred = {0: "void", 1: "OutputSpec"}.get(len(outputs), several)
    functions = [f"{inferred} infer({', '.join(metas)})"]
    functions.append(f"void compute({', '.join(outputs + views)})")
    if gradients:
        functions.append(f"void backward({', '.join(gradients + grads + views)})")
    return (
        f"namespace {op.namespace} {{ using namespace onnxop; ... }}",
        f'inline constexpr std::string_view kName = "{spec.declared_op}";',
        *(f"inline {definition} {{ ... }}" for definition in functions),
    )


def _worker(spec: Spec) -> str:
    """Return the last parameter of compute() in the kernel's header."""
    is_for_cpus = isinstance(spec.kernel, Source) and not spec.kernel.is_shared
    return "const ParallelFor& parallel_for" if is_for_cpus else "const Worker& worker"


def _argument(spec: Spec, argument: Argument, local: str) -> CppArgument:
    """Return an argument as C++ has it."""
    return CppArgument(
        name=argument.name,
        local=local,
        type=argument.type,
        default=_default(argument) if argument.has_default else "",
        keyword_only=argument.keyword_only,
        dtype=_dtype_in_samples(spec, argument.name) if argument.is_tensor else "",
        view=_type(argument, tensor="TensorView", integer="int64_t"),
        meta=_type(
            argument, tensor="TensorMeta", integer="Size" if argument.is_symbolic else "int64_t"
        ),
        element={"int": "int64_t", "bool": "bool"}.get(argument.base_type, "T"),
        is_written=isinstance(spec.kernel, Source) and argument.name in spec.schema.writes,
        on_host=argument.name in spec.on_host,
    )


_NUMBERS = {"float": "double", "Scalar": "Scalar", "bool": "bool", "str": "std::string_view"}


def _type(argument: Argument, *, tensor: str, integer: str) -> str:
    """Return the type in which a function of the kernel takes the argument, by the types in which
    it takes tensors and integers.
    """
    types = {**_NUMBERS, "Tensor": tensor, "int": integer}
    base = types[argument.base_type]
    if argument.is_list:
        base = f"std::span<const {base}>"
    if argument.is_optional:
        base = f"std::optional<{base}>"
    return f"const {base}&" if argument.is_tensor and not argument.is_list else base


def _results(spec: Spec, taken: set[str]) -> tuple[CppResult, ...]:
    """Return the results as C++ has them, with names that are not taken."""
    shown: tuple[str, ...] = ("output",)
    local = ["out"]
    if spec.schema.has_several:
        shown = spec.schema.results
        cpp_names = [f"out{i}" if n == f"result{i}" else names.cpp(n) for i, n in enumerate(shown)]
        local = [names.claim_name(name, taken) for name in cpp_names]
    dtypes = [_dtype_of_result(spec, index) for index in range(len(shown))]
    grads = gradient_names(spec.schema)
    grad_locals = [names.claim_name(grad, taken) for grad in grads]
    return tuple(map(CppResult, shown, local, dtypes, grads, grad_locals))


def _dtype_in_samples(spec: Spec, name: str) -> str:
    """Return the dtype that a tensor argument has in the samples; "" if it is the dtype of the
    first tensor, ``kAnyDtype`` if samples have several.
    """
    first = spec.schema.tensors[0].name
    if not isinstance(spec.kernel, Source) or name == first:
        return ""
    pairs: list[tuple[str, str]] = []
    for sample in spec.samples:
        if name in sample and first in sample:
            first_dtypes = [tensor.dtype for tensor in tensors_of(sample[first])[:1]]
            input_dtypes = [tensor.dtype for tensor in tensors_of(sample[name])]
            pairs += product(first_dtypes, input_dtypes)
    if all(first_dtype == dtype for first_dtype, dtype in pairs):
        return ""
    # A float dtype that the first tensor has in a sample, too, is no requirement.
    is_shared = any(first_dtype == dtype and dtype in FLOATS for first_dtype, dtype in pairs)
    dtypes = {dtype for _, dtype in pairs}
    return _dtype(dtypes.pop()) if len(dtypes) == 1 and not is_shared else "kAnyDtype"


def _dtype_of_result(spec: Spec, index: int) -> str:
    """Return the output's dtype in the mapping. It is "" for the dtype of the first tensor, and
    ``kAnyDtype`` if it is unknown, so that infer() sets it.
    """
    if isinstance(spec.kernel, Elementwise):
        return "Dtype::boolean" if spec.is_boolean else ""
    if argument := spec.mapping.argument_of_type(index):
        return _dtype_in_samples(spec, argument)
    element_type = spec.mapping.element_type(index)
    torch_type = names.TORCH_TYPES.get(element_type)
    return _dtype(torch_type) if torch_type else "kAnyDtype"


def _dtype(name: str) -> str:
    return f"Dtype::{'boolean' if name == 'bool' else name}"


# ---- Defaults and text ----


def _default(argument: Argument) -> str:
    """Return an argument's default in C++."""
    value = argument.default
    if value is None:
        return "None()"
    if isinstance(value, tuple):
        template = "kReals" if argument.base_type == "float" else "kIntegers"
        return f"{template}<{', '.join(_number(item) for item in value)}>"
    if isinstance(value, str):
        return string(value)
    number = _number(value)
    whole = (
        f"int64_t{{{number}}}"
        if isinstance(value, int) and argument.base_type != "bool"
        else number
    )
    return f"Scalar({whole})" if argument.base_type == "Scalar" else whole


def _number(value: object) -> str:
    # C++ parses the smallest int64 as the negation of a literal that is too large.
    return f"{-(2**63) + 1} - 1" if value == -(2**63) else str(value).lower()


def _doc(spec: Spec) -> str:
    types = {"Tensor": "torch.Tensor", "Tensor?": "torch.Tensor | None"}
    types["Tensor[]"] = "Sequence[torch.Tensor]"
    signature_parameters = ", ".join(parameters(spec.arguments, types))
    returned = returned_type(spec.schema).replace("Tensor", "torch.Tensor")
    signature = f"{spec.schema.public_name}({signature_parameters}) -> {returned}"
    return f"{signature}\n\n{spec.doc} This calls the CPU kernel directly, without autograd."


def string(text: str) -> str:
    """Return a C++ string literal; characters outside plain ASCII are UTF-8 bytes, in octal."""
    escapes = {"\n": "\\n", '"': '\\"', "\\": "\\\\"}
    parts = (
        escapes.get(chr(byte)) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
        for byte in text.encode()
    )
    return f'"{"".join(parts)}"'


def strings(text: str) -> list[str]:
    """Return C++ string literals, one a line, which the compiler joins to the text."""
    lines: list[str] = []
    for word in re.findall(r"\S*\s*", text):
        if lines and len(string(lines[-1] + word)) <= _MAX_LITERAL:
            lines[-1] += word
        elif word:
            lines.append(word)
    return [string(line) for line in lines]


_MAX_LITERAL = 90  # columns, beside the indent


# ---- Elementwise kernels ----


def _grain(spec: Spec) -> int:
    """Return how many elements are worth another thread: fewer if the expression calls functions.

    A call takes 0.4 to 10 ns, by vectors or one by one. A thread takes some microseconds to wake,
    or two ticks of the scheduler if another process has its CPU.
    """
    is_dear = isinstance(spec.kernel, Elementwise) and expression.functions(spec.kernel.expression)
    return 16384 if is_dear else 32768


_TAKE_STORED_TYPE = frozenset({"asinh"})
"""The functions of <onnxop/functions.h> that take the type in which their value is stored, if
nothing is computed with it: on GPUs, 16 bits are cheaper.
"""


def _expression(spec: Spec, local: dict[str, str]) -> str:
    """Return an elementwise kernel's expression in C++; "" for another kernel."""
    if not isinstance(spec.kernel, Elementwise):
        return ""
    scalars = spec.schema.scalars
    text = cppexpr.to_cpp(
        spec.kernel.expression,
        local,
        booleans={a.name for a in scalars if a.base_type == "bool"},
        integers={a.name for a in scalars if a.base_type == "int"},
        as_it_is=spec.is_boolean,
    )
    outermost = spec.kernel.expression
    if isinstance(outermost, expression.FunctionCall) and outermost.function in _TAKE_STORED_TYPE:
        # Its value is the result: the function may round as coarsely as the result is stored.
        name, _, arguments = text.partition("(")
        return f"{name}<Stored>({arguments}"
    return text
