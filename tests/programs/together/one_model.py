# Run by test_packages_work_in_one_process of test_together.py.

import asinh
import my_add
import torch


class Both(torch.nn.Module):
    def forward(self, x, y):
        return my_add.my_add(asinh.asinh(x), y)


model, args = Both().eval(), (torch.rand(2, 3), torch.rand(3))
for dynamo in (True, False):
    for package in (asinh, my_add):
        print(package.verify(model, args, dynamo=dynamo).errors["ONNX Runtime"] < 1e-6)
