# Run by test_precedence_of_what_is_registered, test_a_package_comes_first of test_register.py.
import importlib
import os

import onnx
import torch
from tests.programs.register.start import Asinh, nodes, spec

import onnxop_runtime

for step in os.environ["ORDER"].split():
    if step == "package":
        importlib.import_module("asinh")
    elif step == "gallery":
        importlib.import_module("onnxop_runtime.gallery")
    else:
        made = onnxop_runtime.register(spec("Neg"))


def names(dynamo, **options):
    onnxop_runtime.export(Asinh(), (x,), "m.onnx", dynamo=dynamo, verbose=False, **options)
    return [node.op_type for node in onnx.load("m.onnx").graph.node]


from onnxscript import opset20


def caller(self):
    return opset20.Abs(self)


x = torch.ones(3)
table = {torch.ops.aten.asinh.default: caller}
has_package = "package" in os.environ["ORDER"]
for dynamo in (True, False):
    assert names(dynamo) == (["Asinh"] if has_package else ["Neg"]), names(dynamo)
assert names(True, custom_translation_table=table) == ["Abs"]
rule = onnxop_runtime.translation_table()[torch.ops.aten.asinh.default]
onnxop_runtime.unregister(made)
gallery = "gallery" in os.environ["ORDER"]
for dynamo in (True, False) if has_package or gallery else ():
    assert "Neg" not in names(dynamo)
if not has_package and not gallery:
    assert nodes(None) == ["UnsupportedOperatorError"]
print("done")
