"""A model in OpenVINO: a package's library computes its nodes, other functions are inlined."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..operator.library import Library

if TYPE_CHECKING:
    import onnx

Node = tuple[str, str]  # domain and op type


def load(
    libraries: Collection[Library], path: Path, model: onnx.ModelProto, served: Collection[Node]
) -> tuple[Callable[[dict[str, Any]], list[Any]], list[str]]:
    """Load a model's file into OpenVINO's CPU plugin; ``model`` may lack its weights. The libraries
    compute the nodes ``served``; other functions are inlined, because OpenVINO has none.

    Returns a function that runs the model on arrays by name, and the nodes that are inlined. Raises
    RuntimeError if OpenVINO refuses the model.
    """
    import openvino  # type: ignore[import-untyped,unused-ignore]

    core = openvino.Core()
    for library in libraries:
        core.add_extension(library.openvino_path)
    inlined = sorted({(f.domain, f.name) for f in model.functions}.difference(served))
    source: Any = path
    if inlined:
        import onnx
        from onnx.inliner import inline_selected_functions

        without_functions = inline_selected_functions(onnx.load(path), inlined)
        source = io.BytesIO(without_functions.SerializeToString())
    settings = {"INFERENCE_PRECISION_HINT": "f32"}  # newer CPUs would compute in bfloat16
    compiled = core.compile_model(core.read_model(source), "CPU", settings)

    def run(feeds: dict[str, Any]) -> list[object]:
        tensors = {}
        for port in compiled.inputs:  # OpenVINO drops unused inputs
            array = next(feeds[name] for name in port.names if name in feeds)
            if port.element_type == openvino.Type.bf16:
                array = openvino.Tensor(array.view(np.uint16), array.shape, openvino.Type.bf16)
            tensors[port] = array
        outputs = compiled(tensors)
        return [
            outputs[port].view(next(iter(feeds.values())).dtype)
            if port.element_type == openvino.Type.bf16
            else outputs[port]
            for port in compiled.outputs
        ]

    return run, ["::".join(node) for node in inlined]
