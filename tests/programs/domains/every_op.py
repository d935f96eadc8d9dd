# Run by test_models_with_domains_are_right of test_domains.py.
import asinh
import deform_conv2d
import dynamic_resize
import my_add
import torch
from tests.programs.models.of_reference_ops import Asinh, Deformed

x, scales = torch.rand(1, 3, 8, 8), torch.tensor([1, 1, 2.0, 1.5])
models = [
    (my_add, my_add.MyAdd(), (x, x), "my_lib", 13),
    (asinh, Asinh(), (x,), "asinh", 9),
    (deform_conv2d, Deformed().eval(), (x,), "deform_conv2d", 19),
    (dynamic_resize, dynamic_resize.Resize(), (x, scales), "dynamic_resize", 11),
]
for package, model, args, domain, first in models:
    for dynamo, opsets in ((False, {9, first, 23}), (True, {18, 25})):
        for opset in sorted(opsets):
            errors = package.verify(
                model, args, dynamo=dynamo, opset_version=opset, domain=domain
            ).errors
            runtimes = {"ONNX Runtime", "onnx.reference"} if opset >= first else set()
            if hasattr(package, "library_path"):
                runtimes.add("native kernel")
            assert set(errors) == runtimes, (package, opset, errors)
            assert max(errors.values(), default=0) < 1e-5, (package, opset, errors)
    print(True)
