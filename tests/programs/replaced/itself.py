# Run by test_a_package_calls_the_original of test_replaced.py.
import many_ops
import onnxruntime
import own_gelu
import torch
import torch.nn.functional as F

import onnxop_runtime
from onnxop_runtime import replaced

REPLACED = {
    "torch.nn.functional.gelu": lambda input, approximate: own_gelu.own_gelu(input),
    "torch.nn.functional.group_norm": many_ops.group_norm_silu,
}


class Net(torch.nn.Module):
    """Calls both functions; only of gelu the operator computes the same."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(4))

    def forward(self, x):
        x = F.gelu(x, approximate="tanh")
        return F.group_norm(x, 2, self.scale, self.scale)


class Wanted(Net):
    def forward(self, x):
        return F.silu(super().forward(x))


net, x = Net().eval(), torch.rand(3, 4, 5)
wanted = Wanted().eval()
wanted.load_state_dict(net.state_dict())


def derivatives(model, dtype):
    """Return the result, the gradient and the tangent of a model."""
    given = x.to(dtype).requires_grad_()
    model = model.to(dtype)
    result = model(given)
    (gradient,) = torch.autograd.grad(result.square().sum(), [given])
    tangent = torch.func.jvp(model, (given.detach(),), (given.detach(),))[1]
    model.float()
    return result, gradient, tangent


for dtype in (torch.float32, torch.bfloat16):
    expected = derivatives(wanted, dtype)
    with replaced(REPLACED):
        actual = derivatives(net, dtype)
    torch.testing.assert_close(
        actual, expected, atol=0.02 if dtype is torch.bfloat16 else 1e-4, rtol=1e-2
    )

expected = wanted(x)
with replaced(REPLACED):
    compiled = torch.compile(net, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), expected)
    for dynamo in (False, True):
        for domain in ("", {"own::own_gelu": "own", "my_lib::group_norm_silu": "my_lib"}):
            options = {"dynamo": dynamo, "domain": domain, "opset_version": 21, "verbose": False}
            onnxop_runtime.export(net, (x,), "net.onnx", **options)
            session = onnxruntime.InferenceSession("net.onnx", many_ops.session_options())
            (port,) = session.get_inputs()
            (result,) = session.run(None, {port.name: x.detach().numpy()})
            torch.testing.assert_close(
                torch.from_numpy(result), expected.detach(), atol=1e-5, rtol=1e-4
            )
print("done")
