"""ONNX's ops, by ``onnx.defs``, and ONNX Runtime's kernels for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from onnxop_runtime.mapping import definitions as onnxdefs
from onnxop_runtime.messages import did_you_mean

_HIGHEST = onnxdefs.HIGHEST

# PyTorch's names, or parts of them, and the ops that compute much the same.
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
    """A CPU kernel of ONNX Runtime; ``types`` is empty if there is none of the op's version."""

    version: int
    types: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class OnnxOp:
    """A standard op at the newest opset version that the exporters write.

    ``versions`` are the opset versions that added or changed it. ``B?`` is an optional input,
    ``inputs...`` a variadic one; attributes have ONNX's type, such as INTS. ``kernels`` is None
    if ONNX Runtime does not list them. ``is_function``: it has a body of other ops, too.
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
    """Return the standard ops that exist at an opset version of the exporters."""
    versions = onnxdefs.versions()
    return tuple(sorted(op for op, opsets in versions.items() if min(opsets) <= _HIGHEST))


def find(name: str) -> OnnxOp | None:
    """Return the op of this name, or None."""
    from onnx import defs

    op = onnxdefs.definition(name, _HIGHEST)
    if op is None:
        return None
    schema: Any = defs.get_schema(name, _HIGHEST, "")
    versions = tuple(version for version in onnxdefs.versions()[name] if version <= _HIGHEST)
    return OnnxOp(
        name,
        versions,
        _names_with_marks(op.inputs),
        _names_with_marks(op.outputs),
        tuple(
            f"{attribute} {type_}" if attribute in op.required else f"{attribute}? {type_}"
            for attribute, type_ in op.attributes.items()
        ),
        _kernels(name, versions),
        bool(schema.has_function or schema.has_context_dependent_function),
        op.deprecated,
    )


_MARKS = {"Single": "", "Optional": "?", "Variadic": "..."}


def _names_with_marks(formals: Iterable[onnxdefs.Formal]) -> tuple[str, ...]:
    """Return the names of inputs or outputs, marked if they are optional or variadic."""
    return tuple(f"{formal.name}{_MARKS[onnxdefs.option_of(formal)]}" for formal in formals)


def unknown(name: str) -> str:
    """Return the message for a name that is not an ONNX op."""
    near = did_you_mean(name, names())
    hint = near or "; onnxop inspect PART lists the names that contain it"
    return f"onnx:{name}: ONNX has no such op{hint}"


def like(operator: str) -> tuple[str, ...]:
    """Return the ops with a name like a PyTorch operator's (without its namespace): first the same
    except for case and underscores, then those of another name, then those whose name contains it.
    """
    stems = [operator]
    stems += [operator.removeprefix(p) for p in ("special_", "linalg_", "fft_", "nn_")]
    stems += [re.sub(r"_?[123]d$", "", stem) for stem in stems]
    plain_stems = dict.fromkeys(_plain(stem) for stem in stems)
    by_plain = {_plain(name): name for name in names()}
    arcs = [f"a{stem.removeprefix('arc')}" for stem in plain_stems if stem.startswith("arc")]
    ops = [by_plain[stem] for stem in (*plain_stems, *arcs) if stem in by_plain]
    ops += [_SAME[stem] for stem in stems if stem in _SAME]
    ops += [op for key, op in _SAME.items() if any(stem.startswith(f"{key}_") for stem in stems)]
    longest = [stem for stem in plain_stems if len(stem) > 3]
    ops += [name for plain, name in by_plain.items() if any(stem in plain for stem in longest)]
    return tuple(dict.fromkeys(ops))


def search(text: str) -> tuple[str, ...]:
    """Return the ops with the text in their names."""
    return tuple(name for name in names() if _plain(text) in _plain(name))


@cache
def _kernel_definitions() -> dict[str, list[Any]] | None:
    """Return ONNX Runtime's CPU kernels by op; None if it does not list them, or is missing."""
    try:
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped]

        definitions = state.get_all_opkernel_def()
    except (ImportError, AttributeError):
        return None
    by_op: dict[str, list[Any]] = {}
    for kernel in definitions:
        if kernel.domain in ("", "ai.onnx") and kernel.provider == "CPUExecutionProvider":
            by_op.setdefault(kernel.op_name, []).append(kernel)
    return by_op


def _kernels(name: str, versions: Sequence[int]) -> tuple[Kernel, ...] | None:
    """Return ONNX Runtime's CPU kernels of each version; None if it does not list them."""
    by_op = _kernel_definitions()
    if by_op is None:
        return None
    return tuple(Kernel(version, _types(by_op.get(name, ()), version)) for version in versions)


def _types(kernels: Sequence[Any], version: int) -> dict[str, tuple[str, ...]]:
    """Return the types of the tensors that ONNX Runtime's kernels of an op take, by type
    variable.
    """
    by_variable: dict[str, set[str]] = {}
    for kernel in kernels:
        first, last = kernel.version_range
        # A kernel without a last version counts for its first alone: the next may differ.
        if first == version or (first < version <= last < _NO_LAST):
            for variable, kinds in kernel.type_constraints.items():
                short = (re.sub(r"\btensor\((\w+)\)", r"\1", kind) for kind in kinds)
                by_variable.setdefault(variable, set()).update(short)
            by_variable.setdefault("", set())
    return {variable: tuple(sorted(kinds)) for variable, kinds in sorted(by_variable.items())}


_NO_LAST = 2**31 - 1


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
