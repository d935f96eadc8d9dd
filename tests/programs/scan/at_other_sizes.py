# Scanned by test_scan_conditions.py.
import torch


class OfMany(torch.nn.Module):
    """Reads values of four rows or more alone, and prints."""

    def forward(self, x):
        print("printed by forward")
        if x.shape[0] > 3 and (x < 0).all():
            return x * 2
        return x + 0


class InOneLine(torch.nn.Module):
    """Has both sides of a condition in one line."""

    def forward(self, x):
        y = x * 2 if float(x.sum()) > 50 else x
        return y + 1


def build():
    return OfMany().eval(), (torch.rand(3, 2),)


def in_one_line():
    return InOneLine().eval(), (torch.rand(3, 2),)
