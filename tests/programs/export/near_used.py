# Run by test_numbers_next_to_0_and_1 of test_export.py.
import warnings

warnings.simplefilter("ignore")
import near
import numpy
import onnx
import onnxruntime
import torch


class Own(torch.nn.Module):
    def forward(self, x):
        return near.near(x)


class Stock(torch.nn.Module):
    def forward(self, x):
        return torch.log(x + 1e-9) + ((x + 1) * 1.000001 - 1) * 1e6


def check(model, export, x, **options):
    export(model.eval(), (x,), "m.onnx", input_names=["x"], verbose=False, **options)
    onnx.checker.check_model("m.onnx", full_check=True)
    if x.dtype != torch.bfloat16:  # ONNX Runtime has no Log of bfloat16
        session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
        [actual] = session.run(None, {"x": x.numpy()})
        numpy.testing.assert_allclose(actual, model(x), rtol=1e-5)


table = {"custom_translation_table": near.translation_table()}
for dtype in (torch.float32, torch.float64, torch.bfloat16):
    is_first = dtype == torch.float32
    for sizes in ([], [2, 1]) if is_first else ([],):
        x = torch.zeros(sizes, dtype=dtype)
        for opset in (18, 23) if is_first else (23,):
            check(Own(), torch.onnx.export, x, dynamo=True, opset_version=opset, **table)
            check(Own(), near.export, x, opset_version=opset)
            check(Own(), torch.onnx.export, x, dynamo=False, opset_version=opset)
        if is_first:
            check(Stock(), near.export, x)
print("done")
