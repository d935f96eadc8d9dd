# Run by test_scan of test_journeys.py.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.special.zeta(x, x + 1)


def build():
    return Model(), (torch.rand(2, 3) + 1.5,)
