"""The C++ that hosts the kernel: its registration with PyTorch and its Python functions."""

from __future__ import annotations

from typing import Any

from . import cppcode, cpptypes, names, pycode
from .kernel_code import gradients_of, locals_of, outputs_of, taken
from .schema import Argument
from .signatures import backward_schema, parameters, returned_type, schema_text, with_star
from .spec import Elementwise, Source, Spec


def binding_code(spec: Spec) -> dict[str, Any]:
    if not spec.is_native:
        return {"is_native": False, "has_stl": False}
    parts = _Bindings(spec)
    return {
        "is_native": True,
        **_comments(spec),
        **_includes(spec),
        **parts.torch(),
        **parts.backward(),
        **parts.python(),
        **parts.python_infer(),
    }


class _Bindings:
    """The functions of the bindings; the names of their locals are settled once."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.arguments = spec.arguments
        self.local = locals_of(spec)
        self.tensors = [a for a in self.arguments if a.is_tensor]
        self.has_several = spec.schema.has_several
        occupied = {*taken(spec), *(gradients_of(spec).values() if self.has_several else ())}
        if self.has_several:
            self.outputs = outputs_of(spec)
            self.specs = [names.claim(f"{name}_spec", occupied) for name in self.outputs]
            self.inferred = names.claim("specs", occupied)
        else:
            output, one_spec = (names.claim(name, occupied) for name in ("output", "spec"))
            self.outputs, self.specs = [output], [one_spec]
        self.grad_denses = {
            name: names.claim(f"{name}_dense", occupied) for name in gradients_of(spec)
        }
        self.views = {a.name: names.claim(f"{a.name}_view", occupied) for a in self.tensors}
        self.denses = {a.name: names.claim(f"{a.name}_dense", occupied) for a in self.tensors}
        self.objects = {a.name: names.claim(f"{a.name}_tensor", occupied) for a in self.tensors}
        self.numbers = [a for a in self.arguments if a.kind == "Scalar"]
        for argument in self.numbers:
            word = f"{argument.name}_number"
            self.objects[argument.name] = names.claim(word, occupied)
        self.grad_objects = {
            name: names.claim(f"{name}_tensor", occupied) for name in gradients_of(spec)
        }
        self.gradients = {n: names.claim(f"grad_{n}", occupied) for n in spec.kernel_gradients}

    def _parameters(self, tensor_type: str) -> list[str]:
        return [f"{cpptypes.host(a, tensor_type)} {self.local[a.name]}" for a in self.arguments]

    def torch(self) -> dict[str, Any]:
        """``call``: the kernel on PyTorch's tensors."""
        inputs, infer = self._inputs(), self._infer()
        if isinstance(self.spec.kernel, Elementwise):
            scalars = [self.local[a.name] for a in self.arguments if not a.is_tensor]
            passed = [*self.views.values(), *scalars]
        else:
            passed = self._through("view_of")
        pairs = list(zip(self.outputs, self.specs, strict=True))
        outputs = [f"output_view({output}, {spec})" for output, spec in pairs]
        compute = [*outputs, *passed, "torch_parallel_for"]
        result, declared = "Tensor", "torch::stable::Tensor"
        if self.has_several:
            result = declared = "Outputs"
        return {
            "registration": [
                *_definition(schema_text(self.spec)),
                *(_definition(backward_schema(self.spec)) if self.gradients else []),
            ],
            "implementations": self._implementations(),
            "has_numbers": bool(self.numbers),
            "python_implementations": self._python_implementations(),
            "input_lines": inputs,
            "infer_call": infer,
            "allocations": [f"  Tensor {output} = allocate({spec});" for output, spec in pairs],
            "compute_call": cppcode.call("compute(", compute, ");", indent=2),
            "call_return": cppcode.call("return {", self.outputs, "};", indent=2)
            if self.has_several
            else [f"  return {self.outputs[0]};"],
            "outputs_type": cppcode.call(
                "using Outputs = std::tuple<",
                ["torch::stable::Tensor"] * len(self.outputs),
                ">;",
            ),
            "call_declaration": cppcode.call(
                f"{declared} call(", self._parameters("torch::stable::Tensor"), ");"
            ),
            "call_definition": cppcode.call(f"{result} call(", self._parameters("Tensor"), ") {"),
        }

    def _implementations(self) -> list[str]:
        name = self.spec.schema.name
        lines = [f'  m.impl("{name}", TORCH_BOX(&op::call));']
        if self.gradients:
            lines.append(f'  m.impl("{name}_backward", TORCH_BOX(&op::call_backward));')
        return lines

    def _python_implementations(self) -> list[str]:
        names_ = [self.spec.schema.name]
        names_ += [f"{names_[0]}_backward"] if self.gradients else []
        return [
            line
            for name in names_
            for line in pycode.call(
                "torch.library.impl(",
                [f'"{self.spec.namespace}::{name}"', '"cpu"', f"module.{name}"],
                indent=8,
            )
        ]

    def _inputs(self) -> list[str]:
        """The tensors as an elementwise kernel takes them, or contiguous."""
        is_elementwise = isinstance(self.spec.kernel, Elementwise)
        lines: list[str] = []
        for argument in self.tensors:
            name = argument.name
            head = f"const TensorView {self.views[name]} = view("
            if not is_elementwise:
                head = f"const auto {self.denses[name]} = dense("
            lines += cppcode.call(head, ["kName", f'"{name}"', self.local[name]], ");", indent=2)
        return lines

    def _through(self, function: str, *, sizes: str = "") -> list[str]:
        """The arguments in order, tensors by ``function`` and lists of sizes by ``sizes``."""
        found: list[str] = []
        for argument in self.arguments:
            name = self.local[argument.name]
            if argument.is_tensor:
                name = f"{function}({self.denses[argument.name]})"
            elif sizes and argument.is_symbolic and argument.is_list:
                name = f"{sizes}({name})"
            found.append(name)
        return found

    def _infer(self) -> list[str]:
        if self.has_several:
            head = f"const {cpptypes.outputs(self.spec.schema)} {self.inferred} = infer("
            passed = self._through("meta_of", sizes="sizes_of")
            lines = cppcode.call(head, passed, ");", indent=2)
            for place, name in enumerate(self.specs):
                lines.append(
                    f"  const TensorSpec {name} = concrete(kName, {self.inferred}[{place}]);"
                )
            return lines
        head = f"const TensorSpec {self.specs[0]} = "
        if isinstance(self.spec.kernel, Elementwise):
            return cppcode.call(f"{head}infer(", [*self.views.values()], ");", indent=2)
        call = cppcode.call("infer(", self._through("meta_of", sizes="sizes_of"), ")", indent=6)
        line = f"  {head}concrete(kName, {call[0].strip()});"
        if len(call) == 1 and len(line) <= cppcode.WIDTH:
            return [line]
        call[-1] += ");"
        return [f"  {head}concrete(", "      kName,", *call]

    def backward(self) -> dict[str, Any]:
        """``call_backward``: the gradients on PyTorch's tensors."""
        if not self.gradients:
            return {"has_backward": False, "python_backward": False}
        count = len(self.gradients)
        result = "Tensor" if count == 1 else f"std::tuple<{', '.join(['Tensor'] * count)}>"
        grads = gradients_of(self.spec)
        if not self.has_several:
            grads = {"grad": names.free("grad", self.local.values())}
        wants = names.free("wants", self.local.values())

        def parameters_of(tensor: str) -> list[str]:
            found = [f"const {tensor}& {grad}" for grad in grads.values()]
            return [*found, *self._parameters(tensor), f"const std::vector<bool>& {wants}"]

        parameters_ = parameters_of("Tensor")
        own = "torch::stable::Tensor"
        return {
            "has_backward": True,
            "python_backward": bool(self.numbers),
            "backward_declaration": cppcode.call(
                f"{result.replace('Tensor', own)} call_backward(", parameters_of(own), ");"
            ),
            **self._python_backward(grads, wants),
            "backward_definition": cppcode.call(f"{result} call_backward(", parameters_, ") {"),
            "grad_lines": [
                line
                for (name, grad), spec in zip(grads.items(), self.specs, strict=True)
                for line in (
                    *cppcode.call(
                        f"const auto {self.grad_denses[name]} = dense(",
                        ["kName", f'"{name}"', grad],
                        ");",
                        indent=2,
                    ),
                    *cppcode.call(
                        "check_gradient(",
                        ["kName", f"view_of({self.grad_denses[name]})", spec],
                        ");",
                        indent=2,
                    ),
                )
            ],
            "gradient_lines": [
                line
                for position, (name, gradient) in enumerate(self.gradients.items())
                for line in cppcode.call(
                    f"const Gradient {gradient}(",
                    [f"{wants}[{position}]", f'"{name}"', f"view_of({self.denses[name]})"],
                    ");",
                    indent=2,
                )
            ],
            "backward_call": cppcode.call(
                "backward(",
                [
                    *(f"{gradient}.view()" for gradient in self.gradients.values()),
                    *(f"view_of({name})" for name in self.grad_denses.values()),
                    *self._through("view_of"),
                    "torch_parallel_for",
                ],
                ");",
                indent=2,
            ),
            "backward_return": cppcode.call(
                "return {" if count > 1 else "return ",
                [f"{gradient}.tensor()" for gradient in self.gradients.values()],
                "};" if count > 1 else ";",
                indent=2,
            ),
        }

    def _python_backward(self, grads: dict[str, str], wants: str) -> dict[str, Any]:
        """``call_backward`` as a Python function, for what reaches the kernel through Python."""
        objects = [f"const py::object& {grad}" for grad in grads.values()]
        objects += self._python_parameters()
        objects.append(f"const std::vector<bool>& {wants}")
        passed = [self.grad_objects[name] for name in grads]
        passed += [self.objects.get(a.name, self.local[a.name]) for a in self.arguments]
        return {
            "python_backward_definition": cppcode.call("py::object call_backward(", objects, ") {"),
            "backward_object_lines": [
                line
                for name, grad in grads.items()
                for line in cppcode.call(
                    f"const auto {self.grad_objects[name]} = op::tensor_from(",
                    [f'"{self.spec.op}"', f'"{name}"', grad],
                    ");",
                    indent=2,
                )
            ],
            "python_backward_call": cppcode.call(
                "return op::call_backward(", [*passed, wants], ");", indent=4
            ),
        }

    def _object_lines(self, arguments: list[Argument]) -> list[str]:
        """The objects of Python's as the kernel's host takes them."""
        return [
            line
            for a in arguments
            for line in cppcode.call(
                f"const auto {self.objects[a.name]} = op::{'optional_' if a.is_optional else ''}"
                f"{'tensor' if a.is_tensor else 'scalar'}_from(",
                [f'"{self.spec.op}"', f'"{a.name}"', self.local[a.name]],
                ");",
                indent=2,
            )
        ]

    def python(self) -> dict[str, Any]:
        """The kernel as a Python function."""
        spec, name = self.spec, self.spec.schema.name
        returned = returned_type(spec.schema).replace("Tensor", "torch.Tensor")
        types = {"Tensor": "torch.Tensor", "Tensor?": "torch.Tensor | None"}
        signature = f"{name}({', '.join(parameters(self.arguments, types))}) -> {returned}"
        note = f"{spec.doc} Calls the CPU kernel itself, without autograd."
        kinds = {a.kind for a in self.arguments}
        has_stl = any(a.is_list or (a.is_optional and not a.is_tensor) for a in self.arguments)
        return {
            "has_stl": has_stl or bool(self.numbers and self.gradients),
            "has_optional": has_stl,
            "has_text": "str" in kinds,
            "python_call_definition": cppcode.call(
                "py::object call(", self._python_parameters(), ") {"
            ),
            "tensor_lines": self._object_lines([*self.tensors, *self.numbers]),
            "python_call": cppcode.call(
                "return op::call(",
                [self.objects.get(a.name, self.local[a.name]) for a in self.arguments],
                ");",
                indent=4,
            ),
            "python_arguments": self._python_arguments(),
            "python_docstring": cppcode.strings(f"{signature}\n\n{note}", indent=8),
            "stub_imports": self._stub_imports(),
            "stub_def": pycode.call(
                f"def {name}(",
                parameters(self.arguments),
                f") -> {returned_type(self.spec.schema)}: ...",
            ),
            "python_results": cppcode.call(
                "const auto [" if self.has_several else "const auto ",
                self.outputs,
                "] = [&] {" if self.has_several else " = [&] {",
                indent=2,
            ),
            "python_return": cppcode.call(
                "return py::make_tuple(" if self.has_several else "return ",
                [f"op::object_from({output})" for output in self.outputs],
                ");" if self.has_several else ";",
                indent=2,
            ),
        }

    def _stub_imports(self) -> list[str]:
        modules: set[str] = set()
        taken = {("torch", "Tensor")}
        if isinstance(self.spec.kernel, Source):
            modules.add("torch")
            taken.add(("typing", "Any"))
        if any(argument.is_list for argument in self.arguments):
            taken.add(("collections.abc", "Sequence"))
        return pycode.imports(modules, taken)

    def _python_parameters(self) -> list[str]:
        found: list[str] = []
        for argument in self.arguments:
            is_object = argument.name in self.objects
            kind = "const py::object&" if is_object else cpptypes.host(argument)
            found.append(f"{kind} {self.local[argument.name]}")
        return found

    def _python_arguments(self) -> list[str]:
        words: list[str] = []
        for argument in self.arguments:
            # A number for a boolean, or a boolean for a number, is a mistake.
            strict = ".noconvert()" if argument.kind == "bool" else ""
            default = f" = {_default(argument)}" if argument.has_default else ""
            words.append(f'py::arg("{argument.name}"){strict}{default}')
        starred = with_star(self.arguments, words, "py::kw_only()")
        return [f"        {word}," for word in starred]

    def python_infer(self) -> dict[str, Any]:
        """infer() as a Python function, for the fake kernel."""
        if not isinstance(self.spec.kernel, Source):
            return {}
        metas = {a.name: names.free(f"{a.name}_meta", taken(self.spec)) for a in self.tensors}
        lines: list[str] = []
        passed: list[str] = []
        parameters_: list[str] = []
        for argument in self.arguments:
            local, name = self.local[argument.name], argument.name
            kind = cpptypes.host(argument)
            if argument.is_tensor:
                kind = "const py::object&"
                function = "optional_tensor" if argument.is_optional else "tensor"
                lines.append(f'  const auto {metas[name]} = sizes.{function}("{name}", {local});')
                passed.append(f"meta_of({metas[name]})")
            elif argument.is_symbolic:
                kind = "const py::object&"
                function = "optional_" if argument.is_optional else ""
                function += "list" if argument.is_list else "size"
                value = names.free(f"{name}_sizes", taken(self.spec))
                lines.append(f"  const auto {value} = sizes.{function}({local});")
                passed.append(value)
            elif argument in self.numbers:
                kind = "const py::object&"
                lines += self._object_lines([argument])
                passed.append(self.objects[name])
            else:
                passed.append(local)
            parameters_.append(f"{kind} {local}")
        given = [f'py::arg("{argument.name}"),' for argument in self.arguments]
        shown = [f"{a.name}: Any" for a in self.arguments]
        return {
            "infer_definition": cppcode.call("py::tuple call_infer(", parameters_, ") {"),
            "meta_lines": lines,
            "python_infer_call": self._python_infer_call(passed),
            "infer_arguments": [f"        {word}" for word in given],
            "infer_stub_def": pycode.call(
                "def infer(",
                shown,
                f") -> {_INFERRED_TUPLE if self.has_several else _INFERRED}: ...",
            ),
        }

    def _python_infer_call(self, passed: list[str]) -> list[str]:
        if not self.has_several:
            return cppcode.call("return sizes.output(op::infer(", passed, "));", indent=2)
        inferred = self.inferred
        outputs = [f"sizes.output({inferred}[{place}])" for place in range(len(self.outputs))]
        return [
            *cppcode.call(f"const auto {inferred} = op::infer(", passed, ");", indent=2),
            *cppcode.call("return py::make_tuple(", outputs, ");", indent=2),
        ]


