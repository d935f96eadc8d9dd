# Run by test_as_mamba_calls_it of test_vision_ops.py.
import itertools

import onnxruntime
import torch
import torch.nn.functional as F
import vision_ops
from onnxruntime import OrtValue

torch.manual_seed(0)


def formula(args, state=None):
    """Compute the scan and its last state in float64, by equation 2 of arXiv 2312.00752."""
    u, delta, A, B, C, D, z, bias = args
    dtype = u.dtype
    u, delta, A, B, C = (t.double() for t in (u, delta, A, B, C))
    delta = F.softplus(delta + bias.double()[:, None])
    if B.dim() == 4:
        times = u.shape[1] // B.shape[1]
        B, C = (torch.repeat_interleave(t, times, 1) for t in (B, C))
    else:
        B, C = (t[:, None].expand(-1, u.shape[1], -1, -1) for t in (B, C))
    decays = torch.einsum("bdl,dn->lbdn", delta, A).exp()
    inputs = torch.einsum("bdl,bdnl,bdl->lbdn", delta, B, u)
    x = torch.zeros_like(decays[0]) if state is None else state.double()
    ys = []
    for decay, given, c in zip(decays, inputs, C.unbind(3), strict=True):
        x = decay * x + given
        ys.append(torch.einsum("bdn,bdn->bd", x, c))
    y = torch.stack(ys, 2) + D.double()[:, None] * u
    y = y * F.silu(z.double())
    return y.to(dtype), x


def arguments(dtype, parameters, groups, length=9, batch=2, channels=20, states=4):
    """Return what a Mamba block passes: u, delta, A, B, C, D, z, delta_bias."""
    shape = (batch, states, length) if groups is None else (batch, groups, states, length)
    wide = batch, channels, length
    return [
        torch.randn(wide).to(dtype),
        torch.randn(wide).to(dtype),
        -torch.rand(channels, states).to(parameters) - 0.1,
        torch.randn(shape).to(dtype),
        torch.randn(shape).to(dtype),
        torch.randn(channels).to(parameters),
        torch.randn(wide).to(dtype),
        torch.randn(channels).to(parameters),
    ]


TOLERANCE = {torch.bfloat16: 2e-2, torch.float16: 3e-3, torch.float32: 1e-4, torch.float64: 1e-10}
DTYPES = (
    (torch.bfloat16, torch.float32),
    (torch.float16, torch.float32),
    (torch.bfloat16, torch.bfloat16),
    (torch.float32, torch.float32),
    (torch.float32, torch.float64),
)


def close(actual, expected, dtype):
    tolerance = TOLERANCE[dtype]
    expected = expected.to(actual.dtype)
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


for (dtype, parameters), groups in itertools.product(DTYPES, (None, 1, 2, 20)):
    args = arguments(dtype, parameters, groups)
    state = torch.randn(2, 20, 4).to(parameters)
    for call, scan, start in (
        ("last state", vision_ops.selective_scan_with_state, state),
        ("scan", vision_ops.selective_scan, None),
    ):
        leaves = [t.clone().requires_grad_() for t in args]
        doubles = [t.double().requires_grad_() for t in args]
        options = {} if start is None else {"initial_state": start}
        out = scan(*leaves, True, **options)
        expected, last = formula(doubles, start)
        if start is not None:
            out, actual_state = out
            assert actual_state.dtype == parameters, call
            close(actual_state, last, parameters)
        assert out.dtype == dtype, call
        close(out, expected, dtype)
        weights = torch.rand_like(expected).to(dtype)
        grads = torch.autograd.grad(out, leaves, weights)
        wanted = torch.autograd.grad(expected, doubles, weights.double())
        for leaf, grad, want in zip(leaves, grads, wanted, strict=True):
            assert grad.dtype == leaf.dtype
            error = (grad.double() - want).abs().max() / want.abs().max()
            assert error < TOLERANCE[min(dtype, leaf.dtype, key=lambda d: d.itemsize)], (
                call,
                error,
            )

# Autocast changes nothing: neither the dtypes, nor the values.
args = arguments(torch.bfloat16, torch.float32, 2)
with torch.autocast("cpu", torch.bfloat16):
    y, last = vision_ops.selective_scan_with_state(*args, True)
assert y.dtype == torch.bfloat16 and last.dtype == torch.float32
torch.testing.assert_close(y, vision_ops.selective_scan(*args, True), rtol=0, atol=0)

# The last state has gradients, too, and so has the first one.
args = arguments(torch.float64, torch.float64, 2, length=70, channels=2, states=3)
state = torch.randn(2, 2, 3).double()
inputs = [t.requires_grad_() for t in (*args, state)]


