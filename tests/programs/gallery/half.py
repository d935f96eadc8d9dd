# Run by test_results_in_float16 of test_gallery.py.
import onnx
import torch

import onnxop_runtime
import onnxop_runtime.gallery


class Net(torch.nn.Module):
    def forward(self, x):
        return x.amax(0), x + 1, x.var(1)


for dtype, kind in ((torch.float16, 10), (torch.bfloat16, 16)):
    tensors = (torch.rand(4, 5).to(dtype),)
    onnxop_runtime.export(
        Net().eval(), tensors, "m.onnx", output_names=["a", "b", "c"], verbose=False
    )
    results = onnx.load("m.onnx").graph.output
    print([(r.name, r.type.tensor_type.elem_type == kind) for r in results])
