# Run by test_what_stock_runs_runs_with_the_library of test_native.py.
import many_ops
import onnx
import torch
from tests.programs.native.both import both, model_of

args = (torch.rand(20),)
model = model_of(lambda x: many_ops.keep_above(x))
for dynamo in (True, False):
    many_ops.export(model, args, "m.onnx", domain="my_lib", dynamo=dynamo)
    exported = onnx.load("m.onnx")
    feeds = {exported.graph.input[0].name: args[0].numpy()}
    (own,) = (entry for entry in exported.opset_import if entry.domain == "my_lib")
    for version, wanted in ((own.version, 1), (2, 0)):
        own.version = version
        onnx.save(exported, "m.onnx")
        result = both(many_ops, "m.onnx", feeds)
        print(result == (wanted, 0.0, ["float32"]), version, result)
    own.version = 4
    (said,) = (
        attribute
        for attribute in exported.graph.node[0].attribute
        if attribute.name == "onnxop_version"
    )
    said.i = 4
    onnx.save(exported, "m.onnx")
    try:
        print(not both(many_ops, "m.onnx", feeds))
    except Exception as error:
        print("the node is of version 4, but this library, of many_ops 0.1.0" in str(error), error)
