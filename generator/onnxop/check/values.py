"""The mapping of each sample, run and compared with what the kernel, or the operator that exists, computes."""

from __future__ import annotations

import base64
import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from onnxop_runtime.mapping.checking import Checked

from ..code.torchexpr import to_torch
from ..kernel.composed import Composed, Function
from ..kernel.kinds import Elementwise, Kernel, Source
from ..schema.arguments import Argument
from ..schema.signature import OpSchema
from ..spec import derivatives
from ..spec.tables import Tables
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList
from . import results

Sample = Mapping[str, SampleValue]


def check(
    tables: Tables,
    schema: OpSchema,
    kernel: Kernel | None,
    mapping: Checked,
    samples: Sequence[Sample],
) -> None:
    """Note where the model of a sample is refused by a runtime, or gives other values than PyTorch; and
    where a gradient is not that of autograd through the reference.
    """
    code = _code(schema, kernel)
    if code is None or any(results.drawing(model) for model in mapping.models):
        return
    formulas = derivatives.read(tables, schema)
    answers = results.asked(
        json.dumps(
            {
                **results.question_of(schema, tables.requires, code, samples, _given),
                "models": [_encoded(model.model) for model in mapping.models],
                "results": mapping.models[0].results if mapping.models else [],
                "gradients": {n: f.code for n, f in formulas.items() if f} if code else {},
            }
        )
    )
    for place, answer in enumerate(answers or ()):
        name = f"sample {place + 1}" if tables.document.samples else results.DEFAULT
        who = "[kernel]" if code else "PyTorch"
        if why := answer.get("refused"):
            fact = f"ONNX Runtime refuses the mapping of {name}: {why.rstrip('.')}"
            tables.problems.add(("onnx", "mapping"), f"{fact}; change the mapping, or the sample")
        elif worst := answer.get("worst"):
            fact = f"the mapping gives other values than {who} in {name}: the worst error is {worst:.2g}"
            tables.problems.add(("onnx", "mapping"), f"{fact} of the largest; change one of them")
        for tensor, worst in answer.get("gradients", {}).items():
            fact = f"the gradient is not that of [kernel] in {name}: the worst error is {worst:.2g}"
            tables.problems.add(("autograd", tensor), f"{fact} of the largest; change one of them")
        if tables.problems:
            return


def _encoded(model: Any) -> str:
    model.ir_version = 10
    return base64.b64encode(model.SerializeToString()).decode()


def _code(schema: OpSchema, kernel: Kernel | None) -> str | None:
    """Return the reference as a function; empty for the operator that exists, None where there is none."""
    function: Function | None = None
    match kernel:
        case Composed(function=function) | Source(reference=function):
            pass
        case Elementwise(expression=expression):
            tensors = [tensor.name for tensor in schema.tensors]
            text = to_torch(expression, {}, tensors)
            if "_onnxop" in text or not tensors:
                return None
            names = ", ".join(argument.name for argument in schema.arguments)
            first = f"torch.as_tensor({text}) + 0 * ({' + '.join(tensors)})"
            first = text if expression_is_whole(text, tensors) else first
            return f"import torch\ndef kernel({names}):\n{textwrap.indent(f'return {first}', '    ')}\n"
    if function is not None:
        return results.code_of(function, schema)
    return "" if schema.exists and kernel is None else None


def expression_is_whole(text: str, tensors: Sequence[str]) -> bool:
    """Return whether the expression names all tensors, and so is as large as they are together."""
    return all(tensor in text for tensor in tensors)


def _given(value: SampleValue, argument: Argument) -> Any:
    match value:
        case TensorList(items=items):
            return [_given(item, argument) for item in items]
        case RandomTensor(dtype=dtype, shape=shape, low=low, high=high):
            return {"dtype": dtype, "shape": [*shape], "low": low, "high": high}
        case Literal(dtype=dtype, expression=text) if dtype:
            return {"dtype": dtype, "values": text}
    return results.given(value, argument)
