"""What the parts of a sound spec say of each other: an elementwise kernel, gradients, samples."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table
from collections.abc import Sequence

from ..errors import Problems, listed
from ..kernel.kinds import INTEGERS, Elementwise, is_boolean, kernel_dtypes
from ..schema.signature import OpSchema
from .derivatives import Formula
from .tensors import Literal, SampleValue

Samples = Sequence[Table[str, SampleValue]]


def check_elementwise(
    kernel: Elementwise,
    schema: OpSchema,
    formulas: Table[str, Formula | None],
    samples: Samples,
    problems: Problems,
) -> None:
    """Notes where samples or gradients are not those of the expression."""
    _check_dtypes(samples, kernel_dtypes(kernel.expression, schema), problems)
    _check_scalars(samples, schema, problems)
    if is_boolean(kernel.expression, schema):
        _check_no_gradient(formulas, problems)


def _check_dtypes(samples: Samples, dtypes: Sequence[str], problems: Problems) -> None:
    for position, sample in enumerate(samples):
        for name, value in sample.items():
            if value.dtype and value.dtype not in dtypes:
                problems.add(
                    ("samples", position, name),
                    f"the kernel does not compute with {value.dtype}; write one of "
                    f"{listed(dtypes)}",
                )


def _check_scalars(samples: Samples, schema: OpSchema, problems: Problems) -> None:
    """PyTorch computes integers and a float in another dtype, which no kernel gives."""
    for position, sample in enumerate(samples):
        dtypes = {value.dtype for value in sample.values()} & {*INTEGERS}
        for argument in schema.scalars:
            value = sample.get(argument.name)
            is_float = isinstance(argument.default, float)
            if isinstance(value, Literal):
                is_float = not re.fullmatch("-?[0-9]+|True|False", value.expression)
            if dtypes and argument.kind == "Scalar" and is_float:
                problems.add(
                    ("samples", position, argument.name),
                    f"{argument.name} is a float, but the tensors are of {dtypes.pop()}, and "
                    "the result would be of another dtype; write an integer, or tensors of "
                    "float32",
                )


def _check_no_gradient(formulas: Table[str, Formula | None], problems: Problems) -> None:
    for name, formula in formulas.items():
        if formula:
            problems.add(
                ("autograd", name),
                "the expression is a truth value, which has no gradient; remove the line",
                on_key=True,
            )
