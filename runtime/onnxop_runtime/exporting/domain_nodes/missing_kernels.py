"""Warnings for functions that stock ONNX Runtime cannot run: it lacks CPU kernels for their
tensors' dtypes.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from typing import NamedTuple

import onnx
from onnx import TensorProto, helper

from ...operator.model import Operator
from ..element_types import BY_NUMBER


class NoKernelWarning(UserWarning):
    """A function does not run in stock ONNX Runtime."""


class WrittenFunction(NamedTuple):
    """A function of a model, one of its nodes, and the known element types of its inputs."""

    function: onnx.FunctionProto
    node: onnx.NodeProto
    types: dict[str, int]


def warn_of_missing_kernels(operator: Operator, functions: Sequence[WrittenFunction]) -> None:
    """Warn once about functions of an operator for which the installed ONNX Runtime has no kernels.

    Only float64 and bfloat16 are checked: ONNX Runtime supports float32, and casts float16 itself.
    """
    node_by_kernel: dict[str, str] = {}
    for function in functions:
        types = {*function.types.values()}
        if not {TensorProto.BFLOAT16, TensorProto.DOUBLE} & types:
            continue
        if op_type := _op_without_kernel(function):
            node = function.node
            node_by_kernel[f"{op_type} in {_floats(types)}"] = node.name or node.op_type
    if not node_by_kernel:
        return
    where = " where its library is not registered" if operator.is_native else ""
    warnings.warn(
        f"{operator}: ONNX Runtime has no CPU kernel for {', nor for '.join(node_by_kernel)}, so "
        f"it will not load the node {', nor '.join(node_by_kernel.values())}{where}; export the "
        "model in float32, or have the mapping cast: op.CastLike(op.Relu(op.Cast(x, to=1)), x)",
        NoKernelWarning,
        stacklevel=2,
    )


def _floats(types: Collection[int]) -> str:
    """Return the names of the floats among element types."""
    dtypes = [BY_NUMBER[number] for number in types if number in BY_NUMBER]
    floats = [str(dtype).removeprefix("torch.") for dtype in dtypes if dtype.is_floating_point]
    return " and ".join(sorted(floats))


def _op_without_kernel(written: WrittenFunction) -> str:
    """Return the op for which ONNX Runtime has no kernel; "" if it has all, or cannot tell."""
    function, node, types = written
    if find_spec("onnxruntime") is None or len(types) < sum(map(bool, node.input)):
        return ""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]
    from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped,unused-ignore]

    pairs = zip(function.input, node.input, strict=True)
    names = [name if value else "" for name, value in pairs]
    call = helper.make_node(node.op_type, names, [*function.output], domain=node.domain)
    call.attribute.extend(node.attribute)
    inputs = [helper.make_tensor_value_info(name, number, None) for name, number in types.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in function.output]
    graph = helper.make_graph([call], "graph", inputs, outputs)
    imports = [*function.opset_import, helper.make_opsetid(node.domain, 1)]
    model = helper.make_model(graph, functions=[function], opset_imports=imports, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except state.NotImplemented as error:
        return str(error).partition("implementation for ")[2].partition(" node")[0]
    except Exception:  # noqa: BLE001 - not about kernels
        return ""
    return ""
