# Imported by programs of test_native.py, test_serving.py and test_openvino.py.
import numpy as np
import onnxruntime
import torch


def model_of(forward):
    class Model(torch.nn.Module):
        def forward(self, *tensors):
            return forward(*tensors)

    return Model().eval()


def both(package, path, feeds):
    """Return how many nodes the library computes in a session with it, the largest difference to a
    session without it, and the dtypes of the results.
    """
    native = onnxruntime.InferenceSession(path, package.session_options())
    count = sum(counts["cpu"] for counts in package.package.library.served().values())
    stock = onnxruntime.InferenceSession(path)
    pairs = list(zip(native.run(None, feeds), stock.run(None, feeds), strict=True))
    assert all(a.dtype == b.dtype and a.shape == b.shape for a, b in pairs)
    worst = max(abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0) for a, b in pairs)
    return count, float(worst), [a.dtype.name for a, _ in pairs]
