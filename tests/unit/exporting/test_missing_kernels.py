"""Functions that stock ONNX Runtime cannot run."""

from __future__ import annotations

import warnings

import pytest
from onnx import TensorProto, helper

from onnxop_runtime.exporting.domain_nodes.missing_kernels import (
    NoKernelWarning,
    WrittenFunction,
    warn_of_missing_kernels,
)

from .samples import asinh


def function(op_type: str, element_type: int) -> WrittenFunction:
    body = [helper.make_node(op_type, ["a"], ["y"])]
    imports = [helper.make_opsetid("", 18)]
    written = helper.make_function("acme", "F", ["a"], ["y"], body, imports)
    node = helper.make_node("F", ["x"], ["y"], domain="acme", name="the_node")
    return WrittenFunction(written, node, {"a": element_type})


def test_a_type_without_kernel() -> None:
    functions = [function("Asinh", TensorProto.DOUBLE)]
    with pytest.warns(
        NoKernelWarning,
        match=r"aten::asinh: ONNX Runtime has no CPU kernel for Asinh.* in float64, so it will not "
        r"load the node the_node; export the model in float32",
    ):
        warn_of_missing_kernels(asinh(), functions)
    with pytest.warns(NoKernelWarning, match="the_node where its library is not registered"):
        warn_of_missing_kernels(asinh(is_native=True), functions)


@pytest.mark.parametrize("element_type", [TensorProto.DOUBLE, TensorProto.FLOAT])
def test_a_type_with_a_kernel(element_type: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_missing_kernels(asinh(), [function("Relu", element_type)])


def test_unknown_types_are_not_checked() -> None:
    written = function("Asinh", TensorProto.DOUBLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_missing_kernels(asinh(), [written._replace(types={})])
