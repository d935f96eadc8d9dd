import torch


class Values(torch.nn.Module):
    """Has an operator with a spec, and one that no spec mends."""

    def forward(self, x):
        return torch.linalg.eig(x)[0].real + torch.erfinv(0.9 * x.sigmoid())


class Loss(torch.nn.Module):
    """Returns a constant, too, as quantisers without a loss do."""

    def __init__(self):
        super().__init__()
        self.losses = [torch.zeros(())]

    def forward(self, x):
        return x.relu(), self.losses[0]


def build():
    return Values().eval(), (torch.rand(3, 3),)


def loss():
    return Loss().eval(), (torch.rand(3, 3),)
