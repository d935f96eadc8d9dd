# Run by test_what_is_served of test_serving.py.
import many_ops
import onnx
import onnxruntime
import torch
from tests.programs.native.both import model_of


def model(attributes, version=3):
    text = f"""<ir_version: 8, opset_import: ["" : 18, "my_lib" : {version}]>
    g (float[n] x) => (float[m] y) {{ y = my_lib.keep_above <{attributes}> (x) }}
    <domain: "my_lib", opset_import: ["" : 18]>
    keep_above <margin, limit, side> (x) => (y) {{ y = Identity(x) }}"""
    onnx.save(onnx.parser.parse_model(text), "m.onnx")


def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return str(error)


x, common = torch.rand(20), 'margin: ints = [1, 1], side: string = "above"'
load = lambda: onnxruntime.InferenceSession("m.onnx", many_ops.session_options())
verify = lambda: many_ops.verify("m.onnx", (x,))
for limit in ("Limit", "LIMIT", "limits", "limt", "ilmit", "limmit"):
    model(f"{common}, {limit}: float = 0.5")
    print(
        f"has the attribute {limit}, which the op does not have; did you mean limit?"
        in error_of(load),
        error_of(load),
    )
    print(
        f"m.onnx: the node y has an attribute {limit}, which my_lib::keep_above would ignore"
        in error_of(verify)
    )
for attributes, version, message in (
    ("limit: float = 0.5, note: int = 1", 3, "has an attribute note"),
    (
        "limit: float = 0.5",
        4,
        "my_lib::keep_above is a node of version 4 of my_lib, but the library supports 3",
    ),
):
    model(f"{common}, {attributes}", version)
    print(message in error_of(verify), error_of(verify))
model(common + ", limit: float = 0.5, onnxop_note: int = 1")
print("InferenceSession" in error_of(load), error_of(load))

# Attributes that functions read have names that no argument has.
forward = lambda x: (
    many_ops.axpby(x, x, x, 1.5, flip=True),
    many_ops.axpby(x, x, x, 2.5, flip=True),
)
many_ops.export(model_of(forward), (x,), "m.onnx", domain="my_ops")
nodes = onnx.load("m.onnx").graph.node
print(
    [a.name for a in nodes[1].attribute if a.name not in ("alpha", "n", "flip")] == ["onnxop_value"]
)
