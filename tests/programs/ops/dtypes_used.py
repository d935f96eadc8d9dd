# Run by test_dtypes of test_ops.py.
import many_ops
import torch

x, y, scale = torch.rand(3, 4), torch.rand(4), torch.tensor(2.0)
slope = torch.func.jvp(lambda scale: many_ops.norms(scale, [x, y]), (scale,), (torch.tensor(3.0),))[
    1
]
print(torch.allclose(slope, 3.0 * many_ops.norms(torch.tensor(1.0), [x, y])))
wide = x.double().requires_grad_()
for call in (many_ops.swish, lambda wide: many_ops.norms(scale.double(), [wide])):
    print(torch.autograd.gradgradcheck(call, wide, check_fwd_over_rev=True))
lengths = lambda scale: many_ops.norms(scale, [x.double()])
print(
    torch.autograd.gradgradcheck(lengths, scale.double().requires_grad_(), check_fwd_over_rev=True)
)
rows, others = (torch.rand(n, 4).half().requires_grad_() for n in (3, 2))
many_ops.squared_distances(
    rows, others
).sum().backward()  # by the reference: the kernel has no float16
wanted = 2 * (rows.detach()[:, None] - others.detach()).sum(1)
print(rows.grad.dtype, torch.allclose(rows.grad, wanted, atol=0.01))
try:  # results of two sizes
    torch.vmap(many_ops.keep_above)(torch.tensor([[0.0, 1.0, 2.0, 0.0], [0.0, -1.0, 2.0, 0.0]]))
except RuntimeError as error:
    print(
        "vmap needs results of one shape, but those of this batch have [(1,), (2,)]" in str(error)
    )
with torch.autocast("cpu", torch.bfloat16):
    for weight in (y.bfloat16(), y, y.double()):
        means, lengths = (
            many_ops.mean_and_spread(x.bfloat16(), weight)[0],
            many_ops.norms(scale, [x, weight]),
        )
        added, *_ = many_ops.squared_distances(x.bfloat16(), weight.expand(2, 4))
        print(means.dtype, lengths.dtype, added.dtype)
    batch = torch.rand(2, 3, 4)
    print(
        torch.vmap(lambda x: many_ops.mean_and_spread(x, y.bfloat16())[0])(batch.bfloat16()).dtype
    )
    print(torch.vmap(lambda x: many_ops.norms(scale, [x]))(batch).dtype)
