# Run by test_verify of test_models.py.
import deform_conv2d
import my_add
import onnx
import torch
from torchvision.ops import DeformConv2d


class Deformed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)

    def forward(self, x):
        return self.deform(x, self.offset(x))


class Branch(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: my_add.my_add(x, x), lambda x: x - 1, (x,))


report = deform_conv2d.verify(
    Deformed().eval(), (torch.rand(1, 3, 64, 64),), budget=0.5, domain="d"
)
print(set(report.errors) == {"ONNX Runtime", "native kernel"}, report.missing)
print(report.missing == {"onnx.reference": "TimeoutError: it takes more than 0.5 s"})

x = torch.rand(2, 3)
report = my_add.verify(Branch(), (x,), domain="my_lib", verbose=False)
print((report.native, report.nodes) == (1, 1), report)
print("native kernel: 0.0e+00 (1 of 1 node)" in str(report))

args = x, torch.rand(2, 3)
my_add.export(my_add.MyAdd(), args, "m.onnx", domain="my_lib", verbose=False)
for report in (my_add.verify(my_add.MyAdd(), args, f="m.onnx"), my_add.verify("m.onnx", args)):
    print("native kernel" in report.errors and report.exporter == "m.onnx", report)
model = onnx.load("m.onnx")
model.functions[0].node[-1].op_type = "Sub"
onnx.save(model, "other.onnx")
for call in (
    lambda: my_add.verify(my_add.MyAdd(), args, f="other.onnx"),
    lambda: my_add.verify("other.onnx", args),
):
    try:
        call()
    except AssertionError as error:
        print("elements differ" in str(error))
print(my_add.verify(my_add.MyAdd(), args, f="other.onnx", rtol=1e9).failures == ())


class Large(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2100, 2100)

    def forward(self, x):
        return my_add.my_add(self.linear(x), x)


refused = {
    "junk.onnx is not an ONNX file": lambda: my_add.verify("junk.onnx", args),
    "empty.onnx is not an ONNX file: it has no graph": lambda: my_add.verify("empty.onnx", args),
    ". is not an ONNX file": lambda: my_add.verify(".", args),
    "input b must be a tensor, but it is a NoneType": lambda: my_add.verify("m.onnx", (x, None)),
    "my_add: b must be a tensor, but it is None": lambda: my_add.my_add(x, b=None),
    "my_add: a must be a tensor, but it is None": lambda: my_add.my_add(None, x.requires_grad_()),
    "takes all of a, b by position, but 1 are given": lambda: my_add.MyAddFunction.apply(x),
}
open("junk.onnx", "wb").write(b"junk" * 99)
open("empty.onnx", "wb").close()
for message, call in refused.items():
    try:
        call()
    except (TypeError, ValueError) as error:
        print(message in str(error), error)

report = my_add.verify(Large().eval(), (torch.rand(2, 2100),), verbose=False, rtol=1e-3)
print(report.missing["onnx.reference"] == "too slow for a model of 17 MB", report)
