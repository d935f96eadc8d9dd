# Run by test_what_overflows_for_large_values of test_scan_rules.py.
import torch
from torch.nn import functional as F


class Net(torch.nn.Module):
    def forward(self, x, y):
        return F.logsigmoid(x), F.binary_cross_entropy_with_logits(x, y)


def build():
    x = torch.linspace(-1, 1, 12).view(3, 4)
    return Net().eval(), (x, x.sigmoid())
