import torch


class Masked(torch.nn.Module):
    """Has a line that a trace alone runs."""

    def forward(self, x):
        if torch._C._get_tracing_state():
            x = x + 1
        return x * 2


def build():
    return Masked().eval(), (torch.rand(3, 4),)
