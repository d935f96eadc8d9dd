# Run by test_one_library_serves of test_runtimes.py.
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime


def agrees(session, model):
    for number in range(2):
        values = np.load(f"{model}.{number}.npz")
        feeds = {name[3:]: values[name] for name in values.files if name != "out"}
        (actual,) = session.run(None, feeds)
        assert actual.shape == values["out"].shape, (model, actual.shape)
        assert abs(actual - values["out"]).max() < 1e-5, model
    return True


def session(path, options):
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


cases = json.loads(Path(sys.argv[1], "cases.json").read_text())
everything = onnxruntime.SessionOptions()
for case in cases:
    model, library = case["model"], case["library"]
    if case["has_bodies"]:
        try:
            stock = session(model, onnxruntime.SessionOptions())
        except Exception as error:  # older releases have no DeformConv
            assert "implementation for DeformConv" in str(error), error
        else:
            assert agrees(stock, model)
    native = onnxruntime.SessionOptions()
    native.add_session_config_entry(case["domains"], "other")
    for _ in range(2):
        native.register_custom_ops_library(library)
    if "-other" in model:
        everything.add_session_config_entry(case["domains"], "other")
    everything.register_custom_ops_library(library)
    other = Path(model).with_suffix(".other")
    for options in (native, everything):
        assert agrees(session(str(other), options), model)
    del native, options
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: agrees(session(str(other), everything), model), range(8)))
    if "my_add" in model:
        feeds = {"a": np.ones((1, 3, 4, 5), np.float32), "b": np.ones((1, 3, 4, 6), np.float32)}
        try:
            session(str(other), everything).run(None, feeds)
        except Exception as error:
            assert "cannot be broadcast together" in str(error), error
        else:
            raise AssertionError("wrong sizes are accepted")
absent = json.loads(Path(sys.argv[1], "absent.json").read_text())
wanted = np.load(Path(sys.argv[1], "absent.npz"))
for model in absent["models"]:
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(absent["library"])
    ran = session(model, options)
    names = [output.name for output in ran.get_outputs()]
    for name, actual in zip(names, ran.run(None, {"x": wanted["x"]})):
        assert np.array_equal(actual, wanted[name]), (model, name)
        assert actual.dtype == wanted[name].dtype
print(onnxruntime.__version__, len(cases))
