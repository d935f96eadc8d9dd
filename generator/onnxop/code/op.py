"""Spec → Op: what the templates of one operator say by name."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

from .. import names, pyexpr
from ..errors import listed
from ..kernel.composed import Composed
from ..schema.signature import Argument, OpSchema
from ..spec.model import Spec
from .example import Example, example
from .gradients import Gradients, gradients
from .lines import docstring, in_import
from .mapping import body_of, code_of, helpers_of
from .sample_calls import SampleCall, refusals, samples
from .signatures import returned_type
from .torch_functions import ComposedCode, ReferenceCode, composed_code, reference_code

_KINDS = {
    "float": ("a float", "floats"),
    "int": ("an integer", "integers"),
    "bool": ("a boolean", "booleans"),
    "str": ("a string", "strings"),
    "Scalar": ("a number", "numbers"),
    "ScalarType": ("a dtype", "dtypes"),
}
# What a module has already, so that an argument of that name is kept under another one.
_MODULE_ATTRIBUTES = frozenset(
    "T apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu "
    "load_state_dict modules mtia named_buffers named_children named_modules named_parameters "
    "parameters requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty "
    "train training type xpu zero_grad self".split()
)


@dataclass(frozen=True)
class Parameter:
    """An argument of the operator as a parameter of a Python function.

    ``attribute`` is what the module calls it: its ``forward`` takes tensors, its constructor the rest.
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
    def passed(self) -> str:
        """How a call of the operator passes a variable of the same name."""
        value = f"onnxop_runtime.number({self.name})" if self.is_number else self.name
        return f"{self.name}={value}" if self.keyword_only else value

    @property
    def module_type(self) -> str:
        """Its type in the module's ``forward``, as TorchScript reads it."""
        return self.type.replace("Sequence[", "list[")

    @property
    def module_passed(self) -> str:
        """How the module's ``forward`` passes it."""
        value = self.attribute if self.is_tensor else f"self.{self.attribute}"
        return f"{self.name}={value}" if self.keyword_only else value


