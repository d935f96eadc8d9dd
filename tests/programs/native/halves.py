# Run by test_what_stock_runs_runs_with_the_library of test_native.py.
import many_ops
import numpy as np
import onnx
import torch
from tests.programs.native.both import both, model_of

args = torch.rand(6, 4), torch.rand(5, 4), torch.rand(4)
forward = lambda a, b, c: many_ops.squared_distances(a, b, c)
many_ops.export(model_of(forward), args, "m.onnx", domain="my_lib", input_names=list("abc"))
model = onnx.load("m.onnx")
for port in (*model.graph.input, *model.graph.output):
    port.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
del model.graph.value_info[:]
onnx.save(model, "half.onnx")
feeds = {name: value.numpy().astype(np.float16) for name, value in zip("abc", args)}
count, worst, dtypes = both(many_ops, "half.onnx", feeds)
print(count == 1 and worst < 4e-3 and dtypes == ["float16"], count, worst, dtypes)
