# Run by test_numbers_beside_others of test_gallery.py.
import onnx
import onnxruntime
import torch
from tests.programs.gallery.calls import export

export(lambda x, y: torch.trapezoid(y, x), *torch.ones(2, 5).double(), dynamo=False)
[output] = onnx.load("m.onnx").graph.output
print(output.type.tensor_type.elem_type == onnx.TensorProto.DOUBLE)
zeros = torch.zeros(2, 3)
for options in ({}, {"dynamo": False}):  # which add 1e-12 to what they divide by
    export(torch.cosine_embedding_loss, zeros, zeros, torch.ones(2), **options)
    session = onnxruntime.InferenceSession("m.onnx")
    tensors = (zeros, zeros, torch.ones(2))
    feeds = {port.name: x.numpy() for port, x in zip(session.get_inputs(), tensors)}
    print(session.run(None, feeds)[0].mean() == 1)
