"""A call that does not export → a starter of a spec, with samples from the model."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import torch

from onnxop_runtime.exporting.replacement import namespaces
from onnxop_runtime.messages import join_words
from onnxop_runtime.specs.tensors import SampleValue
from onnxop_runtime.torch_internals import schema_of

from ...errors import OnnxopError
from ...find import torchops
from ...starter import sample_values, starter
from ...starter.starter import Starter
from ...trial import places
from ...trial.call import has_complex
from ..calls.recorded_calls import RecordedCall
from ..causes.facts import FACTS
from ..report.findings import Finding
from ..report.report import Report

_MOST_SAMPLES = 4  # of a starter
_OF_CONSTANTS = "aten::lift_fresh", "aten::lift_fresh_copy", "aten::lift"
"""The operators by which a trace takes in a tensor that was made outside it."""
_OUTSIDE = (
    "it takes in what NumPy, or Python, has computed of this call's inputs, which a file holds as a "
    "constant; compute it with PyTorch. No spec makes it right for other inputs"
)
_SPARSE = (
    "exporters and specs do not support sparse tensors; in the model, use a dense matrix, "
    "torch.zeros(n, m).index_put((rows, columns), values, accumulate=True), or if it is large, "
    "multiply without one: torch.zeros(n, k).index_add(0, rows, values[:, None] * x[columns])"
)


def may_help(finding: Finding, report: Report) -> bool:
    """Return whether a spec can help: not if the exporters refuse the model for another reason than
    the operator.
    """
    plain_name = finding.op.partition("::")[2].strip("_")
    errors = [str(report.tracer_refusals.get(e.exporter, plain_name)) for e in finding.outcomes]
    return any(plain_name in error for error in errors)


def starter_of(finding: Finding, calls: Iterable[RecordedCall], requires: Sequence[str]) -> Starter:
    """Return a starter with samples from the model's calls of the operator, or from this call alone
    if no spec can have all of them. Raises OnnxopError.
    """
    call = finding.call
    _check_can_be_specified(finding)
    same_overload = [other for other in calls if other.overload == call.overload]
    samples: list[dict[str, SampleValue]] = []
    for recorded in [call, *same_overload]:
        sample = _sample(recorded)
        if sample and sample not in samples:
            samples.append(sample)
    needed = registering_modules(call.op, call, requires)
    overload = call.overload_name if call.overload_name in torchops.schemas(call.op, needed) else ""
    try:
        return starter.starter(call.op, overload, needed, samples[:_MOST_SAMPLES])
    except OnnxopError:
        return starter.starter(call.op, overload, needed, samples[:1])


def _check_can_be_specified(finding: Finding) -> None:
    """Raise OnnxopError for a call that no spec mends: one with out=, one that takes in a tensor
    from outside, one of dtypes that ONNX Runtime computes with few kernels, and so on.
    """
    call = finding.call
    if call.op in _OF_CONSTANTS:
        raise OnnxopError(f"{call.op}: {_OUTSIDE}")
    if "out" in call.arguments():
        raise OnnxopError(
            f"{call.op}: it writes to the tensor of out=, which exporters do not follow; use the "
            "result that it returns"
        )
    tensors = [*call.as_model_call().tensors, *call.as_model_call().results()]
    dtypes = {x.dtype for x in tensors if x.is_floating_point() and x.dtype != torch.float32}
    if dtypes:
        dtype = join_words(str(dtype).removeprefix("torch.") for dtype in dtypes)
        raise OnnxopError(
            f"{call.op}: it computes in {dtype}, for which ONNX Runtime has fewer kernels than for "
            "float32; scan model.float(), with float32 inputs, and leave out conversions to "
            f"{dtype} in forward"
        )
    if any(tensor.layout != torch.strided for tensor in tensors):
        raise OnnxopError(f"{call.op}: {_SPARSE}")
    if has_complex(tensors):
        hint = FACTS["hints"].get(call.op, "")
        instead = f": {hint}" if hint else ""
        raise OnnxopError(f"{call.op}: {_why_no_complex(finding)}{instead}")


def _why_no_complex(finding: Finding) -> str:
    dynamo = [out for export, out in finding.outcomes.items() if export.exporter == "dynamo"]
    if dynamo and not any(outcome.has_no_rule for outcome in dynamo):
        return (
            "specs do not support complex tensors, and the dynamo exporter, which writes pairs of "
            "real numbers, fails as above; compute with real and imaginary parts in the model"
        )
    return (
        "ONNX Runtime does not support complex tensors; compute with real and imaginary "
        "parts in the model"
    )


def _sample(recorded: RecordedCall) -> dict[str, SampleValue] | None:
    """Return the call's arguments as a sample, or None if a sample cannot hold them."""
    values: dict[str, SampleValue] = {}
    schema = schema_of(recorded.overload)
    kinds = {argument.name: str(argument.real_type) for argument in schema.arguments}
    for name, value in recorded.arguments().items():
        is_number = "Tensor" in kinds[name] and isinstance(value, bool | int | float)
        sample = sample_values.recorded(torch.tensor(value) if is_number else value)
        if sample is None:
            return None
        if value is not None:
            values[name] = sample
    return values


def registering_modules(op: str, call: RecordedCall, requires: Sequence[str]) -> Sequence[str]:
    """Return the modules that register the operator, if it is the user's or of a model library:
    those that are required, and the one that makes the call, if its source has the operator's name.
    """
    namespace = op.partition("::")[0]
    if namespace == "aten" or torchops.modules(namespace):
        return ()
    files = {place.innermost[0] for place in call.places}
    registering = {file for file in files if op in "".join(places.source_lines(file))}
    loaded = {name: namespaces.attributes(module) for name, module in [*sys.modules.items()]}
    modules = [
        name for name, attributes in loaded.items() if attributes.get("__file__") in registering
    ]
    return tuple(dict.fromkeys([*requires, *modules]))


def from_arguments(op: str, call: RecordedCall, requires: Sequence[str]) -> str:
    """Return the arguments for ``onnxop new --from``, as text."""
    return " --requires ".join([op, *registering_modules(op, call, requires)])
