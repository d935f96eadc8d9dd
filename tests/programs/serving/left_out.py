# Run by test_what_is_served of test_serving.py.
import many_ops
import onnx
import torch
from tests.programs.native.both import both, model_of

a, b, weight = torch.rand(3, 4), torch.rand(5, 4), torch.rand(4)
model = model_of(
    lambda a, b, c: (many_ops.squared_distances(a, b, c), many_ops.squared_distances(b, a))
)
for bodies in (True, False):
    for dynamo in (True, False):
        options = dict(domain="my_lib", dynamo=dynamo, function_bodies=bodies)
        many_ops.export(model, (a, b, weight), "m.onnx", input_names=["a", "b", "c"], **options)
        exported = onnx.load("m.onnx")
        print([list(node.input) for node in exported.graph.node] == [["a", "b", "c"], ["b", "a"]])
        inputs = [["a", "b", "weight"], ["a", "b"]] if bodies else []
        print([list(function.input) for function in exported.functions] == inputs)
        if bodies:
            feeds = {"a": a.numpy(), "b": b.numpy(), "c": weight.numpy()}
            count, worst, _ = both(many_ops, "m.onnx", feeds)
            print(count == 2 and worst < 1e-5, count, worst)
