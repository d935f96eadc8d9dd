# Run by tests of test_gallery.py.
import warnings

warnings.simplefilter("ignore")
import torch

import onnxop_runtime
import onnxop_runtime.gallery


class Model(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, *tensors):
        return self.call(*tensors)


def export(call, *tensors, **options):
    try:
        onnxop_runtime.export(Model(call).eval(), tensors, "m.onnx", verbose=False, **options)
    except (ValueError, RuntimeError) as error:
        print(error)
