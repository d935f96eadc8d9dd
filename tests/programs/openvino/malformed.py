# Run by test_in_openvino of test_openvino.py.
import many_ops
import my_add
import numpy as np
import onnx
from tests.programs.openvino.common import core_of, error_of

core = core_of(many_ops, my_add)


def refused(message, node, inputs="float[4] x", feeds=[4], imports='"my_lib" : 3'):
    text = f"""<ir_version: 8, opset_import: ["" : 18, {imports}]> g ({inputs}) => (float[m] y) {{ y = {node} }}"""
    model = onnx.parser.parse_model(text).SerializeToString()

    def run():
        loaded = core.read_model(io.BytesIO(model))
        if feeds:  # else that alone is to refuse it
            core.compile_model(loaded, "CPU")([np.zeros(size, np.float32) for size in feeds])

    error = error_of(run)
    print(message in error, message, "|", error)


import io

old = "my_lib.keep_above <{}> (x)"
keep = old.format("onnxop_version: int = 3, margin: ints = [1, 1], {}")
refused("limit must be of type FLOAT", keep.format('side: string = "above", limit: int = 1'))
refused(
    "margin must have 2 numbers, not 1",
    old.format('onnxop_version: int = 3, margin: ints = [1], side: string = "above"'),
)
refused(
    "has the attribute Limit, which the op does not have; did you mean limit?",
    keep.format('side: string = "above", Limit: float = 1.0'),
)
refused(
    "margin must be of type INTS",
    old.format('onnxop_version: int = 3, margin: float = 1.0, side: string = "above"'),
)
refused("the node is of version 4, but this library", old.format("onnxop_version: int = 4"))
refused("leaves out the required input b", "my_lib.my_add (x)")
refused("but the op takes 2", "my_lib.my_add (x, x, x)")
refused("supports float32, float64", "my_lib.my_add (x, x)", inputs="string[4] x")
refused("must have the same dtype", "my_lib.my_add (x, z)", inputs="float[4] x, double[4] z")
refused(
    "cannot be broadcast together",
    "my_lib.my_add (x, z)",
    inputs="float[n] x, float[k] z",
    feeds=[4, 3],
)
refused("No conversion rule found", "my_lib.my_sub (x)")
refused(
    "they differ in dimension 0",
    "my_lib.my_add (x, z)",
    inputs="float[4] x, float[3] z",
    feeds=[4, 3],
)

# Nodes of an earlier version, whose functions OpenVINO does not run.
refused("the node is of version 1, but this library", old.format('side: string = "above"'))
refused(
    'inline_selected_functions(model, [("my_lib", "keep_above_variant_2")])',
    "my_lib.keep_above_variant_2 (x)",
)

# What is wrong whatever the dynamic dimensions are is refused where the model is read.
dynamic = dict(feeds=[], inputs="float[n, 8] x, float[5] z")
refused("leaves out the required input b", "my_lib.my_add (x)", **dynamic)
refused("must have 1 dimensions", keep.format('side: string = "above"'), **dynamic)
refused("differ in dimension 1 (8 and 5)", "my_lib.my_add (x, z)", **dynamic)
refused("elements in its last dimension", "my_lib.rms_norm (x, z)", **dynamic)
