import torch


class Masked(torch.nn.Module):
    """Has a line that a trace alone runs."""

    def forward(self, x):
        if torch._C._get_tracing_state():
            x = x + 1
        return x * 2


def build():
    return Masked().eval(), (torch.rand(3, 4),)


class Harmless(torch.nn.Module):
    """Has a line that a trace alone runs, and a number that it makes a constant."""

    def forward(self, x):
        if torch._C._get_tracing_state():
            x = x + 0
        return x * x[0, 0].item()


def harmless():
    return Harmless().eval(), (torch.rand(3, 4),)
