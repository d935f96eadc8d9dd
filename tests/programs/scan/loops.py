# Run by varied of test_scan.py.
import torch


class Loop(torch.nn.Module):
    def forward(self, e, mask):
        return sum(e[:, t] * mask[:, t, None] for t in range(e.shape[1]))


class Baked(torch.nn.Module):
    def forward(self, x, k):
        return x * int(k) + k


class Wide(torch.nn.Module):
    def forward(self, x):
        return x[:, ::2].sum(1) if x.shape[1] > 12 else x.sum(1)


def loop():
    return Loop(), (torch.randn(2, 4, 5), torch.rand(2, 4))


def baked():
    return Baked(), (torch.randn(2, 5), torch.tensor(3))


def wide():
    return Wide(), (torch.randn(2, 5),)
