# Run by test_models_with_domains_are_right of test_domains.py.
import gc
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asinh
import my_add
import numpy as np
import onnxruntime
import torch


class Both(torch.nn.Module):
    def forward(self, x, y):
        return asinh.asinh(my_add.my_add(x, y))


path = Path(tempfile.mkdtemp(), "m.onnx")
x = torch.rand(50, 40)
my_add.export(Both(), (x, x), path, domain="my_lib")


def session():
    options = asinh.session_options(my_add.session_options(my_add.session_options()))
    return onnxruntime.InferenceSession(path, options)


kept = session()
gc.collect()
wanted = torch.asinh(3 * x).numpy()
run = lambda s: np.allclose(s.run(None, {"x": x.numpy(), "y": x.numpy()})[0], wanted, atol=1e-6)
print(run(kept))
with ThreadPoolExecutor(8) as pool:
    print(all(pool.map(lambda _: run(session()), range(40))))
