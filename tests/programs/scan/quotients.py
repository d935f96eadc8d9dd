import torch


class Cropped(torch.nn.Module):
    """Divides negative sizes."""

    def forward(self, x):
        height, width = x.shape
        first = -height // 4
        second = (width - height) // 3
        return x[first:] * second + height // 2


def build():
    return Cropped().eval(), (torch.rand(7, 5),)


class Rewritten(torch.nn.Module):
    """Divides them as scan says."""

    def forward(self, x):
        height, width = x.shape
        first = -((height + 3) // 4)
        second = (width - height - (width - height) % 3) // 3
        return x[first:] * second + height // 2


def rewritten():
    return Rewritten().eval(), (torch.rand(7, 5),)
