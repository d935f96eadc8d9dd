import torch


class Angles(torch.nn.Module):
    """Keeps the table that it computes in its first call, as many rotary embeddings do."""

    def __init__(self):
        super().__init__()
        self.table = None

    def forward(self, x):
        if self.table is None:
            self.table = torch.logspace(0, 1, 4).erfinv()
        return x * self.table


def build():
    return Angles().eval(), (torch.rand(3, 4),)
