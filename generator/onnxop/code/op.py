"""Spec → Op: the names that the templates of one operator use."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from onnxop_runtime.messages import join_words
from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema

from .. import names
from ..kernel.composed import Composed
from ..spec.model import Spec
from .example import Example, example
from .gradient_data import Gradients, gradients
from .lines import WIDTH, docstring, in_import
from .mapping import body_of, code_of
from .sample_calls import SampleCall, arguments
from .signatures import parameters, returned_type, rule_parameters
from .torch_functions import (
    ComposedCode,
    ReferenceCode,
    code_of_composed,
    code_of_reference,
    module_imports,
)

_README_WIDTH = 110  # columns, beside the item's beginning

_TYPES_IN_WORDS = {
    "float": ("a float", "floats"),
    "int": ("an integer", "integers"),
    "bool": ("a boolean", "booleans"),
    "str": ("a string", "strings"),
    "Scalar": ("a number", "numbers"),
    "ScalarType": ("a dtype", "dtypes"),
}
# Attributes of every module; an argument with such a name is stored under another one.
_MODULE_ATTRIBUTES = frozenset(
    "T apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu "
    "load_state_dict modules mtia named_buffers named_children named_modules named_parameters "
    "parameters requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty "
    "train training type xpu zero_grad self".split()
)


def hash_of(text: str) -> str:
    """Return the hash by which a package and its files know the text of a spec."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _quoted(names: Sequence[str]) -> str:
    return join_words([f"`{name}`" for name in names])


@dataclass(frozen=True)
class Parameter:
    """An argument of the operator as a parameter of a Python function.

    ``attribute`` is its name in the module: ``forward`` takes tensors, the constructor the rest.
    """

    name: str
    type: str
    default: str
    keyword_only: bool
    is_tensor: bool
    is_number: bool
    note: str
    attribute: str

    @property
    def module_declared(self) -> str:
        """Return the parameter as the module's ``forward`` declares it, in TorchScript's types."""
        declared = f"{self.attribute}: {self.type.replace('Sequence[', 'list[')}"
        return f"{declared} = {self.default}" if self.default else declared

    @property
    def passed(self) -> str:
        """Return how a call of the operator passes a variable of the same name."""
        value = f"onnxop_runtime.as_number({self.name})" if self.is_number else self.name
        return f"{self.name}={value}" if self.keyword_only else value

    @property
    def module_passed(self) -> str:
        """Return how the module's ``forward`` passes the argument."""
        value = self.attribute if self.is_tensor else f"self.{self.attribute}"
        return f"{self.name}={value}" if self.keyword_only else value


