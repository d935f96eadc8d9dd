# Run by test_register of test_register.py.
import sys
from typing import Any

import torch
from tests.programs.register.start import MODULES, Asinh, nodes, spec

import onnxop_runtime
from onnxop_runtime import register, translation_table, unregister, verify

before = {name for name in MODULES if name in sys.modules}
assert nodes(None) == ["UnsupportedOperatorError"]
made = register(spec("Asinh"))
assert {name for name in MODULES if name in sys.modules} == before
assert nodes(None) == ["Asinh"]
for dynamo in (True, False):
    verify(Asinh(), (torch.linspace(-2.0, 2.0, 5),), dynamo=dynamo)
again = register(spec("Asinh"))  # in its place
assert len(onnxop_runtime.translation_table()) == 1
unregister(made)
assert nodes(None) == ["Asinh"]
unregister(again)
unregister(again)
assert nodes(None) == ["UnsupportedOperatorError"]
assert not translation_table()


# A user's own symbolics, of before and after.
def own(g, x):
    return g.op("Neg", x)


exporter: Any = torch.onnx  # its annotations lack these functions
exporter.register_custom_op_symbolic("aten::asinh", own, 17)
made = register(spec("Asinh"))
assert nodes(None, opset_version=17) == ["Asinh"]
unregister(made)
assert nodes(None, opset_version=17) == ["Neg"]
exporter.unregister_custom_op_symbolic("aten::asinh", 17)
made = register(spec("Asinh"))
exporter.register_custom_op_symbolic("aten::asinh", own, 17)
assert nodes(None, opset_version=17) == ["Neg"]
unregister(made)
assert nodes(None, opset_version=17) == ["Neg"]
print("done")
