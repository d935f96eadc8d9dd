"""What the attributes of ONNX's ops can hold: numbers of a width, and words that mean something."""

from __future__ import annotations

import math
import re
from typing import Any

from .definitions import HIGHEST, Definition, definition, element_types, versions
from .spelling import did_you_mean

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


def problem_with(of: Definition, name: str, value: Any) -> tuple[str, str] | None:
    """Return the fact and the remedy where an attribute cannot be this; None where it can."""
    items: list[Any] = [*value] if isinstance(value, list | tuple) else [value]
    # What else an attribute holds, the writer knows.
    known: list[Any] = [item for item in items if isinstance(item, int | float | str)]
    for item in known:
        kind = of.attributes[name]
        if (of.name, name) == ("Einsum", "equation"):
            found = _problem_with_equation(item)
        elif isinstance(item, str):
            found = _problem_with_word(of, name, item)
        elif kind.startswith("INT"):
            found = _problem_with_type(of, name, item) if name in _TYPES else _too_large(item)
            if (of.name, name) in _NOT_NEGATIVE and item < 0:
                found = f"cannot be {item}", "write 0 or more"
        else:
            found = _too_large_a_float(item)
        if found is not None:
            return f"attribute {name} of op.{of.name} {found[0]}", found[1]
    return None


def _problem_with_equation(value: str) -> tuple[str, str] | None:
    """ONNX's inference does not say so of a wrong one: it never ends."""
    term = r"[A-Za-z ]*(\.\.\.[A-Za-z ]*)?"
    if re.fullmatch(rf"{term}(,{term})*(->{term})?", value):
        return None
    remedy = "write letters, and ... once in a term, as in ...ij,jk->...ik"
    return f"cannot be {_shown(value)}", remedy


def _too_large(value: int) -> tuple[str, str] | None:
    if -(2**63) <= value < 2**63:
        return None
    return f"cannot hold {_shown(value)}", "write an integer of 64 bits"


def _too_large_a_float(value: float) -> tuple[str, str] | None:
    if isinstance(value, float) and not math.isfinite(value) or abs(value) <= _LARGEST:
        return None
    return f"cannot hold {_shown(value)}", f"write a number of float32, at most {_LARGEST:.6g}"


def _shown(value: float | str) -> str:
    text = hex(value) if isinstance(value, int) and value.bit_length() > 1000 else repr(value)
    return text if len(text) <= 30 else f"{text[:27]}..."


def _problem_with_word(of: Definition, name: str, word: str) -> tuple[str, str] | None:
    by_opset = WORDS.get((of.name, name), {})
    version = max((first for first in by_opset if first <= of.since_version), default=None)
    if version is None or word in (known := by_opset[version].split()):
        return None
    later = [o for o, words in by_opset.items() if version < o <= HIGHEST and word in words.split()]
    if later:
        return f"can be {word!r} from opset {later[0]} on alone", f"write opset = {later[0]}"
    choices = " or ".join(filter(None, [", ".join(map(repr, known[:-1])), repr(known[-1])]))
    return f"cannot be {_shown(word)}", did_you_mean(word, known) or f"write {choices}"


def _problem_with_type(of: Definition, name: str, number: int) -> tuple[str, str] | None:
    if number == 0 and name not in of.required:
        return None  # the op's own choice
    example = "write 1 for float32, 7 for int64 or 10 for float16, say"
    if why := _too_large(number):
        return why[0], example
    kind = element_types().get(number)
    if kind is None:
        return f"cannot be {number}, which is no element type of ONNX", example
    allowed = of.allowed(of.outputs[0])
    if not allowed or kind in allowed:
        return None
    for version in versions()[of.name]:
        later = definition(of.name, version)
        if (
            later
            and of.since_version < version <= HIGHEST
            and kind in later.allowed(later.outputs[0])
        ):
            return (
                f"can be {number}, {kind}, from opset {version} on alone",
                f"write opset = {version}",
            )
    return f"cannot be {number}, {kind}", example
