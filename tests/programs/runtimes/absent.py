# Run by export of test_runtimes.py.
import json
import sys
from pathlib import Path

import max_last
import numpy as np
from onnx import helper

folder = Path(sys.argv[1])
x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
np.savez(folder / "absent.npz", x=x, values=x.max(-1), indices=x.argmax(-1))
kinds = {"values": 1, "indices": 7}
models = []
for number, outputs in enumerate(
    (["values", "indices"], ["values"], ["values", ""], ["", "indices"])
):
    node = helper.make_node("max_last", ["x"], outputs, domain="my_lib")
    input_of_graph = helper.make_tensor_value_info("x", 1, ["n", 4])
    outputs_of_graph = [
        helper.make_tensor_value_info(name, kinds[name], None) for name in outputs if name
    ]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", 1)]
    graph = helper.make_graph([node], "g", [input_of_graph], outputs_of_graph)
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    models.append(str(folder / f"absent{number}.onnx"))
    Path(models[-1]).write_bytes(model.SerializeToString())
paths = {"models": models, "library": max_last.library_path()}
Path(folder, "absent.json").write_text(json.dumps(paths))
