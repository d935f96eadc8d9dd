# Run by tests of test_runtimes.py.
import json
import sys
from pathlib import Path

import asinh
import deform_conv2d
import my_add
import numpy as np
import onnx
import torch
from tests.programs.models.of_reference_ops import Asinh, DeformedTwice

folder = Path(sys.argv[1])
x, larger = torch.rand(1, 3, 10, 10), torch.rand(2, 3, 9, 12)
axes = {0: "n", 2: "h", 3: "w"}
cases = []
for package, model, inputs, opset in (
    (my_add, my_add.MyAdd(), ["a", "b"], 13),
    (asinh, Asinh(), ["x"], 9),
    (deform_conv2d, DeformedTwice().eval(), ["x"], 17),
    (deform_conv2d, DeformedTwice().eval(), ["x"], 19),
):
    (op,) = package.package.operators
    for domain in (op.domain, "other"):
        path = folder / f"{package.__name__}-{opset}-{domain}.onnx"
        package.export(
            model,
            (x,) * len(inputs),
            path,
            dynamo=False,
            opset_version=opset,
            domain=domain,
            input_names=inputs,
            dynamic_axes={name: axes for name in inputs},
        )
        case = {"model": str(path), "domains": f"onnxop.domains.{op}"}
        case["library"] = package.library_path()
        for number, value in enumerate((x, larger)):
            values = {f"in_{name}": value.numpy() for name in inputs}
            with torch.no_grad():
                np.savez(f"{path}.{number}.npz", out=model(*[value] * len(inputs)), **values)
        cases.append(case)
        exported = onnx.load(path)
        case["has_bodies"] = bool(exported.functions)
        for function in exported.functions:
            del function.node[:]
            first = function.input[0]
            function.node.append(onnx.helper.make_node("Identity", [first], function.output))
        onnx.save(exported, path.with_suffix(".other"))
Path(folder, "cases.json").write_text(json.dumps(cases))
print(len(cases))
