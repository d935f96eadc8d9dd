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
        return x.relu(), x.argmax(), self.losses[0]


def build():
    return Values().eval(), (torch.rand(3, 3),)


def loss():
    return Loss().eval(), (torch.rand(3, 3),)


class Written(torch.nn.Module):
    """Writes into a tensor by ``out=``, which the TorchScript exporter does not follow."""

    def forward(self, x):
        sums = torch.zeros(x.shape[0] + 1, x.shape[1])
        torch.cumsum(x, 0, out=sums[1:])
        return sums


class Counted(torch.nn.Module):
    """Has a condition that torch.export passes for one size alone."""

    def forward(self, x):
        positive = x[x[:, 0] > 0]
        if positive.shape[0] + x.shape[0] == 9:
            return x * 2
        return x * 3


def written():
    return Written().eval(), (torch.rand(3, 4),)


def counted():
    return Counted().eval(), (torch.rand(3, 4),)
