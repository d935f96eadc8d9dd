# Run by test_what_is_served of test_serving.py.
import onnx
import onnxruntime
import torch
from tests.programs.native.both import model_of

import onnxop_runtime

torch.library.define("s_lib::blend", "(Tensor x, float[] weights) -> Tensor")


@torch.library.impl("s_lib::blend", ("CPU", "Meta"))
def blend(x, weights):
    return x * weights[0] + weights[1]


onnxop_runtime.register("""
[op]
schema = "s_lib::blend(Tensor x, float[] weights) -> Tensor"
[onnx]
opset = 18
mapping = "op.Add(op.Mul(x, weights[0]), weights[1])"
""")
x = torch.rand(4, dtype=torch.float64)
model = model_of(
    lambda x: (torch.ops.s_lib.blend(x, [1 / 3, 1e300]), torch.ops.s_lib.blend(x, [0.1, 5e-324]))
)
for domain in ("", "s_lib"):
    for dynamo in (True, False):
        options = dict(domain=domain, dynamo=dynamo, opset_version=18, verbose=False)
        onnxop_runtime.export(model, (x,), "m.onnx", input_names=["x"], **options)
        outputs = onnxruntime.InferenceSession("m.onnx").run(None, {"x": x.numpy()})
        worst = max(abs(a / b.numpy() - 1).max() for a, b in zip(outputs, model(x), strict=True))
        print(worst < 1e-15 and bool(onnx.load("m.onnx").functions) == bool(domain), worst)
