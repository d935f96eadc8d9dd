# Run by test_what_a_model_says of test_models.py.
import json

import my_add
import onnx
import torch

x = torch.rand(2, 3)
for dynamo in (True, False):
    for domain in ("", "my_lib"):
        files = []
        for _ in range(2):
            my_add.export(
                my_add.MyAdd(), (x, x), "m.onnx", dynamo=dynamo, domain=domain, verbose=False
            )
            files.append(open("m.onnx", "rb").read())
        model = onnx.load("m.onnx")
        facts = {
            "is_same": files[0] == files[1],
            "ir_version": model.ir_version,
            "metadata": {entry.key: entry.value for entry in model.metadata_props},
            "docs": [function.doc_string for function in model.functions],
        }
        print(json.dumps([domain, facts]))
