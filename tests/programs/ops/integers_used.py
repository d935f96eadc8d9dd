# Run by test_integers of test_ops.py, with the functions that it tests as arguments: package.function.
import importlib
import sys

import torch

index, keep = torch.tensor([2, 0, 2]), torch.tensor([True, False, True])
wanted = torch.tensor([0.0, 0.0, 2.0, 0.0]).double()  # row 2 is kept twice


def check(name, dtype):
    """Check the derivatives of the table, by every way to ask for them."""
    module, function = name.split(".")
    picked = getattr(importlib.import_module(module), function)
    table = torch.arange(8.0).reshape(4, 2).to(dtype)
    call = lambda table: picked(table, index, keep)
    slope = wanted.to(dtype)[:, None].expand(4, 2)

    leaf = table.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(call(leaf).sum(), [leaf])
    assert gradient.equal(slope), (name, dtype, gradient)
    assert torch.func.grad(lambda table: call(table).sum())(table).equal(slope)
    assert torch.func.jvp(call, (table,), (table,))[1].equal(call(table))
    assert torch.func.jacrev(call)(table).equal(torch.func.jacfwd(call)(table))
    batch = torch.stack([table, -table])
    assert torch.vmap(call)(batch).equal(torch.stack([call(table), -call(table)]))
    each = torch.vmap(torch.func.grad(lambda table: (call(table) ** 2).sum()))(batch)
    assert each.equal(2 * slope * batch), each
    energy = lambda table: (call(table) ** 3).sum()
    bends = torch.func.hessian(energy)(table)
    assert bends.equal(torch.autograd.functional.hessian(energy, table)), bends
    assert bends.sum((2, 3)).equal(6 * slope * table), bends
    compiled = torch.compile(call, backend="aot_eager", fullgraph=True)
    (gradient,) = torch.autograd.grad(compiled(leaf).sum(), [leaf])
    assert gradient.equal(slope)


def refused(call):
    """Return the sentence with which a call is refused."""
    try:
        call()
    except (NotImplementedError, RuntimeError, IndexError) as error:
        return str(error).splitlines()[0]
    return "computed"


def weighted(name):
    """Check that floats, where every sample has integers, have no gradient in silence."""
    module, function = name.split(".")
    weighed = getattr(importlib.import_module(module), function)
    x, weight = torch.ones(3), torch.full((3,), 2.0)
    print(weighed(x, weight).tolist())  # the kernel computes with floats
    leaf = weight.clone().requires_grad_()
    print(refused(lambda: weighed(x, leaf).sum().backward()))
    print(refused(lambda: torch.func.grad(lambda weight: weighed(x, weight).sum())(weight)))
    print(refused(lambda: torch.func.jvp(lambda w: weighed(x, w), (weight,), (weight,))))
    slope = torch.func.grad(lambda x: weighed(x, weight).sum())(x)
    print(slope.tolist(), torch.func.jvp(lambda x: weighed(x, weight), (x,), (x,))[1].tolist())


*names, last = sys.argv[1:]
for name in names:
    dtypes = [torch.float32, torch.float64, torch.float16]  # a kernel in C++ lacks float16
    for dtype in dtypes:
        check(name, dtype)
weighted(last)
print("done")
