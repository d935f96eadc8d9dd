"""A model of quantised modules → how to get a quantised file of it."""

from __future__ import annotations

from ..trial.outcome import Outcome

_PACKED = "PackedParamsBase", "quantized::"  # in errors about packed weights, and operators of them


def cause(outcome: Outcome) -> str:
    """Return what to do, if an exporter refuses packed weights of PyTorch's quantised modules."""
    is_refused = outcome.kind == "export" and any(text in outcome.why for text in _PACKED)
    return REMEDY if is_refused else ""


REMEDY = (
    "the model has quantised modules, whose packed weights the exporter cannot write. Export the "
    "model in float, as it is before torch.ao.quantization converts it, and quantise the file: "
    'onnxruntime.quantization.quantize_dynamic("model.onnx", "quantised.onnx"), or quantize_static '
    "with inputs to calibrate."
)
