# Run by test_scripted_code_within_a_trace of test_scan_functions.py.
import torch


@torch.jit.script
def rounds(x, n: int):
    for i in range(n):
        x = torch.erfinv(x / 2)
    return x


@torch.jit.script
def squashed(x):
    return torch.erfinv(x / 2)


class Net(torch.nn.Module):
    def forward(self, x):
        return squashed(x)


def build():
    return Net().eval(), (torch.rand(1, 4, 4),)
