# Scanned by test_scan_conditions.py.
import torch


class Blocks(torch.nn.Module):
    """Sums short sequences as a whole, and others block by block."""

    def forward(self, x):
        if x.shape[1] <= 8:
            return x.sum(1, keepdim=True)
        x = torch.nn.functional.pad(x, (0, -x.shape[1] % 4))
        return x.unflatten(1, (-1, 4)).sum(2)


def build():
    return Blocks().eval(), (torch.rand(2, 6),)
