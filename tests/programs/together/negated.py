# Run by test_packages_work_in_one_process of test_together.py.
import my_add
import torch

x = torch.imag(torch.conj(torch.randn(5, dtype=torch.complex64)))
assert x.is_neg()
print(torch.equal(my_add.package.kernel.my_add(x, x), my_add.my_add(x, x)))
print(torch.equal(my_add.my_add(x, x), 3 * x))
