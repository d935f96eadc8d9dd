import torch


class Batch(torch.nn.Module):
    """Has keyword arguments that no parameter names: the TorchScript exporter does not pass them."""

    def forward(self, **batch):
        return batch["a"] + batch["b"]


class Counts(torch.nn.Module):
    """Writes to a parameter, which PyTorch takes under no_grad only."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(4))

    def forward(self, x):
        self.weight.clamp_(min=0.0)
        return x * self.weight


class Scaled(torch.nn.Module):
    def forward(self, batch, y=None, scale=1, shift=0.5):
        return batch["x"] * scale + y + shift


def keywords():
    return Batch().eval(), (), {"b": torch.rand(3, 4), "a": torch.rand(3, 4)}


def writes():
    return Counts().eval(), (torch.rand(3, 4),)


def numbers():
    x, y = torch.rand(3, 4), torch.rand(3, 4)
    return Scaled().eval(), ({"x": x},), {"scale": 2, "y": y}


def dictionary():
    x, y = torch.rand(3, 4), torch.rand(3, 4)
    return Scaled().eval(), ({"x": x, "y": y},), {"y": y}
