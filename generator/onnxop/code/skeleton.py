"""The skeleton of a kernel that the user writes: everything except its arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from onnxop_runtime.specs.tensors import Literal, RandomTensor, tensors_of

from ..spec.model import Spec
from .cpp_arguments import CppArgument, CppResult
from .cpp_types import TYPE_LISTS

_CPP_TYPES = {
    "float32": "float",
    "float64": "double",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "boolean": "bool",
    **{f"{u}int{bits}": f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64)},
}


class Skeleton:
    """Lines of C++ that the samples and the mapping determine, without an indent."""

    def __init__(
        self,
        spec: Spec,
        arguments: Sequence[CppArgument],
        results: Sequence[CppResult],
        gradients: Sequence[str],
    ) -> None:
        """``gradients``: the names of the gradients that the kernel computes."""
        self._spec, self._results, self._gradients = spec, results, gradients
        self._tensors = [argument for argument in arguments if argument.is_tensor]
        self._scalars = [argument for argument in arguments if not argument.is_tensor]
        self._first = _first(self._tensors)

    @property
    def first_tensor(self) -> str:
        """Return the first tensor that is always present; of a list, its first item."""
        return f"{self._first.local}[0]" if self._first.is_list else self._first.local

    @property
    def first_dtype(self) -> str:
        return f"{self._view(self._first)}dtype"

    def _view(self, tensor: CppArgument) -> str:
        """Return the tensor's expression up to a member's name."""
        if tensor.is_optional:
            return f"{tensor.local}->"
        return f"{tensor.local}[0]." if tensor.is_list else f"{tensor.local}."

    def _values(self, tensor: CppArgument) -> list[RandomTensor | Literal]:
        """Return the tensors that samples have for the argument."""
        values = [s[tensor.name] for s in self._spec.samples if tensor.name in s]
        return [tensor for value in values for tensor in tensors_of(value)]

    @property
    def supported(self) -> str:
        """Return the dtypes to begin with: the shortest list that has those of the samples."""
        dtypes = {value.dtype for value in self._values(self._first)}
        return next(name for listed, name in TYPE_LISTS.items() if dtypes <= {*listed})

    @property
    def checks(self) -> list[str]:
        """Return the checks of infer(): it rejects other dtypes and ranks than the samples have."""
        name, first = self._first.name, self.first_tensor
        lines: list[str] = []
        if self._first.is_optional:
            lines.append(f'if (!{first}) fail(kName, ": {name} must be given");')
            first = f"*{first}"
        if self._first.is_list:
            lines.append(f'if ({self._first.local}.empty()) fail(kName, ": {name} has no tensor");')
        lines.append(f"check_supported<Supported>(kName, {first});")
        ranks: list[str] = []
        for tensor in self._tensors:
            item, condition = tensor.local, ""
            if tensor.is_optional:
                item, condition = f"*{item}", f"if ({item}) "
            elif tensor.is_list:
                item, condition = "item", f"for (const TensorMeta& item : {item}) "
            if not tensor.dtype and (tensor != self._first or tensor.is_list):
                lines.append(f"{condition}check_same_dtype(kName, {first}, {item});")
            elif tensor.dtype.startswith("Dtype"):
                lines.append(f"{condition}check_dtype(kName, {item}, {tensor.dtype});")
            values = self._values(tensor)
            is_written = any(isinstance(value, Literal) or value.sizes for value in values)
            sample_ranks = {len(value.shape) for value in values}
            if len(sample_ranks) == 1 and is_written and not tensor.is_list:
                ranks.append(f"{condition}check_rank(kName, {item}, {sample_ranks.pop()});")
        for scalar in self._scalars:
            if scalar.type.startswith("Scalar"):
                lines.append(f'check_scalar(kName, {first}, "{scalar.name}", {scalar.local});')
        if ranks:
            lines.append("// Every sample has these ranks; remove what a call need not have.")
        return lines + ranks

    @property
    def infer_body(self) -> list[str]:
        """Return the body of infer(): dtypes from the mapping, sizes of the first tensor."""
        sizes = f"{self._view(self._first)}sizes"
        if not self._results:
            return []
        specs = [
            f"{{{result.dtype if result.dtype.startswith('Dtype') else self.first_dtype}, "
            f"{{{sizes}.begin(), {sizes}.end()}}}}"
            for result in self._results
        ]
        note = f"// The result has the sizes of {self.first_tensor}; change them if that is wrong."
        if len(specs) == 1:
            return [note, f"return {specs[0]};"]
        return [note, "return {", *(f"    OutputSpec{spec}," for spec in specs), "};"]

    @property
    def elements(self) -> list[str]:
        """Return how to reach the elements of every tensor, as lines of a comment."""
        lines: list[str] = []
        for tensor in self._tensors:
            element = _cpp_type(tensor.dtype)
            data = f"{self._view(tensor)}data_as<{element}>()"
            line = f"const {element}* {tensor.name}_data = {data};"
            if tensor.is_list:
                inner = f"const {element}* item_data = item.data_as<{element}>();"
                line = f"for (const TensorView& item : {tensor.local}) {{ {inner} }}"
            elif tensor.is_optional and tensor != self._first:
                line = f"const {element}* {tensor.name}_data = {tensor.local} ? {data} : nullptr;"
            lines.append(line.removeprefix("const ") if tensor.is_written else line)
        for result in self._results:
            element = _cpp_type(result.dtype)
            lines.append(f"{element}* to_{result.local} = {result.local}.data_as<{element}>();")
        return lines

    @property
    def example(self) -> list[str]:
        """Return a loop over the elements of the first output, as lines of a comment."""
        source = f"{self._first.name}_data[i]"
        if self._first.is_list:
            source = f"{self.first_tensor}.data_as<T>()[i]"
        if self._results:
            result = self._results[0]
            local, target, dtype = result.local, f"to_{result.local}", result.dtype
        else:
            written = next(tensor for tensor in self._tensors if tensor.is_written)
            local, target, dtype = written.local, f"{written.name}_data", written.dtype
        value = f"store<T>(2 * load({source}))" if _cpp_type(dtype) == "T" else "..."
        return [
            f"parallel_for(element_count({local}.sizes), 1024, [&](int64_t begin, int64_t end) {{",
            f"  for (int64_t i = begin; i < end; ++i) {target}[i] = {value};",
            "});",
        ]

    @property
    def gradient_elements(self) -> list[str]:
        """Return how to reach the elements of the gradients, as lines of a comment."""
        lines = [
            f"const T* {result.grad_local}_data = {result.grad_local}.data_as<T>();"
            for result in self._results
            if _cpp_type(result.dtype) == "T"
        ]
        for name in self._gradients:
            lines += [f"if ({name}) {{", f"  T* to_{name} = {name}->data_as<T>();", "}"]
        return lines


def _first(tensors: Sequence[CppArgument]) -> CppArgument:
    """Return the first tensor that is always given, a single one if possible."""
    required = [tensor for tensor in tensors if not tensor.is_optional]
    single = [tensor for tensor in required if not tensor.is_list]
    return (*single, *required, *tensors)[0]


def _cpp_type(dtype: str) -> str:
    """Return the element type: T, or the type of a dtype that differs from the first tensor's."""
    return _CPP_TYPES.get(dtype.removeprefix("Dtype::"), "T")
