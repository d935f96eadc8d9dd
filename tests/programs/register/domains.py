# Run by test_register of test_register.py.
import importlib

import onnx
import onnxruntime
import torch
from tests.programs.register.start import Asinh, spec

from onnxop_runtime import export, register, unregister

x = torch.linspace(-2.0, 2.0, 5)
for text, options in (
    (spec("Asinh"), {"domain": "acme"}),
    (spec("Asinh", 'domain = "acme"'), {}),
    (spec("Asinh", 'domain = "acme"\nop_type = "ArSinh"\nversion = 3'), {}),
):
    made = register(text)
    for dynamo in (True, False):
        export(Asinh(), (x,), "m.onnx", dynamo=dynamo, verbose=False, **options)
        model = onnx.load("m.onnx")
        kind = "ArSinh" if "ArSinh" in text else "asinh"
        assert [(n.domain, n.op_type) for n in model.graph.node] == [("acme", kind)], (
            model.graph.node
        )
        assert [f.name for f in model.functions] == [kind]
        versions = {entry.domain: entry.version for entry in model.opset_import}
        assert versions["acme"] == (3 if "ArSinh" in text else 1)
        session = onnxruntime.InferenceSession("m.onnx")
        [output] = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        torch.testing.assert_close(torch.from_numpy(output), torch.asinh(x))
    unregister(made)

importlib.import_module("onnxop_runtime.gallery")  # of whose operators many can be no node
made = register(spec("Asinh"))
export(Asinh(), (x,), "m.onnx", verbose=False, domain={"aten::asinh": "acme"})
assert [node.domain for node in onnx.load("m.onnx").graph.node] == ["acme"]
print("done")
