# Scanned by test_scan_causes.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        torch.manual_seed(3)
        return x @ torch.randn(4, 4)


def build():
    return Net().eval(), (torch.rand(3, 4),)


class Normal(torch.nn.Module):
    """Draws numbers by an operator that the TorchScript exporter writes with another dtype."""

    def forward(self, x):
        return x + torch.normal(0.0, 1.0, size=(3, 4))


def normal():
    return Normal().eval(), (torch.rand(3, 4),)


class Noise(torch.nn.Module):
    """Draws numbers that differ in PyTorch, too."""

    def forward(self, x):
        return x + torch.randn_like(x)


def noise():
    return Noise().eval(), (torch.rand(3, 4),)
