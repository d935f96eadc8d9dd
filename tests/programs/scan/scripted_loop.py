# Scanned by test_scan_causes.py.
import torch


class Net(torch.nn.Module):
    """Its trace has scripted code, and torch.export stops at a condition."""

    def __init__(self):
        super().__init__()
        self.scripted = torch.jit.script(loop)

    def forward(self, x):
        if float(x.sum()) > 1e6:
            x = -x
        return self.scripted(x)


def loop(x):
    y = torch.zeros_like(x[0])
    for i in range(x.size(0)):
        y = y * 0.5 + torch.special.erfinv(x[i] * 0.1)
    return y


def build():
    return Net().eval(), (torch.rand(5, 3),)
