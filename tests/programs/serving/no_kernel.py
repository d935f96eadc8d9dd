# Run by test_what_is_served of test_serving.py.
import warnings

import many_ops
import onnxruntime
import torch
from tests.programs.native.both import model_of

forward = lambda x: (many_ops.quick_gelu(x), many_ops.quick_gelu(x.t()), many_ops.axps(x, 0.5))
for dtype, wanted in (
    (torch.bfloat16, ["my::axps", "my_lib::quick_gelu"]),
    (torch.float16, []),
    (torch.float64, []),
):
    for dynamo in (True, False):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            options = dict(domain="d", dynamo=dynamo, verbose=False)
            many_ops.export(model_of(forward), (torch.rand(2, 3).to(dtype),), "m.onnx", **options)
        said = sorted(
            str(warning.message) for warning in caught if "no CPU kernel" in str(warning.message)
        )
        print([message.partition(": ")[0] for message in said] == wanted, said)
        print(all("CPU kernel for Mul(14) in bfloat16" in message for message in said))
        print(
            ["library is not registered" in message for message in said]
            == [True, False][: len(wanted)]
        )
        try:
            onnxruntime.InferenceSession("m.onnx")
            print(not wanted)
        except Exception as error:
            print(bool(wanted) and "Mul(14)" in str(error), error)
