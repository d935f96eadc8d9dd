# Scanned by test_scan_causes.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        torch.manual_seed(3)
        return x @ torch.randn(4, 4)


def build():
    return Net().eval(), (torch.rand(3, 4),)
