# Run by test_kinds_of_nodes of test_native.py.
import warnings

import kinds
import onnx
import torch


def model_of(count):
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.stack([kinds.ramp(torch.sinc(x), i) for i in range(1, count + 1)])

    return Model().eval()


x = torch.rand(3) + 0.5
for domain, dynamo in ((None, True), ("other", False)):
    asked = {"domain": domain, "dynamo": dynamo, "verbose": False}
    kinds.export(model_of(3), (x,), "m.onnx", **asked)
    reports = [
        kinds.verify(model_of(3), (x,), **asked),
        kinds.verify("m.onnx", (x,)),
        kinds.verify("m.onnx", (x,), domain=domain),
        kinds.verify(model_of(3), (x,), f="m.onnx"),
    ]
    print([(report.native, report.nodes) for report in reports] == [(3, 4)] * 4, reports)

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    kinds.export(model_of(34), (x,), "m.onnx", dynamo=False)
    report = kinds.verify("m.onnx", (x,), rtol=1e-3)
print((report.native, report.nodes) == (32, 35), report)
(message,) = (str(warning.message) for warning in said if "serves 32" in str(warning.message))
print(message.startswith("my_lib::ramp has 34 different functions in this model"), message)

for domain, message in (
    ("", "stands for standard nodes"),
    ({"aten::sinc": "a"}, "has no C++ kernel"),
):
    try:
        kinds.session_options(domain=domain)
    except ValueError as error:
        print(message in str(error), error)
for dynamo, opset, message in (
    (True, 12, "use opset_version=18, or dynamo=False (opsets 9 to 23)"),
    (False, 8, "use opset_version=9, or dynamo=True (opsets 18 to 25)"),
    (True, 26, "use opset_version=25, or dynamo=False (opsets 9 to 23)"),
    (False, 10, "writes my_lib::ramp at opsets 13 to 23, not 10"),
):
    try:
        kinds.export(
            kinds.Ramp().eval(), (x,), "m.onnx", dynamo=dynamo, opset_version=opset, domain=""
        )
    except ValueError as error:
        print(message in str(error), error)


# PyTorch has no rule of this one either; what the exporter logs is as it was.
class Sinc(torch.nn.Module):
    def forward(self, x):
        return torch.sinc(x)


for is_logged in (True, False):
    torch._C._jit_set_onnx_log_enabled(is_logged)
    try:
        kinds.export(Sinc().eval(), (x,), "m.onnx", dynamo=False, opset_version=10, domain="")
    except ValueError as error:
        message = (
            "writes aten::sinc at opsets 15 to 23, not 10; use opset_version=15, or dynamo=True"
        )
        print(message in str(error) and torch._C._jit_is_onnx_log_enabled() is is_logged, error)
kinds.export(Sinc().eval(), (x,), "m.onnx", dynamo=False, domain={"my_lib::ramp": "unused"})
kinds.export(Sinc().eval(), (x,), "m.onnx", dynamo=False, domain="")
names = [result.name for result in onnx.load("m.onnx").graph.output]
print(names == ["result"], names)  # without a number
for domain in ("my_lib", ""):
    try:
        kinds.export(kinds.Ramp().eval(), (x > 1,), "m.onnx", dynamo=False, domain=domain)
    except RuntimeError as error:
        print("has unsupported type: tensor(bool)" in str(error), error)
