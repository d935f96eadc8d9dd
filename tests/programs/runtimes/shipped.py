# Run by tests of test_runtimes.py.

import deform_conv2d
import my_add
import onnx
import torch
from tests.programs.models.of_reference_ops import Deformed


class Cos(torch.nn.Module):
    def forward(self, x):
        return torch.cos(x)


def save(name, model, args, **options):
    my_add.export(model.eval(), args, f"{name}.onnx", verbose=False, **options)


x, image = torch.rand(2, 3), torch.rand(1, 3, 10, 10)
save("relu", torch.nn.ReLU(), (x,))
save("later", torch.nn.ReLU(), (x,), opset_version=22)
save("format", torch.nn.ReLU(), (x,))
model = onnx.load("format.onnx")
model.ir_version = 10
onnx.save(model, "format.onnx")
save("cos", Cos(), (x.double(),))
save("native", my_add.MyAdd(), (x, x), domain="my_lib")
save("alone", my_add.MyAdd(), (x, x), domain="my_lib", function_bodies=False)
for name, domain in (("deform", ""), ("bent", "deform_conv2d")):
    deform_conv2d.export(Deformed().eval(), (image,), f"{name}.onnx", domain=domain, verbose=False)
