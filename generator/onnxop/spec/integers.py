"""The samples' tensors that have no gradients."""

from __future__ import annotations

from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.tensors import FLOATING, Samples, tensors_of

from ..kernel.kernel_kinds import Elementwise, Kernel


def integer_tensors(
    schema: OpSchema, kernel: Kernel | None, samples: Samples
) -> dict[str, tuple[str, ...]]:
    """Return the tensors that are integers or booleans in every sample, with their dtypes: they
    have no gradients. An elementwise kernel has none, because it supports floats, whatever its
    samples are.
    """
    if isinstance(kernel, Elementwise):
        return {}
    integers: dict[str, tuple[str, ...]] = {}
    for argument in schema.tensors:
        values = [sample[argument.name] for sample in samples if argument.name in sample]
        dtypes = {tensor.dtype for value in values for tensor in tensors_of(value)}
        if dtypes and not dtypes & {*FLOATING}:
            integers[argument.name] = tuple(sorted(dtypes))
    return integers
