# Run by test_in_openvino of test_openvino.py.
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import many_ops
import numpy as np
import openvino
import torch
from tests.programs.native.both import model_of
from tests.programs.openvino.common import core_of, error_of

x, w = torch.rand(300, 400), torch.rand(400)
forward = lambda x, w: (many_ops.rms_norm(x, w, eps=1 / 3), *many_ops.max_last(x, lowest=True))
options = dict(input_names=["x", "w"], dynamic_axes={"x": [0]}, dynamo=False)
many_ops.export(model_of(forward), (x, w), "m.onnx", domain="my_lib", **options)
core = core_of(many_ops)
compiled = core.compile_model(core.read_model("m.onnx"), "CPU", {"NUM_STREAMS": 2})

wanted = [result.numpy() for result in forward(x, w)]


def work(seed):
    request = compiled.create_infer_request()
    for i in range(40):
        rows = slice(seed, seed + 1 + 37 * i % 200)
        outputs = request.infer([x.numpy()[rows], w.numpy()]).values()
        if not all(
            np.allclose(a, b[rows], 1e-5, 1e-6) for a, b in zip(outputs, wanted, strict=True)
        ):
            return False
    return True


with ThreadPoolExecutor(8) as pool:
    print(all(pool.map(work, range(8))))

# Attributes of all kinds, exactly: text, lists, doubles, numbers that are whole.
forward = lambda x: (
    many_ops.keep_above(x, [2, 1], 1 / 3, "below"),
    many_ops.axps(x, 9),
    many_ops.axps(x, 1e-300),
)
x = torch.rand(20)
domains = {"my_lib::keep_above": "my_lib", "my::axps": "my"}
many_ops.export(model_of(forward), (x,), "m.onnx", domain=domains, dynamo=False)
openvino.save_model(core.read_model("m.onnx"), "m.xml", compress_to_fp16=False)
core = core_of(many_ops)
core.set_property({"CACHE_DIR": "cache"})
print("unsupported opset: my_lib" in error_of(lambda: openvino.Core().read_model("m.xml")))
for file in ("m.xml", "m.xml", "m.onnx"):
    outputs = core.compile_model(file, "CPU")([x.numpy()]).values()
    print(all(np.allclose(a, b.numpy(), 1e-6) for a, b in zip(outputs, forward(x), strict=True)))
text = Path("m.xml").read_text()
Path("m.xml").write_text(text.replace('onnxop_version="3"', 'onnxop_version="2"'))
print("the file's node is of version 2, but this" in error_of(lambda: core.read_model("m.xml")))
