# Run by tried of runtime_ops.py.
import json
import pickle
import sys

import onnxruntime

options = onnxruntime.SessionOptions()
options.log_severity_level = 4
options.intra_op_num_threads = 1
is_run: dict[str, bool | None] = {}
for key, models in pickle.load(open(sys.argv[1], "rb")).items():
    is_run[key] = None
    for model in models:
        try:
            onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            said = str(error)
            if type(error).__name__ == "NotImplemented":
                is_run[key] = False
            continue
        is_run[key] = True
        break
print(json.dumps([onnxruntime.__version__, is_run]))