def both(*tensors):
    *tensors, state = tensors
    return vision_ops.selective_scan_with_state(*tensors, True, initial_state=state)


results = both(*inputs), formula(inputs[:-1], inputs[-1])
grads = [torch.autograd.grad([*r], inputs, [torch.ones_like(t) for t in r]) for r in results]
torch.testing.assert_close(*grads)

# The parts of a sequence, and step by step, as a decoder calls it.
*args, state = (t.detach() for t in inputs)
whole, final = both(*args, state)
tensors = dict(zip("u delta A B C D z delta_bias".split(), args, strict=True))
for ends in ((0, 30, 70), range(71)):
    x, ys = state, []
    for first, last in itertools.pairwise(ends):
        part = [t[..., first:last] if t.dim() > 2 else t for t in args]
        y, x = both(*part, x)
        ys.append(y)
    torch.testing.assert_close(torch.cat(ys, 2), whole)
    torch.testing.assert_close(x, final)


class Parameters(torch.nn.Module):
    """Parameters in float32, of a model in any dtype."""

    def __init__(self, channels=6, states=4):
        super().__init__()
        self.A = torch.nn.Parameter(-torch.rand(channels, states) - 0.1)
        self.D = torch.nn.Parameter(torch.randn(channels))
        self.bias = torch.nn.Parameter(torch.randn(channels))


class Decoder(Parameters):
    def forward(self, u, delta, B, C, z, state):
        arguments = u, delta, self.A, B, C, self.D, z, self.bias, True
        return vision_ops.selective_scan_with_state(*arguments, state)


class Scan(Parameters):
    def forward(self, u, delta, B, C, z):
        return vision_ops.selective_scan(u, delta, self.A, B, C, self.D, z, self.bias, True)


def value_of(tensor):
    if tensor.dtype == torch.bfloat16:
        array = tensor.contiguous().view(torch.int16).numpy()
        return OrtValue.ortvalue_from_numpy_with_onnx_type(array, 16)
    return OrtValue.ortvalue_from_numpy(tensor.contiguous().numpy())


def run(session, tensors):
    """Return what a session computes, also of bfloat16, which NumPy lacks."""
    binding = session.io_binding()
    for port, tensor in zip(session.get_inputs(), tensors, strict=True):
        binding.bind_ortvalue_input(port.name, value_of(tensor))
    for port in session.get_outputs():
        binding.bind_output(port.name)
    session.run_with_iobinding(binding)
    values = (value._ortvalue.to_dlpack() for value in binding.get_outputs())
    return [torch.utils.dlpack.from_dlpack(value).clone() for value in values]


def calls(dtype, groups):
    """Return the inputs of the first call and of the next, a single step."""
    for length in (5, 1):
        u, delta, _, B, C, _, z, _ = arguments(dtype, torch.float32, groups, length, channels=6)
        yield [u, delta, B, C, z]


def sessions_of(model, inputs, dynamo, domain):
    names = ["u", "delta", "B", "C", "z", "state"][: len(inputs)]
    axes = {name: {inputs[i].dim() - 1: "l"} for i, name in enumerate(names[:5])}
    length = torch.export.Dim("l")
    shapes = {n: {d: length for d in axes.get(n, {})} for n in names}
    dynamic = {"dynamic_shapes": shapes} if dynamo else {"dynamic_axes": axes}
    vision_ops.export(
        model, tuple(inputs), "model.onnx", dynamo=dynamo, domain=domain, opset_version=18,
        input_names=names, verbose=False, **dynamic,
    )  # fmt: skip
    for options in [onnxruntime.SessionOptions()] + [vision_ops.session_options()] * bool(domain):
        options.log_severity_level = 3
        yield onnxruntime.InferenceSession("model.onnx", options, ["CPUExecutionProvider"])


for dtype, groups, dynamo, domain in itertools.product(
    (torch.bfloat16, torch.float32), (None, 2), (False, True), ("", "vision_ops")
):
    for model in (Decoder(), Scan()):
        has_state = type(model) is Decoder
        first, step = calls(dtype, groups)
        state = [torch.randn(2, 6, 4)] if has_state else []
        for session in sessions_of(model, first + state, dynamo, domain):
            given = state
            for tensors in (first, step):
                with torch.no_grad():
                    expected = model(*tensors, *given)
                expected = expected if has_state else (expected,)
                actual = run(session, [*tensors, *given])
                for one, other in zip(actual, expected, strict=True):
                    assert one.dtype == other.dtype
                    close(one, other, dtype)
                given = actual[1:]
print("done")
