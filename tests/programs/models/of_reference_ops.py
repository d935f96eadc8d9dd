# Imported by programs of test_domains.py, test_runtimes.py and test_together.py.
import torch
from torchvision.ops import DeformConv2d


class Deformed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)

    def forward(self, x):
        return self.deform(x, self.offset(x))


class DeformedTwice(Deformed):
    def __init__(self):
        super().__init__()
        self.offsets, self.deforms = torch.nn.Conv2d(3, 18, 3, 2), DeformConv2d(3, 3, 3, 2)

    def forward(self, x):
        x = super().forward(x)
        return self.deforms(x, self.offsets(x))


class Asinh(torch.nn.Module):
    def forward(self, x):
        return torch.asinh(x)
