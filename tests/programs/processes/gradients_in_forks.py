# Run by test_forks_of_forks_compute_gradients of test_processes.py.
import torch

from onnxop_runtime import torch_internals
from onnxop_runtime.processes import Limits, collect, run


def gradient():
    number = torch.zeros(1, requires_grad=True)
    (result,) = torch.autograd.grad(number * 2, number)
    yield result.item()


def gradients_in_forks():
    return [[*map(str, collect(gradient(), Limits()))] for _ in range(20)]


torch.set_num_threads(2)  # which makes the pool of threads
with torch_internals.fake_mode():  # after which autograd has eight threads
    torch.ones(2)
for results, death in run(gradients_in_forks):
    print(results, death)
