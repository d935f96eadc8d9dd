"""Graph networks of torch_geometric."""

from __future__ import annotations

import torch
from torch_geometric import nn

from .sets import sets

REQUIREMENTS = ("torch_geometric",)


def _graph(nodes: int) -> tuple[torch.Tensor, torch.Tensor]:
    edges = torch.randint(0, nodes, (2, 2 * nodes))
    return torch.randn(nodes, 8), edges


class Network(torch.nn.Module):
    """Convolutions, and the mean of the nodes."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edges):
        x = self.second(self.first(x, edges).relu(), edges)
        return nn.global_mean_pool(x, None)


def gcn():
    return Network(nn.GCNConv(8, 16), nn.GCNConv(16, 4)).eval(), sets(_graph, 6, 9)


def gat():
    return Network(nn.GATConv(8, 8, 2), nn.GATConv(16, 4)).eval(), sets(_graph, 6, 9)


def sage_of_maxima():
    convolutions = nn.SAGEConv(8, 16, aggr="max"), nn.SAGEConv(16, 4, aggr="lstm")
    return Network(*convolutions).eval(), sets(_sorted, 6, 9)


def _sorted(nodes: int) -> tuple[torch.Tensor, torch.Tensor]:
    x, edges = _graph(nodes)
    return x, edges[:, edges[1].argsort()]


def top_k_pooling():
    class Pooled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.pool = nn.GCNConv(8, 16), nn.TopKPooling(16, ratio=0.5)

        def forward(self, x, edges):
            x = self.first(x, edges).relu()
            x, edges, *_ = self.pool(x, edges)
            return nn.global_max_pool(x, None)

    return Pooled().eval(), sets(_graph, 6, 9)


def transformer():
    convolutions = nn.TransformerConv(8, 8, heads=2), nn.GINConv(torch.nn.Linear(16, 4))
    return Network(*convolutions).eval(), sets(_graph, 6, 9)
