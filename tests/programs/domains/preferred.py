# Run by test_models_with_domains_are_right of test_domains.py.
import tempfile
from pathlib import Path

import my_add
import numpy as np
import onnx
import onnxruntime
import torch

path = Path(tempfile.mkdtemp(), "m.onnx")
x = torch.rand(3, 4)
my_add.export(my_add.MyAdd(), (x, x), path, domain="my_lib", dynamo=False)
model = onnx.load(path)
for node in model.functions[0].node:
    if node.op_type == "Add":
        node.op_type = "Sub"
onnx.save(model, path)
feeds = {entry.name: x.numpy() for entry in model.graph.input}
stock = onnxruntime.InferenceSession(path).run(None, feeds)[0]
native = onnxruntime.InferenceSession(path, my_add.session_options()).run(None, feeds)[0]
print(np.allclose(stock, x.numpy()))
print(np.allclose(native, 3 * x.numpy()))
