# Scanned by test_scan_conditions.py: numbers that Python reads of tensors, and sizes.
import math

import torch


class Sparse(torch.nn.Module):
    """The first steps of long sequences, of which there are few."""

    def forward(self, x):
        few = math.isqrt(x.shape[1])
        return x[:, :few].softmax(1)


class Padded(torch.nn.Module):
    """The mean of the valid steps of padded sequences."""

    def forward(self, x, lengths):
        longest = int(lengths.max())
        is_padding = torch.arange(longest)[None] >= lengths[:, None]
        return x[:, :longest].masked_fill(is_padding[..., None], 0).sum(1) / math.exp(longest)


class Windowed(torch.nn.Module):
    """The first steps of padded sequences, fewer than the longest has."""

    def forward(self, x, lengths):
        few = math.isqrt(int(lengths.max()))
        return x[:, :few].sum(1)


class Sliced(torch.nn.Module):
    """A part of the data, which tensors of one element bound: no condition."""

    def forward(self, data, start, end):
        return data[:, start:end]


class Checked(torch.nn.Module):
    """Roots of numbers that are checked: a condition of which one side raises."""

    def forward(self, x):
        if x.min() < 0:
            raise ValueError("x must not be negative")
        return x.sqrt()


class Picked(torch.nn.Module):
    """Rows of each batch, whose positions may be negative."""

    def forward(self, x, positions):
        rows = [[n] for n in range(x.shape[0])]
        return x[rows, positions]


def build():
    return Sparse().eval(), (torch.rand(2, 6, 4),)


def padded():
    return Padded().eval(), (torch.rand(3, 9, 4), torch.tensor([7, 3, 5]))


def windowed():
    return Windowed().eval(), (torch.rand(3, 9, 4), torch.tensor([7, 3, 5]))


def sliced():
    return Sliced().eval(), (torch.rand(2, 30), torch.tensor([20]), torch.tensor([25]))


def checked():
    return Checked().eval(), (torch.rand(2, 6),)


def picked():
    return Picked().eval(), (torch.rand(3, 9, 4), torch.tensor([[1, 2], [3, 4], [0, 7]]))
