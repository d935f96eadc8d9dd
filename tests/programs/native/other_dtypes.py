# Run by test_what_stock_runs_runs_with_the_library of test_native.py.
import aminmax
import onnx
import torch
from tests.programs.native.both import both, model_of

forward = lambda x: (
    *torch.aminmax(x, dim=0),
    *torch.aminmax(x),
    *torch.aminmax(x, dim=1, keepdim=True),
)
for dtype, wanted in ((torch.float32, 3), (torch.float16, 3), (torch.int64, 0)):
    for dynamo in (True, False):
        x = (torch.rand(3, 4) * 100).to(dtype)
        aminmax.export(model_of(forward), (x,), "m.onnx", domain="aminmax", dynamo=dynamo)
        name = onnx.load("m.onnx").graph.input[0].name
        result = both(aminmax, "m.onnx", {name: x.numpy()})
        print(result == (wanted, 0.0, [str(dtype).removeprefix("torch.")] * 6), result)

# The TorchScript exporter numbers the results of an operator that has several.
several = lambda x: (*torch.aminmax(x, dim=0), x.exp(), *torch.aminmax(x))
aminmax.export(model_of(several), (torch.rand(3, 4),), "m.onnx", domain="", dynamo=False)
names = [output.name for output in onnx.load("m.onnx").graph.output]
print(names[:2] == ["min", "max"] and names[3:] == ["min_1", "max_1"], names)