_INFERRED = "tuple[torch.dtype, list[Any]]"
_INFERRED_TUPLE = f"tuple[{_INFERRED}, ...]"


def _default(argument: Argument) -> str:
    """The default as a C++ expression."""
    value = argument.default
    if value is None:
        return "py::none()"
    if isinstance(value, tuple):
        items = ", ".join(literal(item, argument) for item in value)
        base = {"int": "int64_t", "bool": "bool"}.get(argument.kind, "double")
        return f"std::vector<{base}>{{{items}}}"
    return literal(value, argument)


def literal(value: object, argument: Argument) -> str:
    """A number, a truth value or a string as a C++ expression."""
    if isinstance(value, str):
        return cppcode.string(value)
    if argument.kind == "int":
        return f"int64_t{{{_int64(value)}}}"
    if argument.kind == "Scalar" and isinstance(value, int):
        return f"int64_t{{{_int64(value)}}}"
    return str(value).lower()


def _int64(value: object) -> str:
    """The literal; C++ reads the smallest as the negative of one that is too large."""
    return f"{-(2**63) + 1} - 1" if value == -(2**63) else str(value)


def _definition(schema: str) -> list[str]:
    one_line = f"  m.def({cppcode.string(schema)});"
    if len(one_line) <= cppcode.WIDTH:
        return [one_line]
    *lines, last = cppcode.strings(schema, indent=6)
    return ["  m.def(", *lines, f"{last});"]


def _includes(spec: Spec) -> dict[str, Any]:
    """Our headers as clang-format sorts them, among which the user's may stand anywhere."""
    torch, python = ["torch_tensor.h"], ["python_tensor.h", "torch_binding.h"]
    if isinstance(spec.kernel, Source):
        torch, python = ["torch_dense.h"], [*python, "python_infer.h", spec.kernel_file]
    torch.append(spec.kernel_file)
    return {
        "torch_includes": [f'#include "{header}"' for header in sorted(torch)],
        "python_includes": [f'#include "{header}"' for header in sorted(python)],
    }


def _comments(spec: Spec) -> dict[str, Any]:
    """The lines that the operator's name stands in, which may be long."""
    op = spec.op
    return {
        "header_comment": cppcode.comment(f"{op} on PyTorch's tensors."),
        "registration_comment": cppcode.comment(
            f"Registers {op} with PyTorch's dispatcher, through libtorch's stable ABI."
        ),
        "module_comment": cppcode.comment(
            f"The extension module _kernel: importing it registers {op}, and it has the kernel as "
            "a function."
        ),
    }
