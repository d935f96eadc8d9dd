# Run by test_what_stock_runs_runs_with_the_library of test_native.py.
import many_ops
import onnx
import torch
from tests.programs.native.both import both, model_of


def forward(x):
    results = [
        many_ops.keep_above(
            x, [i % 3, 1 + i % 2], limit=i / 200, side="above" if i % 2 else "below"
        )
        for i in range(100)
    ]
    return torch.stack([result.sum() for result in results])


x = torch.rand(20)
for dynamo, opset in ((True, 25), (False, 13)):
    model = model_of(forward)
    many_ops.export(model, (x,), "m.onnx", domain="my_lib", dynamo=dynamo, opset_version=opset)
    exported = onnx.load("m.onnx")
    count, worst, _ = both(many_ops, "m.onnx", {exported.graph.input[0].name: x.numpy()})
    print(count == 100 and worst < 1e-6 and len(exported.functions) == 2, count, worst)
