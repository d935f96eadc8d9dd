"""Describe a package that is built for CUDA, on a machine that may lack a GPU, as JSON."""

import json
import sys

import my_add
import torch
from torch._C import _dispatch_has_kernel_for_dispatch_key as has_kernel
from torch._subclasses.fake_tensor import FakeTensorMode


def error_of_devices() -> str:
    with FakeTensorMode():
        try:
            my_add.my_add(torch.empty(3, device="cuda"), torch.empty(3))
        except RuntimeError as error:
            return str(error)
    return ""


with FakeTensorMode():
    on_gpu = my_add.my_add(torch.empty(2, 3, device="cuda"), torch.empty(3, device="cuda"))
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
facts = {
    "torch": torch.version.cuda,
    "kernel": has_kernel("my_lib::my_add", "CUDA"),
    "fake": [str(on_gpu.device), list(on_gpu.shape)],
    "values": my_add.my_add(x, x).tolist(),
    "gradients": torch.autograd.gradcheck(my_add.my_add, (x, x)),
    "devices": error_of_devices(),
}
json.dump(facts, sys.stdout)
