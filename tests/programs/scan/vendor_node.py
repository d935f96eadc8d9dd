# Scanned by test_scan_causes.py.
import torch


class Snap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, step):
        return torch.round(x / step) * step

    @staticmethod
    def symbolic(g, x, step):
        return g.op("acme::Snap", x, step_f=step)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class Net(torch.nn.Module):
    def forward(self, x):
        return Snap.apply(Doubled.apply(x.relu()), 0.25) + 1


def build():
    return Net().eval(), (torch.randn(3, 4),)
