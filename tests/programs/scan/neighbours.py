# Scanned by test_scan_causes.py.
import torch


class Conv(torch.nn.Module):
    """A mean over neighbours, as in graph networks."""

    def __init__(self, n, m):
        super().__init__()
        self.lin = torch.nn.Linear(n, m)

    def forward(self, x, edges):
        src, dst = edges
        fill = torch.tensor(1.0)
        weight = torch.full((edges.size(1),), fill)  # type: ignore[call-overload]
        deg = torch.zeros(x.size(0)).scatter_add_(0, dst, weight)
        msgs = self.lin(x)[src] * weight[:, None]
        out = torch.zeros(x.size(0), msgs.size(1)).index_add_(0, dst, msgs)
        return out / deg.clamp(min=1)[:, None]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Conv(4, 8), Conv(8, 2)

    def forward(self, x, edges):
        return self.b(self.a(x, edges).relu(), edges)


def build():
    torch.manual_seed(0)
    edges = torch.tensor([[0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 5, 5]])
    return Net().eval(), (torch.randn(6, 4), edges)
