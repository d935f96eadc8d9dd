# Run by test_where_onnxruntime_is_all_there_is of test_ship.py.

import numpy
import onnxruntime

for name in ("torch", "onnx", "my_add", "onnxop"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{name} is there")
options = onnxruntime.SessionOptions()
options.register_custom_ops_library("./libmy_add_onnxruntime.so")
session = onnxruntime.InferenceSession("node.onnx", options)
a, b = numpy.ones((2, 3), numpy.float32), numpy.full((2, 3), 0.5, numpy.float32)
print(session.run(None, {"a": a, "b": b})[0].tolist() == [[2.5] * 3] * 2)
