# Run by test_the_command of test_ship.py.
import deform_conv2d  # noqa: F401 - registers its rule
import my_add
import torch
from torchvision.ops import DeformConv2d

import onnxop_runtime


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)

    def forward(self, x):
        y = self.deform(x, self.offset(x))
        return my_add.my_add(y, y)


domains = {"my_lib::my_add": "other", "deform_conv2d::deform_conv2d": "deform_conv2d"}
onnxop_runtime.export(Net().eval(), (torch.rand(1, 3, 8, 8),), "both.onnx", domain=domains)
