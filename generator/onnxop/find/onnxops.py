"""ONNX's ops, as ``onnx.defs`` has them, and the kernels that ONNX Runtime has for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from onnxop_runtime.mapping import definitions as onnxdefs

from ..errors import did_you_mean

_HIGHEST = onnxdefs.HIGHEST

# PyTorch's name, or a word of it, and the op that computes much the same.
_SAME = {
    "adaptive_avg_pool": "GlobalAveragePool",
    "adaptive_max_pool": "GlobalMaxPool",
    "addmm": "Gemm",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "argsort": "TopK",
    "avg_pool": "AveragePool",
    "baddbmm": "Gemm",
    "batch_norm": "BatchNormalization",
    "bmm": "MatMul",
    "cat": "Concat",
    "clamp": "Clip",
    "constant_pad": "Pad",
    "conv_transpose": "ConvTranspose",
    "cross_entropy_loss": "SoftmaxCrossEntropyLoss",
    "deform_conv": "DeformConv",
    "embedding": "Gather",
    "eq": "Equal",
    "fake_quantize": "QuantizeLinear",
    "fmod": "Mod",
    "gather": "GatherElements",
    "ge": "GreaterOrEqual",
    "grid_sampler": "GridSample",
    "group_norm": "GroupNormalization",
    "gt": "Greater",
    "hardtanh": "Clip",
    "index_select": "Gather",
    "instance_norm": "InstanceNormalization",
    "interpolate": "Resize",
    "layer_norm": "LayerNormalization",
    "le": "LessOrEqual",
    "linalg_det": "Det",
    "linear": "Gemm",
    "logical_and": "And",
    "logical_not": "Not",
    "logical_or": "Or",
    "logical_xor": "Xor",
    "logsumexp": "ReduceLogSumExp",
    "lt": "Less",
    "masked_select": "Compress",
    "mean": "ReduceMean",
    "mm": "MatMul",
    "nll_loss": "NegativeLogLikelihoodLoss",
    "nms": "NonMaxSuppression",
    "permute": "Transpose",
    "pixel_shuffle": "DepthToSpace",
    "prod": "ReduceProd",
    "remainder": "Mod",
    "repeat": "Tile",
    "rms_norm": "RMSNormalization",
    "roi_pool": "MaxRoiPool",
    "scaled_dot_product_attention": "Attention",
    "scatter": "ScatterElements",
    "scatter_add": "ScatterElements",
    "sort": "TopK",
    "stft": "STFT",
    "sum": "ReduceSum",
    "tril": "Trilu",
    "triu": "Trilu",
    "upsample": "Resize",
    "where": "Where",
}


@dataclass(frozen=True)
class Kernel:
    """What ONNX Runtime's CPU provider computes a version of the op with: the element types by type
    variable; none where it has no kernel of that version.
    """

    version: int
    types: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class OnnxOp:
    """A standard op at the newest opset that the exporters write.

    Attributes:
        name: its name.
        versions: the opsets at which it came or changed.
        inputs: as they are written, ``B?`` for one that may be left out, ``inputs...`` for many.
        outputs: likewise.
        attributes: likewise, with ONNX's word for the type, such as INTS.
        kernels: what ONNX Runtime computes with.
        is_function: whether runtimes without a kernel run its body of other ops.
        is_deprecated: whether ONNX has given it up.
    """

    name: str
    versions: tuple[int, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[str, ...]
    kernels: tuple[Kernel, ...] | None
    is_function: bool
    is_deprecated: bool


@cache
def names() -> tuple[str, ...]:
    """Return the standard ops that some opset of the exporters has."""
    return tuple(sorted(op for op, found in onnxdefs.versions().items() if min(found) <= _HIGHEST))


def find(name: str) -> OnnxOp | None:
    """Return the op of this name, None where there is none."""
    from onnx import defs

    found = onnxdefs.definition(name, _HIGHEST)
    if found is None:
        return None
    schema: Any = defs.get_schema(name, _HIGHEST, "")
    versions = tuple(each for each in onnxdefs.versions()[name] if each <= _HIGHEST)
    return OnnxOp(
        name,
        versions,
        tuple(_formal(formal) for formal in found.inputs),
        tuple(_formal(formal) for formal in found.outputs),
        tuple(f"{n}{'?' * (n not in found.required)} {k}" for n, k in found.attributes.items()),
        kernels(name, versions),
        bool(schema.has_function or schema.has_context_dependent_function),
        found.deprecated,
    )


def unknown(name: str) -> str:
    """What to say where ONNX has no op of the name."""
    near = did_you_mean(name, names())
    hint = near or "; onnxop inspect WORD finds those with a word in their names"
    return f"onnx:{name}: ONNX has no such op{hint}"


def like(operator: str) -> tuple[str, ...]:
    """The ops whose name is like that of a PyTorch operator (without its namespace): the same but for
    capitals and underscores first, then those that PyTorch calls otherwise, then those with the name
    in theirs.
    """
    words = [operator]
    words += [operator.removeprefix(p) for p in ("special_", "linalg_", "fft_", "nn_")]
    words += [re.sub(r"_?[123]d$", "", word) for word in words]
    wanted = dict.fromkeys(_plain(word) for word in words)
    known = {_plain(name): name for name in names()}
    found = [known[word] for word in wanted if word in known]
    arcs = [f"a{word.removeprefix('arc')}" for word in wanted if word.startswith("arc")]
    found += [known[word] for word in arcs if word in known]
    found += [_SAME[word] for word in words if word in _SAME]
    stems = [word for word in words if "_" in word]
    found += [op for key, op in _SAME.items() if any(word.startswith(f"{key}_") for word in stems)]
    longest = [word for word in wanted if len(word) > 3]
    found += [name for plain, name in known.items() if any(word in plain for word in longest)]
    return tuple(dict.fromkeys(found))


def search(word: str) -> tuple[str, ...]:
    """The ops with the word in their names."""
    return tuple(name for name in names() if _plain(word) in _plain(name))


@cache
def _listed() -> dict[str, list[Any]] | None:
    """The definitions of ONNX Runtime's CPU kernels by op; None where it is not installed, or does not
    tell.
    """
    try:
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped]

        every = state.get_all_opkernel_def()
    except (ImportError, AttributeError):
        return None
    found: dict[str, list[Any]] = {}
    for kernel in every:
        if kernel.domain in ("", "ai.onnx") and kernel.provider == "CPUExecutionProvider":
            found.setdefault(kernel.op_name, []).append(kernel)
    return found


def kernels(name: str, versions: Sequence[int]) -> tuple[Kernel, ...] | None:
    """ONNX Runtime's CPU kernels of the op, by its versions; None where it does not tell."""
    listed = _listed()
    if listed is None:
        return None
    return tuple(Kernel(version, _types(listed.get(name, ()), version)) for version in versions)


def _types(listed: Sequence[Any], version: int) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for kernel in listed:
        first, last = kernel.version_range
        # One that is open at its end is of its first version alone: the next may mean another thing.
        if first == version or (first < version <= last < _OPEN):
            for variable, kinds in kernel.type_constraints.items():
                short = (re.sub(r"\btensor\((\w+)\)", r"\1", kind) for kind in kinds)
                found.setdefault(variable, {}).update(dict.fromkeys(short))
            found.setdefault("", {})
    return {variable: tuple(sorted(kinds)) for variable, kinds in sorted(found.items())}


_OPEN = 2**31 - 1


def _formal(formal: Any) -> str:
    return f"{formal.name}{_MARKS[formal.option.name]}"


_MARKS = {"Single": "", "Optional": "?", "Variadic": "..."}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