@dataclass(frozen=True)
class Op:
    """An operator. ``spec`` is all that is known of it; the rest are words for templates."""

    spec: Spec

    @property
    def schema(self) -> OpSchema:
        return self.spec.schema

    @property
    def name(self) -> str:
        return self.schema.called

    @property
    def function_name(self) -> str:
        """The ``torch.autograd.Function``; empty where PyTorch differentiates its own operator."""
        return f"{self.spec.class_name}Function" if self.spec.kernel is not None else ""

    @property
    def doc_literal(self) -> str:
        return pyexpr.literal(self.spec.doc)

    @property
    def spec_hash(self) -> str:
        """Of the file that the package has of it."""
        return f"sha256:{hashlib.sha256(self.spec.text.encode()).hexdigest()}"

    @property
    def docstring(self) -> str:
        return docstring(self.spec.doc)

    @property
    def public(self) -> tuple[str, ...]:
        """What its module offers to the package's users."""
        names = (name for name in (self.spec.class_name, self.function_name, self.name) if name)
        return tuple(sorted(names, key=in_import))

    @cached_property
    def samples(self) -> tuple[SampleCall, ...]:
        return samples(self.spec)

    @cached_property
    def refusals(self) -> tuple[SampleCall, ...]:
        return refusals(self.spec)

    @property
    def namespace(self) -> str:
        return self.spec.namespace

    @property
    def torch_ops(self) -> str:
        """What ``torch.ops`` calls it: ``my_lib.my_add.default``."""
        return self.spec.overloads[0]

    @property
    def overload(self) -> str:
        return self.torch_ops.replace(".", "::", 1)

    @property
    def existing(self) -> str:
        """PyTorch's own operator that the rule covers, too; empty where there is none."""
        return self.spec.overloads[-1].replace(".", "::", 1) if self.schema.exists else ""

    @property
    def kind(self) -> str:
        """The kind of its kernel: ``elementwise``, ``source``, ``composed`` or ``existing``."""
        kernel = self.spec.kernel
        return "existing" if kernel is None else type(kernel).__name__.lower()

    @property
    def gradient_names(self) -> str:
        """What has a gradient, in words."""
        names = listed([f"`{name}`" for name in self.gradients.names], "and")
        again = "" if self.gradients.twice else ", which are not differentiable again"
        return f"{names}{again}"

    @cached_property
    def mapping(self) -> tuple[str, ...]:
        """The lines of ``def to_onnx(op, ...)``, as they are written, indented; none without a mapping."""
        return body_of(self.spec.mapping.text)

    @property
    def asks_opset(self) -> bool:
        """Whether the mapping asks for the opset, which it is given by name."""
        return bool(re.search(r"\bopset\b", code_of(self.spec.mapping.text)))

    @property
    def helpers(self) -> tuple[str, ...]:
        """What the mapping's function imports of the runtime."""
        return helpers_of(self.spec)

    @property
    def untyped(self) -> str:
        """What mypy is told of functions and empty lists, whose types the spec does not say."""
        bodies = [part.body for part in (self.composed, self.reference) if part]
        text = code_of("\n".join([self.spec.mapping.text, *bodies]))
        told = {r"\bdef\b": "allow-untyped-defs", r"= \[ \]": "disable-error-code=var-annotated"}
        return ", ".join(words for form, words in told.items() if re.search(form, text))

    @cached_property
    def example(self) -> Example:
        return example(self.spec, self.spec.package.name)

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(argument.name for argument in self.schema.arguments if argument.is_held)

    @cached_property
    def gradients(self) -> Gradients:
        return gradients(self.spec)

    @cached_property
    def composed(self) -> ComposedCode | None:
        kernel = self.spec.kernel
        return composed_code(self.spec, kernel) if isinstance(kernel, Composed) else None

    @cached_property
    def reference(self) -> ReferenceCode | None:
        return reference_code(self.spec)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        taken = {*_MODULE_ATTRIBUTES, *(argument.name for argument in self.schema.scalars)}
        input_ = names.free("input", [argument.name for argument in self.schema.tensors])
        found: list[Parameter] = []
        for argument in self.spec.arguments:
            attribute = argument.name
            if argument.is_tensor:
                attribute = input_ if attribute == "self" else attribute
            elif attribute in _MODULE_ATTRIBUTES:
                attribute = names.claim(attribute, taken)
            found.append(
                Parameter(
                    argument.name,
                    argument.python_type,
                    pyexpr.literal(argument.default) if argument.has_default else "",
                    argument.keyword_only,
                    argument.is_tensor,
                    argument.kind == "Scalar",
                    self._note(argument),
                    attribute,
                )
            )
        return tuple(found)

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.is_tensor)

    @property
    def scalars(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if not parameter.is_tensor)

    @property
    def module_name(self) -> str:
        """What the module's constructor calls the module: ``self``, where no argument is called so."""
        return names.free("self", [scalar.name for scalar in self.scalars])

    @property
    def takes_numbers(self) -> bool:
        """Whether an argument is a Scalar."""
        return any(parameter.is_number for parameter in self.parameters)

    @property
    def draws_dtypes(self) -> bool:
        """Whether a sample has a dtype as an argument."""
        calls = (*self.samples, *self.refusals)
        return any("(torch." in draw for call in calls for draw in call.draws.values())

    @property
    def takes_lists(self) -> bool:
        return any(argument.is_list for argument in self.spec.arguments)

    @property
    def returned(self) -> str:
        """The type of what it returns."""
        return returned_type(self.schema)

    @property
    def result_names(self) -> str:
        return listed(self.schema.results)

    def _note(self, argument: Argument) -> str:
        several = len(self.schema.tensors) > 1
        if argument.is_tensor:
            what = "a tensor of any shape" if self.kind == "elementwise" else "a tensor"
            what = "a list of tensors" if argument.is_list else what
        else:
            one, many = _KINDS[argument.kind]
            what = many if argument.is_list else one
            what = f"{argument.length} {what}" if argument.is_list and argument.length else what
        what += " or None" if argument.is_optional else ""
        what += f"; {argument.default!r} by default" if argument.has_default else ""
        is_broadcast = argument.is_tensor and self.kind == "elementwise" and several
        return f"{what}{'; the shapes broadcast together' * is_broadcast}."
