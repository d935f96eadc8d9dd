"""An operator that writes to an argument: in PyTorch, compiled, and in both exporters."""

import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
import writing
from torch.library import opcheck


def expected(x, cache, position):
    result = cache.clone()
    result[:, position : position + x.shape[1]] = x
    return result


x, cache = torch.rand(2, 1, 3), torch.rand(2, 4, 3)
want = expected(x, cache, 2)
version = cache._version
assert writing.append(x, cache, 2) is None
assert torch.equal(cache, want)
assert cache._version > version
fresh = torch.rand(2, 4, 3)
assert torch.equal(writing.append_functional(x, fresh, 1), expected(x, fresh, 1))
view = torch.rand(4, 2, 3).transpose(0, 1)  # not contiguous
want = expected(x, view, 0)
torch.ops.writing.append(x, view, 0)
assert torch.equal(view, want)

for requires_grad in (False, True):
    tensors = [torch.rand(size, requires_grad=requires_grad) for size in ((2, 1, 3), (2, 4, 3))]
    opcheck(torch.ops.writing.append.default, (*tensors, 2))
    opcheck(
        torch.ops.writing.add_out.default,
        [torch.rand(3, requires_grad=requires_grad) for _ in range(3)],
    )
a, b, out = torch.rand(3, 3)
assert writing.add_out(a, b, out) is None and torch.equal(out, a + b)
total = torch.rand(2, 3)
scores = torch.rand(2, 3)
want = total + scores
assert torch.equal(writing.add_to(scores, total), 2 * scores)  # also returns a result
assert torch.equal(total, want)
try:
    writing.add_to(torch.rand(5, 2, 3), total)
except RuntimeError as error:
    assert "total is torch.float32[2, 3], but the kernel writes torch.float32[5, 2, 3]" in str(
        error
    ), error
else:
    sys.exit("a tensor of other sizes is written")


class Decoder(torch.nn.Module):
    """Writes to a buffer twice, and returns it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 4, 3))

    def forward(self, x):
        writing.append(x, self.cache, 0)
        writing.append(2 * x, self.cache, 2)
        return self.cache.sum(1), self.cache


class Lost(torch.nn.Module):
    """Writes to an input."""

    def forward(self, x, cache):
        writing.append(x, cache, 1)
        return cache.sum(1)


class Layers(torch.nn.Module):
    """Writes to a view of an input, one cache for all layers."""

    def forward(self, x, cache):
        writing.append(x, cache[1], 1)
        writing.append(2 * x, cache.flatten(0, 1)[2:], 3)
        return cache * 1.0, cache[1]


def results(file, *inputs):
    session = onnxruntime.InferenceSession(file)
    feeds = {port.name: t.numpy() for port, t in zip(session.get_inputs(), inputs, strict=True)}
    return session.run(None, feeds)


def check(actual, wanted):
    for result, tensor in zip(actual, wanted, strict=True):
        np.testing.assert_allclose(result, tensor.numpy(), rtol=1e-6)


compiled = torch.compile(Decoder(), fullgraph=True, backend="aot_eager")
check([t.detach() for t in compiled(x)], Decoder()(x))
cache, x = torch.rand(2, 4, 3, requires_grad=True), x.requires_grad_()
kept, last = cache * 1.0, 2 * x  # not leaves
writing.append(last, kept, 1)
kept.square().sum().backward()
assert torch.equal(x.grad, 8 * x), x.grad
assert torch.equal(cache.grad, 2 * expected(torch.zeros(2, 1, 3), cache.detach(), 1)), cache.grad
writing.append(x, cache, 1)  # a leaf
try:
    cache.sum().backward()
except NotImplementedError as error:
    told = "writing::append has written to cache, a leaf that requires gradients, which has no gradient then"
    assert told in str(error), error
else:
    sys.exit("a gradient is lost")
x = x.detach()

for dynamo in (True, False):
    for domain in ("", "writing"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            writing.export(
                Decoder().eval(), (x,), "d.onnx", dynamo=dynamo, domain=domain, verbose=False
            )
        check(results("d.onnx", x), Decoder()(x))
        told = [str(w.message) for w in caught if "which the file cannot" in str(w.message)]
        assert len(told) == 1 and told[0].startswith(
            "writing::append writes to cache, an input or"
        ), told
        writing.export(
            Lost().eval(), (x, fresh.clone()), "l.onnx", dynamo=dynamo, domain=domain, verbose=False
        )
        check(results("l.onnx", x, fresh), [Lost()(x, fresh.clone())])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        args = x, fresh.clone()
        torch.onnx.export(Lost().eval(), args, "p.onnx", dynamo=dynamo, verbose=False)
    check(results("p.onnx", x, fresh), [Lost()(x, fresh.clone())])
    told = [str(w.message) for w in caught if "which the file cannot" in str(w.message)]
    assert len(told) == 1, told
    layers = torch.rand(2, 2, 4, 3)
    want = Layers()(x, layers.clone())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        args = x, layers.clone()
        names = ["x", "cache"]
        writing.export(
            Layers().eval(), args, "v.onnx", dynamo=dynamo, input_names=names, verbose=False
        )
    assert torch.equal(args[1], layers)  # the caller's
    check(results("v.onnx", x, layers), want)
    told = [str(w.message) for w in caught if "which the file cannot" in str(w.message)]
    assert len(told) == 1, told
    writing.verify(Layers().eval(), args, dynamo=dynamo, input_names=names, verbose=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.onnx.export(
            Layers().eval(), args, "v.onnx", dynamo=dynamo, input_names=names, verbose=False
        )
    told = [str(w.message) for w in caught if "writes nothing back" in str(w.message)]
    assert len(told) == (0 if dynamo else 1), told
    nodes = {(node.domain, node.op_type): node for node in onnx.load("l.onnx").graph.node}
    assert len(nodes["writing", "append"].output) == 1, nodes
print("done")
