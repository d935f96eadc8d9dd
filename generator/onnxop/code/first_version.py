"""The first version of a kernel that the user writes: all but its arithmetic."""

from __future__ import annotations

import ast
import re
import textwrap

from ..errors import listed
from ..kernel.kinds import FLOATS
from ..schema.signature import Argument
from ..spec.model import Spec
from ..spec.tensors import Literal, RandomTensor, tensors_of
from ..words import names

_CPP_TYPES = {
    "float32": "float",
    "float64": "double",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "bool": "bool",
    **{f"{u}int{bits}": f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64)},
}

_NAMED_BY_INFER = frozenset(
    "Dtype OutputSpec Size Supported check_dtype check_rank check_same_dtype check_supported fail "
    "kName".split()
)


class FirstVersion:
    """What the samples and the mapping tell of a kernel, as lines of C++ without an indent.

    ``local`` are the arguments' names in C++, ``outputs`` the results', ``grads`` those of the
    gradients that come in, by what the operator calls them, and ``gradients`` those of the
    gradients that go out, by argument.
    """

    def __init__(
        self,
        spec: Spec,
        local: dict[str, str],
        outputs: list[str],
        grads: dict[str, str],
        gradients: dict[str, str],
    ) -> None:
        self.spec, self.local, self.outputs = spec, local, outputs
        self.grads, self.gradients = grads, gradients
        tensors = spec.schema.tensors
        given = [t for t in tensors if not t.is_optional]
        self.first = next((t for t in given if not t.is_list), (*given, *tensors)[0])
        self.sizes = {tensor.name: self._sizes(tensor) for tensor in tensors}
        self.named = self._named()

    @property
    def first_tensor(self) -> str:
        return self._of(self.first)

    @property
    def first_dtype(self) -> str:
        return f"{self._view(self.first)}dtype"

    # ---- What the samples say ----

    def _values(self, argument: Argument) -> list[RandomTensor | Literal]:
        """The tensors that samples give for the argument; what leaves it out says nothing of it."""
        values = [s[argument.name] for s in self.spec.samples if argument.name in s]
        return [tensor for value in values for tensor in tensors_of(value)]

    def _dtypes(self, argument: Argument) -> list[tuple[str, str]]:
        """The dtypes of the first tensor and of the argument, or of each of a list, side by side."""
        return [
            (first.dtype, tensor.dtype)
            for sample in self.spec.samples
            if argument.name in sample and self.first.name in sample
            for first in tensors_of(sample[self.first.name])[:1]
            for tensor in tensors_of(sample[argument.name])
        ]

    def _fixed_dtype(self, argument: Argument) -> str:
        """The dtype of an argument that has its own, whatever the first tensor's is; else empty."""
        pairs = self._dtypes(argument)
        others = {other for _, other in pairs}
        follows = all(first == other for first, other in pairs)
        return others.pop() if len(others) == 1 and not follows else ""

    def _has_first_dtype(self, argument: Argument) -> bool:
        """Whether the argument has the first tensor's dtype in every sample that gives it."""
        is_other = argument != self.first or argument.is_list
        return is_other and all(first == other for first, other in self._dtypes(argument))

    def _sizes(self, argument: Argument) -> list[str] | None:
        """How the samples write each size of the tensor, "" where not all write the same; None
        where they differ in rank, or nobody wrote one, and of a list.
        """
        if argument.is_list:
            return None
        values = self._values(argument)
        written = [v.sizes for v in values if isinstance(v, RandomTensor) and v.sizes]
        ranks = {len(value.shape) for value in values}
        is_written = len(values) > len([v for v in values if isinstance(v, RandomTensor)])
        if len(ranks) != 1 or not (is_written or any(written) or ranks == {0}):
            return None
        columns = zip(*written, strict=True) if len(written) == len(values) else iter(())
        same = [c[0] if len({*c}) == 1 else "" for c in columns]
        return same or [""] * ranks.pop()

    def _named(self) -> dict[str, tuple[str, str]]:
        """The C++ name of each size with a name, and the expression that it stands for."""
        found: dict[str, tuple[str, str]] = {}
        occupied = {*self.local.values(), *_NAMED_BY_INFER}
        for tensor in self.spec.schema.tensors:
            for place, text in enumerate(self.sizes[tensor.name] or []):
                if text.isidentifier() and text not in found and not tensor.is_optional:
                    name = names.claim(names.cpp(text), occupied)
                    found[text] = (name, f"{self._view(tensor)}sizes[{place}]")
        return found

    # ---- infer ----

    def _view(self, argument: Argument) -> str:
        """The argument up to its member's name."""
        return (
            f"{self.local[argument.name]}->" if argument.is_optional else f"{self._of(argument)}."
        )

    def _of(self, argument: Argument) -> str:
        """The tensor, which is there; of a list the first."""
        name = self.local[argument.name]
        return f"{name}[0]" if argument.is_list else name

    @property
    def supported(self) -> str:
        """The dtypes to begin with: such as the samples have."""
        dtypes = {value.dtype for value in self._values(self.first)}
        if dtypes <= {"float32", "float64"}:
            return "Types<float, double>"
        return "FloatTypes" if dtypes <= {*FLOATS} else "NumberTypes"

    @property
    def checks(self) -> list[str]:
        """What infer() refuses."""
        return [*self._dtype_checks(), *self._shape_checks()]

    def _dtype_checks(self) -> list[str]:
        first, given = self._of(self.first), self.local[self.first.name]
        lines: list[str] = []
        if self.first.is_optional:
            lines.append(f'if (!{first}) fail(kName, ": {self.first.name} must be given");')
            first = f"*{first}"
        if self.first.is_list:
            lines.append(
                f'if ({given}.empty()) fail(kName, ": {self.first.name} holds no tensor");'
            )
        lines.append(f"check_supported<Supported>(kName, {first});")
        for argument in self.spec.schema.tensors:
            name = self.local[argument.name]
            checked = f"*{name}" if argument.is_optional else name
            condition = f"if ({name}) " if argument.is_optional else ""
            if argument.is_list:
                checked, condition = "each", f"for (const TensorMeta& each : {name}) "
            if dtype := self._fixed_dtype(argument):
                kind = "boolean" if dtype == "bool" else dtype
                lines.append(f"{condition}check_dtype(kName, {checked}, Dtype::{kind});")
            elif self._has_first_dtype(argument):
                lines.append(f"{condition}check_same_dtype(kName, {first}, {checked});")
        for argument in self.spec.schema.scalars:
            if argument.kind == "Scalar":
                local = self.local[argument.name]
                lines.append(f'check_scalar(kName, {first}, "{argument.name}", {local});')
        return lines

    def _shape_checks(self) -> list[str]:
        """Of the ranks and the sizes that all samples have in common, and the sizes' names."""
        ranks: list[str] = []
        relations: list[str] = []
        for argument in self.spec.schema.tensors:
            name, sizes = self.local[argument.name], self.sizes[argument.name]
            if sizes is None:
                continue
            checked = f"*{name}" if argument.is_optional else name
            condition = f"if ({name}) " if argument.is_optional else ""
            ranks.append(f"{condition}check_rank(kName, {checked}, {len(sizes)});")
            for place in range(len(sizes)):
                relations += self._relation(argument, place)
        if not ranks:
            return []
        used = {*re.findall(r"\w+", "\n".join([*relations, self._returned()]))}
        locals_ = [
            f"{'' if name in used else '[[maybe_unused]] '}const Size {name} = {value};"
            for name, value in self.named.values()
        ]
        return [
            "// Every sample in the spec has these ranks; remove what a call need not have.",
            *ranks,
            *(["// The sizes by the names that the samples give them."] if locals_ else []),
            *locals_,
            *relations,
        ]

    def _relation(self, argument: Argument, place: int) -> list[str]:
        """Refuses another size than the samples have there, where they name it."""
        text = (self.sizes[argument.name] or [])[place]
        wanted = self._size(text)
        found = f"{self._view(argument)}sizes[{place}]"
        if not wanted or self.named.get(text, ("", ""))[1] == found:
            return []
        given = f"{self.local[argument.name]} && " if argument.is_optional else ""
        wrong = (
            f'": dimension {place} of {argument.name} must be ", {wanted}, ", but it is ", {found}'
        )
        return [f"if ({given}{found} != {wanted}) fail(kName, {wrong});"]

    def _size(self, text: str) -> str:
        """A size as the samples write it, in C++; empty where it holds no name, or one unknown."""
        if not text or text.isdigit():
            return ""
        tree = ast.parse(text, mode="eval").body
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if not used or not used <= self.named.keys():
            return ""
        return _cpp(tree, {name: local for name, (local, _) in self.named.items()})

    @property
    def results(self) -> list[str]:
        """What infer() gives: the dtypes that the mapping tells, the sizes of the first tensor."""
        of = listed([*(name for name, _ in self.named.values()), *self._unnamed()])
        what = "the results are" if self.spec.schema.has_several else "the result is"
        first = self._of(self.first)
        note = (
            f"Nothing in the spec says how large {what}: as large as {first}, by this line. Where "
            f"that is wrong, write the sizes{f', made of {of}' if of else ''}."
        )
        return [*(f"// {line}" for line in textwrap.wrap(note, 95)), self._returned()]

    def _returned(self) -> str:
        view, sizes = self._view(self.first), self.sizes[self.first.name]
        shape = f"{{{view}sizes.begin(), {view}sizes.end()}}"
        if sizes is not None:
            words = [self._size(s) or f"{view}sizes[{d}]" for d, s in enumerate(sizes)]
            shape = f"{{{', '.join(words)}}}"
        if not self.spec.schema.has_several:
            return f"return {{{self._dtype(0)}, {shape}}};"
        outputs = [f"OutputSpec{{{self._dtype(i)}, {shape}}}" for i in range(len(self.outputs))]
        return f"return {{{', '.join(outputs)}}};"

    def _unnamed(self) -> list[str]:
        """The sizes that have no name, and are none of those with a name, of tensors always given."""
        return [
            f"{self._view(tensor)}sizes[{place}]"
            for tensor in self.spec.schema.tensors
            if not tensor.is_optional
            for place, text in enumerate(self.sizes[tensor.name] or [])
            if not self._size(text)
        ]

    def _result_dtype(self, place: int) -> tuple[str, str]:
        """The dtype of a result that has its own as the mapping tells, and infer()'s words for it;
        empty, and the first tensor's.
        """
        mapping = self.spec.mapping
        if (kind := mapping.kind(place)) in names.TORCH_TYPES:
            dtype = names.TORCH_TYPES[kind]
            return dtype, f"Dtype::{'boolean' if dtype == 'bool' else dtype}"
        for tensor in self.spec.schema.tensors:
            if tensor.name == mapping.argument(place) and not tensor.is_optional:
                return self._fixed_dtype(tensor), f"{self._view(tensor)}dtype"
        return "", f"{self._view(self.first)}dtype"

    def _dtype(self, place: int) -> str:
        return self._result_dtype(place)[1]

    def _result_type(self, place: int) -> str:
        return _CPP_TYPES.get(self._result_dtype(place)[0], "T")

    # ---- compute and backward ----

    @property
    def elements(self) -> list[str]:
        """How to reach the elements of every tensor, as lines of a comment."""
        lines = [self._pointer(t) for t in self.spec.schema.tensors]
        for place, output in enumerate(self.outputs):
            kind = self._result_type(place)
            lines.append(f"{kind}* to_{output} = {output}.data_as<{kind}>();")
        return lines

    def _pointer(self, tensor: Argument) -> str:
        kind = _CPP_TYPES.get(self._fixed_dtype(tensor), "T")
        if tensor.is_list:
            data = f"const {kind}* each_data = each.data_as<{kind}>();"
            return f"for (const TensorView& each : {self.local[tensor.name]}) {{ {data} }}"
        head = f"const {kind}* {tensor.name}_data"
        data = f"{self._view(tensor)}data_as<{kind}>()"
        if tensor.is_optional and tensor != self.first:
            return f"{head} = {self.local[tensor.name]} ? {data} : nullptr;"
        return f"{head} = {data};"

    @property
    def example(self) -> list[str]:
        """A loop over the elements of the first output, as lines of a comment."""
        output, source = self.outputs[0], f"{self.first.name}_data[i]"
        if self.first.is_list:
            source = f"{self._of(self.first)}.data_as<T>()[i]"
        kind = self._result_type(0)
        value = f"store<T>(2 * load({source}))" if kind == "T" else "..."
        return [
            f"parallel_for(element_count({output}.sizes), 1024, [&](int64_t begin, int64_t end) {{",
            f"  for (int64_t i = begin; i < end; ++i) to_{output}[i] = {value};",
            "});",
        ]

    @property
    def gradient_elements(self) -> list[str]:
        """How to reach the elements of the gradients, as lines of a comment."""
        lines = []
        for place, grad in enumerate(self.grads.values()):
            if (kind := self._result_type(place)) == "T":
                lines.append(f"const {kind}* {grad}_data = {grad}.data_as<{kind}>();")
        for name in self.gradients.values():
            lines.append(f"if ({name}) {{")
            lines.append(f"  T* to_{name} = {name}->data_as<T>();")
            lines.append("}")
        return lines


def _cpp(node: ast.expr, local: dict[str, str]) -> str:
    """A size's expression in C++, whose ``Size`` divides as Python does."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            sides = [_grouped(side, local) for side in (left, right)]
            return f"{sides[0]} {_OPERATORS[type(op)]} {sides[1]}"
        case ast.UnaryOp(op=op, operand=operand):
            sign = "0 - " if isinstance(op, ast.USub) else ""
            return f"{sign}{_grouped(operand, local)}"
        case ast.Name(id=name):
            return local[name]
        case _:
            return ast.unparse(node)


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
}


def _grouped(node: ast.expr, local: dict[str, str]) -> str:
    code = _cpp(node, local)
    return f"({code})" if isinstance(node, ast.BinOp | ast.UnaryOp) else code
