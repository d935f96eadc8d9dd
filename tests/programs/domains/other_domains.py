# Run by test_models_with_domains_are_right of test_domains.py.
import shutil
import tempfile
from pathlib import Path

import asinh
import deform_conv2d
import my_add
import numpy as np
import onnx
import onnxruntime
import torch
from tests.programs.models.of_reference_ops import DeformedTwice


class Both(torch.nn.Module):
    def forward(self, x, y):
        return asinh.asinh(my_add.my_add(x, y))


operator = lambda package: package.package.operators[0]
x, model = torch.rand(1, 3, 10, 10), DeformedTwice().eval()
for dynamo, opset in ((False, 11), (False, 17), (True, 18), (True, 25)):
    report = deform_conv2d.verify(model, (x,), opset_version=opset, domain="custom", dynamo=dynamo)
    stock = {"ONNX Runtime", "onnx.reference"} if opset >= 19 else set()
    print(set(report.errors) == {"native kernel", *stock} and max(report.errors.values()) < 1e-5)
print(
    set(my_add.verify(my_add.MyAdd(), (x, x), domain="other").errors)
    == {"ONNX Runtime", "onnx.reference", "native kernel"}
)

# Each in domains of its own and in one they share, where the functions do not count.
folder = Path(tempfile.mkdtemp())
options = onnxruntime.SessionOptions()
for package in (asinh, my_add, deform_conv2d):
    for domain in ("shared", "shared", f"{package.__name__}.1", operator(package).domain):
        assert package.session_options(options, domain=domain) is options
for package, domain, model_, args in (
    (my_add, "shared", Both(), (x, x)),
    (asinh, "asinh.1", Both(), (x, x)),
    (deform_conv2d, "deform_conv2d.1", model, (x,)),
):
    path = folder / "m.onnx"
    package.export(model_, args, path, domain=domain)
    exported = onnx.load(path)
    assert len(exported.functions) == 1  # which refers to the nodes' attributes
    for function in exported.functions:
        del function.node[:]
        first = function.input[0]
        function.node.append(onnx.helper.make_node("Identity", [first], function.output))
    session = onnxruntime.InferenceSession(exported.SerializeToString(), options)
    feeds = {entry.name: x.numpy() for entry in session.get_inputs()}
    with torch.no_grad():
        print(np.allclose(session.run(None, feeds)[0], model_(*args), atol=1e-5))

for domain in ("aten", "ai.onnx", "com.microsoft", "1st", "with space"):
    entry = onnxruntime.SessionOptions()
    entry.add_session_config_entry("onnxop.domains.my_lib::my_add", f"good,{domain}")
    for call, sentence in (
        (lambda: my_add.session_options(domain=domain), "my_lib"),
        (lambda: entry.register_custom_ops_library(my_add.library_path()), "cannot be served"),
    ):
        try:
            call()
        except Exception as error:
            print(domain in str(error) and sentence in str(error))

copy = str(shutil.copy(my_add.library_path(), folder / "copy.so"))
try:
    my_add.session_options().register_custom_ops_library(copy)
except Exception as error:
    said = f"the node my_lib::my_add is already registered by {my_add.library_path()}"
    print(said in str(error))
