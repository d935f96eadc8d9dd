"""What the attributes of ONNX's ops can hold: numbers of a width, and words that mean something."""

from __future__ import annotations

import math
from typing import Any

from ..errors import did_you_mean, listed, shown
from . import onnxdefs, opsets
from .onnxdefs import Definition, Field

_LARGEST = 3.4028234663852886e38  # of float32
_AUTO_PAD = "NOTSET SAME_UPPER SAME_LOWER VALID"
_POOLS = ("AveragePool", "Conv", "ConvInteger", "ConvTranspose", "LpPool", "MaxPool", "QLinearConv")
_ROUNDING = ("Cast", "CastLike")

# onnx.defs has the words in prose alone. From an opset on, others may be added (or replace them).
WORDS: dict[tuple[str, str], dict[int, str]] = {
    **{(op, "auto_pad"): {1: _AUTO_PAD} for op in _POOLS},
    **{(op, "round_mode"): {24: "up down nearest"} for op in _ROUNDING},
    **{(op, "direction"): {1: "forward reverse bidirectional"} for op in ("GRU", "LSTM", "RNN")},
    **{
        (op, "reduction"): {16: "none add mul", 18: "none add mul max min"}
        for op in ("ScatterElements", "ScatterND")
    },
    **{
        (op, "reduction"): {12: "none sum mean"}
        for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
    },
    ("BitShift", "direction"): {11: "RIGHT LEFT"},
    ("CausalConvWithState", "activation"): {27: "silu swish none"},
    ("DepthToSpace", "mode"): {11: "DCR CRD"},
    ("Gelu", "approximate"): {20: "none tanh"},
    ("GridSample", "mode"): {16: "bilinear nearest bicubic", 20: "linear nearest cubic"},
    ("GridSample", "padding_mode"): {16: "zeros border reflection"},
    ("ImageDecoder", "pixel_format"): {20: "RGB BGR Grayscale"},
    ("LinearAttention", "update_rule"): {27: "linear gated delta gated_delta"},
    ("Pad", "mode"): {1: "constant reflect edge", 19: "constant reflect edge wrap"},
    ("Resize", "coordinate_transformation_mode"): {
        11: "half_pixel pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
        "tf_crop_and_resize",
        13: "half_pixel pytorch_half_pixel align_corners asymmetric tf_crop_and_resize",
        19: "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric "
        "tf_crop_and_resize",
    },
    ("Resize", "keep_aspect_ratio_policy"): {18: "stretch not_larger not_smaller"},
    ("Resize", "mode"): {10: "nearest linear", 11: "nearest linear cubic"},
    ("Resize", "nearest_mode"): {11: "round_prefer_floor round_prefer_ceil floor ceil"},
    ("RoiAlign", "coordinate_transformation_mode"): {16: "half_pixel output_half_pixel"},
    ("RoiAlign", "mode"): {10: "avg max"},
    ("SpaceToDepth", "mode"): {28: "DCR CRD"},
    ("StringNormalizer", "case_change_action"): {10: "LOWER UPPER NONE"},
    ("TensorScatter", "mode"): {24: "linear circular"},
    ("TfIdfVectorizer", "mode"): {9: "TF IDF TFIDF"},
    ("Upsample", "mode"): {7: "nearest linear"},
}
_NOT_NEGATIVE = (("GatherND", "batch_dims"),)
"""What ends the process in ONNX's own inference where it is negative."""
_TYPES = ("to", "dtype", "output_dtype", "output_datatype")
"""The attributes that are the element type of the op's first output."""


def problem_with(definition: Definition, field: Field, value: Any) -> str | None:
    """Why the attribute cannot be this, and what to write instead; None where it can."""
    name = f"attribute {field.name} of op.{definition.name}"
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            why = _problem_with_word(definition, field, item)
        elif field.type.startswith("INT"):
            is_type = field.name in _TYPES
            why = _problem_with_type(definition, field, item) if is_type else _too_large(item)
            if (definition.name, field.name) in _NOT_NEGATIVE and item < 0:
                why = f"cannot be {item}; write 0 or more"
        else:
            why = _too_large_a_float(item)
        if why is not None:
            return f"{name} {why}"
    return None


def _too_large(value: int) -> str | None:
    if -(2**63) <= value < 2**63:
        return None
    return f"cannot hold {shown(value, 30)}; write an integer of 64 bits"


def _too_large_a_float(value: float) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if abs(value) <= _LARGEST:
        return None
    return f"cannot hold {shown(value, 30)}; write a number of float32, at most {_LARGEST:.6g}"


def _problem_with_word(definition: Definition, field: Field, word: str) -> str | None:
    by_opset = WORDS.get((definition.name, field.name), {})
    version = max((first for first in by_opset if first <= definition.since_version), default=None)
    if version is None or word in (known := by_opset[version].split()):
        return None
    later = [
        first
        for first, words in by_opset.items()
        if version < first <= opsets.HIGHEST and word in words.split()
    ]
    if later:
        return f"can be {shown(word, 30)} from opset {later[0]} on alone; write opset = {later[0]}"
    choices = listed(map(repr, known), "or")
    return f"cannot be {shown(word, 30)}{did_you_mean(word, known) or f'; write {choices}'}"


def _problem_with_type(definition: Definition, field: Field, number: int) -> str | None:
    if number == 0 and not field.required:
        return None  # the op's own choice
    example = "write 1 for float32, 7 for int64 or 10 for float16, say"
    if why := _too_large(number):
        return why.partition(";")[0] + f"; {example}"
    name = onnxdefs.element_type(number)
    if name is None:
        return f"cannot be {number}, which is no element type of ONNX; {example}"
    allowed = onnxdefs.allowed(definition, definition.outputs[0])
    if not allowed or name in allowed:
        return None
    forms = onnxdefs.others(definition.name, definition.since_version)
    later = [form for form in forms if form.since_version > definition.since_version]
    for form in later:
        if name in onnxdefs.allowed(form, form.outputs[0]):
            opset = form.since_version
            return f"can be {number}, {name}, from opset {opset} on alone; write opset = {opset}"
    return f"cannot be {number}, {name}; {example}"
