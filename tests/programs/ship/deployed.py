# Run by test_what_the_page_says_of_deployed_files of test_ship.py.
import my_add
import numpy as np
import onnx
import onnxruntime
import openvino
import torch
from onnxruntime.transformers import optimizer

LEVEL = onnxruntime.GraphOptimizationLevel
args = torch.rand(2, 3), torch.rand(2, 3)
options = {"domain": "my_lib", "verbose": False}
my_add.export(my_add.MyAdd().eval(), args, "node.onnx", **options)
my_add.export(my_add.MyAdd().eval(), args, "bare.onnx", function_bodies=False, **options)


def nodes(model):
    return [f"{node.domain}::{node.op_type}" for node in model.graph.node]


def saved(path, level, options=None):
    options = options or onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.optimized_model_filepath = "saved.onnx"
    onnxruntime.InferenceSession(path, options)
    return onnx.load("saved.onnx")


# A file that is saved without the library has lost the node for good.
own, standard = ["my_lib::my_add"], ["::Mul", "::Add"]
kept = saved("node.onnx", LEVEL.ORT_ENABLE_BASIC, my_add.session_options())
print(nodes(kept) == own and not kept.functions, nodes(kept))
lost = saved("node.onnx", LEVEL.ORT_ENABLE_BASIC)
print(nodes(lost) == standard, nodes(lost))
print(nodes(optimizer.optimize_model("node.onnx", opt_level=1).model) == standard)
kept = optimizer.optimize_model("node.onnx", opt_level=0).model
print(nodes(kept) == own and len(kept.functions) == 1)

# All optimisations write the layouts of this CPU, the extended ones do not.
convolution = torch.nn.Sequential(torch.nn.Conv2d(16, 16, 3), torch.nn.ReLU()).eval()
torch.onnx.export(convolution, (torch.rand(1, 16, 8, 8),), "convolution.onnx", verbose=False)
layouts = {
    level: any("nchwc" in node for node in nodes(saved("convolution.onnx", level)))
    for level in (LEVEL.ORT_ENABLE_EXTENDED, LEVEL.ORT_ENABLE_ALL)
}
print(not layouts[LEVEL.ORT_ENABLE_EXTENDED])
is_amd64 = "AVX" in torch.backends.cpu.get_cpu_capability()
print(layouts[LEVEL.ORT_ENABLE_ALL] or not is_amd64, layouts)

# OpenVINO computes in bfloat16 where the CPU can, unless it is told not to.
linear, x = torch.nn.Linear(256, 256).eval(), torch.rand(64, 256)
torch.onnx.export(linear, (x,), "linear.onnx", verbose=False)
core, wanted = openvino.Core(), linear(x).detach().numpy()
errors = {}
for hint in ("", "f32"):
    settings = {"INFERENCE_PRECISION_HINT": hint} if hint else {}
    compiled = core.compile_model(core.read_model("linear.onnx"), "CPU", settings)
    errors[hint] = float(np.abs(compiled({0: x.numpy()})[0] - wanted).max())
print(errors["f32"] < 1e-5, errors)
has_bfloat16 = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
print((errors[""] > 1e-4) == has_bfloat16, errors, has_bfloat16)

# The symptoms of the page.
later_ir, later_opset = onnx.load("node.onnx"), onnx.load("convolution.onnx")
later_ir.ir_version = 99
later_opset.opset_import[0].version = 99
bfloat16 = onnx.parser.parse_model(
    '<ir_version: 8, opset_import: ["" : 18]> g (bfloat16[2] x) => (bfloat16[2] y) { y = Mul(x, x) }'
)
missing = onnxruntime.SessionOptions()
calls = [
    lambda: onnxruntime.InferenceSession("bare.onnx"),
    lambda: missing.register_custom_ops_library("./libnone.so"),
    lambda: onnxruntime.InferenceSession(later_ir.SerializeToString()),
    lambda: onnxruntime.InferenceSession(later_opset.SerializeToString()),
    lambda: onnxruntime.InferenceSession(bfloat16.SerializeToString()),
]
for call in calls:
    try:
        call()
    except Exception as error:
        print("message:", " ".join(str(error).split()))
