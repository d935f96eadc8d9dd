# Run by test_packages_work_in_one_process of test_together.py.
import my_add
import torch
from torch._inductor import config

config.cpp.vec_isa_ok = True  # else it compiles a program to try it
f = torch.compile(my_add.my_add, fullgraph=True, dynamic=True)
for size in (3, 5):
    a, b = torch.randn(size, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    f(a, b).sum().backward()
    assert torch.equal(a.grad, torch.full_like(a, 2))
    assert torch.equal(b.grad, torch.full_like(b, size))
print(torch.equal(f(a, b), my_add.my_add(a, b)))
