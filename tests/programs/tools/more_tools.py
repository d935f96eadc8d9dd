# Run by test_tools_of_onnx_and_of_the_runtime of test_tools.py.
import deform_conv2d
import my_add
import onnx.compose
import onnxruntime
import torch
from onnxruntime.quantization import quant_pre_process
from tests.programs.tools.model import net, wanted, x


class Twice(torch.nn.Module):
    def forward(self, a):
        return my_add.my_add(a, a)


ones = torch.ones(2, 3)
for name in "ab":
    names = {"input_names": [f"{name}_in"], "output_names": [f"{name}_out"]}
    my_add.export(Twice(), (ones,), f"{name}.onnx", domain="my_lib", verbose=False, **names)


def merged(prepare=lambda a, b: None, **options):
    a, b = onnx.load("a.onnx"), onnx.load("b.onnx")
    prepare(a, b)
    try:
        model = onnx.compose.merge_models(a, b, io_map=[("a_out", "b_in")], **options)
    except ValueError as error:
        return "overlapping local function names" in str(error)
    are_right = []
    for options in (onnxruntime.SessionOptions(), my_add.session_options()):
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        (port,) = session.get_inputs()
        are_right.append(bool((session.run(None, {port.name: ones.numpy()})[0] == 9).all()))
    return are_right, sum(counts["cpu"] for counts in my_add.package.library.served().values())


def take_functions(a, b):
    assert list(a.functions) == list(b.functions)
    del b.functions[:]


print(merged() is True)
print(merged(take_functions, prefix2="b_") == ([True, True], 2))
print(merged(prefix1="a_", prefix2="b_") == ([True, True], 0))

deform_conv2d.export(
    net, (x,), "bare.onnx", domain="deform_conv2d", opset_version=18, verbose=False
)
try:
    quant_pre_process("bare.onnx", "p.onnx")
except Exception as error:
    print("Incomplete symbolic shape inference" in str(error))
quant_pre_process("bare.onnx", "p.onnx", skip_optimization=True, skip_symbolic_shape=True)
session = onnxruntime.InferenceSession("p.onnx", deform_conv2d.session_options())
print(abs(session.run(None, {"x": x.numpy()})[0] - wanted).max() < 1e-5)