@dataclass(frozen=True)
class Op:
    """An operator. ``spec`` is the whole spec; the properties are text for templates."""

    spec: Spec

    @property
    def schema(self) -> OpSchema:
        return self.spec.schema

    @property
    def name(self) -> str:
        return self.schema.public_name

    @property
    def function_name(self) -> str:
        """Return the name of the ``torch.autograd.Function``; "" for PyTorch's own operator."""
        return f"{self.spec.class_name}Function" if self.spec.kernel is not None else ""

    @property
    def doc_literal(self) -> str:
        """Return the first paragraph, which exporters write into models."""
        return pyexpr.literal(self.spec.doc.partition("\n\n")[0])

    @property
    def spec_hash(self) -> str:
        """Return the hash of the spec's file in the package."""
        return hash_of(self.spec.text)

    @property
    def docstring(self) -> str:
        return docstring(self.spec.doc)

    @property
    def public(self) -> tuple[str, ...]:
        """Return the names that its module offers to the package's users."""
        in_place = self.schema.declared_name if self.schema.in_place else ""
        offered = (self.spec.class_name, self.function_name, self.name, in_place)
        names = (name for name in offered if name)
        return tuple(sorted(names, key=in_import))

    @cached_property
    def samples(self) -> tuple[SampleCall, ...]:
        return tuple(SampleCall(arguments(sample)) for sample in self.spec.samples)

    @cached_property
    def refusals(self) -> tuple[SampleCall, ...]:
        return tuple(
            SampleCall(arguments(refusal.values), refusal.raises, pyexpr.string(refusal.match))
            for refusal in self.spec.refusals
        )

    @property
    def namespace(self) -> str:
        return self.spec.namespace

    @property
    def torch_ops(self) -> str:
        """Return its name in ``torch.ops``: ``my_lib.my_add.default``."""
        return self.spec.overloads[0]

    @property
    def overload(self) -> str:
        return self.torch_ops.replace(".", "::", 1)

    @property
    def existing(self) -> str:
        """Return PyTorch's own operator that the rule also covers; "" if there is none."""
        return self.spec.overloads[-1].replace(".", "::", 1) if self.schema.exists else ""

    @property
    def kernel_type(self) -> str:
        """Return its kernel's type: ``elementwise``, ``source``, ``composed`` or ``existing``."""
        kernel = self.spec.kernel
        return "existing" if kernel is None else type(kernel).__name__.lower()

    @property
    def gradients_doc(self) -> str:
        """Return which arguments have a gradient, and where it comes from: a line of the README."""
        return textwrap.fill(self._gradients, _README_WIDTH, subsequent_indent="  ")

    @property
    def _gradients(self) -> str:
        """Return the README's words on gradients."""
        if not self.function_name:
            return f"those of `{self.schema.title}`"
        parts = []
        if self.gradients.names:
            again = "" if self.gradients.twice else ", which are not differentiable again"
            parts.append(f"of {_quoted(self.gradients.names)}{again}")
        if names := self.spec.reference_gradients:
            parts.append(f"of {_quoted(names)}, by autograd through the reference implementation")
        if parts:
            return "; ".join(parts)
        is_refused = any(gradient.is_missing for gradient in self.gradients.of)
        return "none; asking for one raises an error" if is_refused else "none"

    def devices_doc(self, package_has_cuda: bool) -> str:
        """Return where the kernel in C++ runs, and what runs elsewhere: a line of the README."""
        devices = "the CPU"
        if package_has_cuda and self.spec.has_cuda_kernel:
            has_scalar = any(argument.base_type == "Scalar" for argument in self.spec.arguments)
            devices += ", and CUDA in ONNX Runtime" if has_scalar else " and CUDA"
        if not self.spec.has_reference:
            return devices
        fallback = f"_reference` in `_{self.name}.py" if self.reference else self.schema.title
        return f"{devices}. On others, and in dtypes that the kernel lacks, it is `{fallback}`"

    @cached_property
    def mapping(self) -> tuple[str, ...]:
        """Return the lines of ``def to_onnx(op, ...)`` as written; none without a mapping."""
        return body_of(self.spec.mapping.text)

    @property
    def asks_opset(self) -> bool:
        """Return whether the mapping uses ``opset``, the keyword argument with the opset version;
        an argument of the operator may have that name.
        """
        if any(argument.name == "opset" for argument in self.spec.arguments):
            return False
        return bool(re.search(r"\bopset\b", code_of(self.spec.mapping.text)))

    @property
    def untyped(self) -> str:
        """Return mypy's exemptions for functions and empty lists, for which the spec has no
        types.
        """
        bodies = [part.body for part in (self.composed, self.reference) if part]
        text = code_of("\n".join([self.spec.mapping.text, *bodies]))
        exemptions = {
            r"\bdef\b": "allow-untyped-defs",
            r"= \[ \]": "disable-error-code=var-annotated",
        }
        return ", ".join(option for form, option in exemptions.items() if re.search(form, text))

    @cached_property
    def example(self) -> Example:
        return example(self.spec, self.spec.package.name)

    @property
    def always_none(self) -> tuple[str, ...]:
        return tuple(argument.name for argument in self.schema.arguments if argument.is_always_none)

    @cached_property
    def gradients(self) -> Gradients:
        return gradients(self.spec)

    @cached_property
    def composed(self) -> ComposedCode | None:
        kernel = self.spec.kernel
        return code_of_composed(self.spec, kernel) if isinstance(kernel, Composed) else None

    @property
    def imports(self) -> list[str]:
        """Return the import statements of its module."""
        return module_imports(self.spec)

    @cached_property
    def reference(self) -> ReferenceCode | None:
        return code_of_reference(self.spec)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the arguments as parameters of Python functions, and as attributes of the
        module.
        """
        taken = {*_MODULE_ATTRIBUTES, *(argument.name for argument in self.schema.scalars)}
        input_ = names.unused_name("input", [argument.name for argument in self.schema.tensors])
        entries: list[Parameter] = []
        for argument in self.spec.arguments:
            attribute = argument.name
            if argument.is_tensor:
                attribute = input_ if attribute == "self" else attribute
            elif attribute in _MODULE_ATTRIBUTES:
                attribute = names.claim_name(attribute, taken)
            entries.append(
                Parameter(
                    argument.name,
                    argument.python_type,
                    pyexpr.literal(argument.default) if argument.has_default else "",
                    argument.keyword_only,
                    argument.is_tensor,
                    argument.base_type == "Scalar",
                    self._note(argument),
                    attribute,
                )
            )
        return tuple(entries)

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.is_tensor)

    @property
    def scalars(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if not parameter.is_tensor)

    @property
    def signature(self) -> list[str]:
        """Return the parameters of its function."""
        return parameters(self.spec.arguments, {})

    @property
    def constructor(self) -> list[str]:
        """Return the parameters of the module's constructor, after ``self``."""
        return parameters(self.schema.scalars, {})

    @property
    def rule_parameters(self) -> list[str]:
        """Return the parameters of its mapping's function."""
        opset = ["*", "opset: int"] if self.asks_opset else []
        return [*rule_parameters(self.spec), *opset]

    @property
    def rule_result(self) -> str:
        """Return the type of what its mapping's function returns.

        Several results are a tuple of tensors, or the outputs of a node.
        """
        return "Iterable[OnnxValue]" if self.schema.has_several else "OnnxValue"

    @property
    def self_name(self) -> str:
        """Return the constructor's name for the module: ``self``, unless an argument is
        called so.
        """
        return names.unused_name("self", [scalar.name for scalar in self.scalars])

    @property
    def draws_dtypes(self) -> bool:
        """Return whether a sample passes a dtype as an argument."""
        calls = (*self.samples, *self.refusals)
        return any("(torch." in line for call in calls for line in call.arguments)

    @property
    def returned(self) -> str:
        """Return the Python type of its result."""
        return returned_type(self.schema)

    @property
    def result_names(self) -> str:
        return join_words(self.schema.results)

    def _note(self, argument: Argument) -> str:
        """Return what a docstring says of an argument: the spec's words, or its type."""
        note = self.spec.argument_notes.get(argument.name, "").strip().rstrip(".")
        note = note or self._type_note(argument)
        if argument.has_default:
            note += f"; {argument.default!r} by default"
        text = f"{argument.name}: {docstring(note)}."
        lines = textwrap.wrap(text, WIDTH - 12, break_long_words=False)
        return "\n            ".join(lines).removeprefix(f"{argument.name}: ")

    def _type_note(self, argument: Argument) -> str:
        """Return an argument's type in words, and that shapes broadcast."""
        is_elementwise = self.kernel_type == "elementwise"
        if not argument.is_tensor:
            one, many = _TYPES_IN_WORDS[argument.base_type]
            note = many if argument.is_list else one
            if argument.is_list and argument.length:
                note = f"{argument.length} {note}"
        elif argument.is_list:
            note = "a list of tensors"
        else:
            note = "a tensor of any shape" if is_elementwise else "a tensor"
        if argument.is_optional:
            note += " or None"
        if argument.is_tensor and is_elementwise and len(self.schema.tensors) > 1:
            note += "; the shapes broadcast together"
        return note
