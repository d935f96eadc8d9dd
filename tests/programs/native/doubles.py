# Run by test_what_stock_runs_runs_with_the_library of test_native.py.
import many_ops
import numpy as np
import onnx
import onnxruntime
import torch
from onnx.reference import ReferenceEvaluator
from tests.programs.native.both import model_of


def forward(x, w):
    scaled = [many_ops.axpby(x, x, x, alpha, flip=True) for alpha in (1 / 3, 0.5, 16777217.0, huge)]
    result = many_ops.weighted_totals(w, [x, x, x], offset=0.1)[0]
    return (
        *scaled,
        many_ops.rms_norm(x, w, eps=0.1),
        many_ops.rms_norm(x, w, eps=float(np.float32(0.1))),
        result,
    )


model = model_of(forward)
for dynamo in (True, False):
    for dtype, wanted, digits in ((torch.float64, 6, 1e-15), (torch.float32, 0, 1e-6)):
        huge = 1e300 if wanted else 2.0
        args = [torch.rand(5, 3, dtype=dtype) + 1, torch.rand(3, dtype=dtype) + 1]
        many_ops.export(
            model, tuple(args), "m.onnx", domain="d", dynamo=dynamo, input_names=["x", "w"]
        )
        exported, feeds = onnx.load("m.onnx"), {"x": args[0].numpy(), "w": args[1].numpy()}
        exact = [
            a.s
            for n in exported.graph.node
            for a in n.attribute
            if a.name.startswith("onnxop_float64_")
        ]
        options = many_ops.session_options(domain="d")
        sessions = (
            onnxruntime.InferenceSession("m.onnx"),
            onnxruntime.InferenceSession("m.onnx", options),
        )
        for session in (*sessions, ReferenceEvaluator("m.onnx")):
            pairs = zip(session.run(None, feeds), model(*args), strict=True)
            worst = max(abs(result / value.numpy() - 1).max() for result, value in pairs)
            print(
                worst < digits and len(exact) == wanted and len(exported.functions) == 3,
                worst,
                exact,
            )

# Beside what was changed by hand, it is no longer the number.
node = next(n for n in exported.graph.node if n.op_type == "rms_norm")
node.attribute.add(name="onnxop_float64_eps", type="STRING", s=b"0.2")
onnx.save(exported, "m.onnx")
try:
    print(not onnxruntime.InferenceSession("m.onnx", options))
except Exception as error:
    expected = "the attribute onnxop_float64_eps must be the numbers that round to eps in float32, but is '0.2'"
    print(expected in str(error), error)
