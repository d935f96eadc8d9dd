# Run by test_one_domain_of_two_abis, test_domains_of_two_abis of test_abi.py.
import os
from importlib.util import find_spec

import my_add
import numpy as np
import onnx
import onnxruntime

folder = os.path.dirname(find_spec("later").origin)
paths = {"my_add": my_add.library_path(), "later": f"{folder}/liblater_onnxruntime.so"}
text = """<ir_version: 8, opset_import: ["" : 18, "my_lib" : 1, "later_lib" : 1]>
    g (float[2] x, float[2] z) => (float[2] y) { w = my_lib.my_add(x, z)
    y = later_lib.later(w, z) }"""
model = onnx.parser.parse_model(text).SerializeToString()


def run(first, second, entries):
    options = onnxruntime.SessionOptions()
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    try:
        options.register_custom_ops_library(paths[first])
        options.register_custom_ops_library(paths[second])
    except Exception as error:
        print("refused:", error)
        return
    session = onnxruntime.InferenceSession(model, options)
    x = np.float32([1, 2])
    print("ran:", session.run(None, {"x": x, "z": x})[0].tolist())


def both(entries):
    run("my_add", "later", entries)
    run("later", "my_add", entries)
