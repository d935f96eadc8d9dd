"""Warnings for functions that stock ONNX Runtime cannot run: it lacks CPU kernels for the dtypes of their tensors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.util import find_spec

import onnx
from onnx import TensorProto, helper

from ...operator.model import Operator
from ..rules.writer import BY_NUMBER


class NoKernelWarning(UserWarning):
    """A function does not run in stock ONNX Runtime."""


def warn_without(
    operator: Operator,
    functions: Mapping[str, tuple[onnx.FunctionProto, onnx.NodeProto, dict[str, int]]],
) -> None:
    """Warn once about functions of an operator for which the installed ONNX Runtime has no kernels.

    Only float64 and bfloat16 are checked: ONNX Runtime supports float32, and casts float16 itself.
    ``functions`` has, by name, each function, a node of it, and the known element types of its inputs.
    """
    lacking = {}
    for function, node, types in functions.values():
        if {TensorProto.BFLOAT16, TensorProto.DOUBLE} & {*types.values()} and (
            missing := _refusal(function, node, types)
        ):
            dtypes = {BY_NUMBER[kind] for kind in types.values() if kind in BY_NUMBER}
            named = " and ".join(
                sorted(str(t).removeprefix("torch.") for t in dtypes if t.is_floating_point)
            )
            lacking[f"{missing} in {named}"] = node.name or node.op_type
    if lacking:
        where = " where its library is not registered" if operator.is_native else ""
        warnings.warn(
            f"{operator}: ONNX Runtime has no CPU kernel for {', nor for '.join(lacking)}, so it will not "
            f"load the node {', nor '.join(lacking.values())}{where}; export the model in float32, "
            "or have the mapping cast: op.CastLike(op.Relu(op.Cast(x, to=1)), x)",
            NoKernelWarning,
            stacklevel=2,
        )


def _refusal(function: onnx.FunctionProto, node: onnx.NodeProto, types: dict[str, int]) -> str:
    """Return the op for which ONNX Runtime has no kernel; "" if it has all, or cannot tell."""
    if find_spec("onnxruntime") is None or len(types) < sum(map(bool, node.input)):
        return ""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]
    from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped,unused-ignore]

    names = [name if taken else "" for name, taken in zip(function.input, node.input, strict=True)]
    call = helper.make_node(node.op_type, names, [*function.output], domain=node.domain)
    call.attribute.extend(node.attribute)
    inputs = [helper.make_tensor_value_info(name, kind, None) for name, kind in types.items()]
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
