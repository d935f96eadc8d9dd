# Run by test_what_stock_runs_runs_with_the_library of test_native.py.
# ruff: noqa: F401
import numpy as np
import onnx
import onnxruntime
import torch


def model_of(forward):
    class Model(torch.nn.Module):
        def forward(self, *tensors):
            return forward(*tensors)

    return Model().eval()


def both(package, path, feeds):
    native = onnxruntime.InferenceSession(path, package.session_options())
    count = sum(counts["cpu"] for counts in package.package.library.served().values())
    stock = onnxruntime.InferenceSession(path)
    pairs = list(zip(native.run(None, feeds), stock.run(None, feeds), strict=True))
    assert all(a.dtype == b.dtype and a.shape == b.shape for a, b in pairs)
    worst = max(abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0) for a, b in pairs)
    return count, float(worst), [a.dtype.name for a, _ in pairs]
