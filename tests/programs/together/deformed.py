# Run by test_packages_work_in_one_process of test_together.py.
import tempfile
from pathlib import Path

import deform_conv2d
import torch
from tests.programs.models.of_reference_ops import Deformed

model, x = Deformed().eval(), torch.rand(1, 3, 10, 10)
for dynamo, opsets in ((False, (19, 23)), (True, (19, 25))):
    for opset in opsets:
        report = deform_conv2d.verify(
            model,
            (x,),
            dynamo=dynamo,
            opset_version=opset,
            dynamic_axes={"x": {0: "n", 2: "h", 3: "w"}},
            others=[(torch.rand(2, 3, 8, 7),)],
        )
        print(report.opset == opset and report.errors["ONNX Runtime"] < 1e-5)

folder = Path(tempfile.mkdtemp())
for dynamo in (True, False):
    for opset in (11, 13, 18):
        try:
            deform_conv2d.export(model, (x,), folder / "x.onnx", dynamo=dynamo, opset_version=opset)
        except ValueError as error:
            print("use opset_version=19" in str(error) and not list(folder.iterdir()))

torch.onnx.export(model, (x,), folder / "plain.onnx", dynamo=False, opset_version=19)
import onnx
import onnxruntime

nodes = [node.op_type for node in onnx.load(folder / "plain.onnx").graph.node]
print("DeformConv" in nodes)

# As torchvision's, and differentiable in its own name.
torch.manual_seed(0)
own = lambda *args: torch.ops.deform_conv2d.deform_conv2d(*args)
theirs = lambda *args: torch.ops.torchvision.deform_conv2d(*args)
numbers = (2, 1, 1, 2, 1, 2, 2, 2, True)
for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-10)):
    sizes = (2, 8, 11, 13), (6, 4, 3, 3), (2, 36, 6, 13), (2, 18, 6, 13), (6,)
    tensors = [torch.randn(size, dtype=dtype).requires_grad_() for size in sizes]
    results = [function(*tensors, *numbers) for function in (own, theirs)]
    grad = torch.randn_like(results[0])
    gradients = [torch.autograd.grad(result, tensors, grad) for result in results]
    for actual, wanted in zip((results[0], *gradients[0]), (results[1], *gradients[1])):
        print((actual - wanted).abs().max().item() <= tolerance * wanted.abs().max().item())


# Halves are computed in float, and rounded once; bits depend on no number of threads.
def with_gradients(function, tensors, grad):
    result = function(*tensors, *numbers)
    return [result, *torch.autograd.grad(result, tensors, grad)]


for dtype, tolerance in ((torch.float16, 2**-10), (torch.bfloat16, 2**-7), (torch.float32, 1e-5)):
    halves = [tensor.detach().to(dtype).requires_grad_() for tensor in tensors]
    wide = [tensor.detach().float().requires_grad_() for tensor in halves]
    torch.set_num_threads(1)
    actual = with_gradients(own, halves, grad.to(dtype))
    torch.set_num_threads(3)
    again = with_gradients(own, halves, grad.to(dtype))
    print(all(map(torch.equal, actual, again)))
    wanted = with_gradients(theirs, wide, grad.to(dtype).float())
    print(
        all(
            one.dtype == dtype and (one - other).abs().max() <= tolerance * other.abs().max()
            for one, other in zip(actual, wanted)
        )
    )

# In ONNX Runtime, too, whose own DeformConv knows no halves.
from onnx import TensorProto, helper

names = [
    "stride_h",
    "stride_w",
    "pad_h",
    "pad_w",
    "dilation_h",
    "dilation_w",
    "groups",
    "offset_groups",
    "use_mask",
]
node = helper.make_node(
    "deform_conv2d",
    list("xwomb"),
    ["y"],
    domain="deform_conv2d",
    **dict(zip(names, map(int, numbers))),
)
for dtype, element in ((torch.float16, TensorProto.FLOAT16), (torch.float32, TensorProto.FLOAT)):
    values = [tensor.detach().to(dtype) for tensor in tensors]
    inputs = [helper.make_tensor_value_info(n, element, v.shape) for n, v in zip("xwomb", values)]
    graph = helper.make_graph(
        [node], "g", inputs, [helper.make_tensor_value_info("y", element, None)]
    )
    imports = [helper.make_opsetid("", 19), helper.make_opsetid("deform_conv2d", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(),
        deform_conv2d.session_options(),
    )
    (actual,) = session.run(None, {n: v.numpy() for n, v in zip("xwomb", values)})
    print(torch.equal(torch.tensor(actual), own(*values, *numbers)))
