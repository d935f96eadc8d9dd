# Scanned by test_scan_causes.py.
import torch


class Degrees(torch.nn.Module):
    def forward(self, edges, x):
        size = x.shape[0], x.shape[0]
        matrix = torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), size)
        return torch.sparse.mm(matrix, x)


INPUTS = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 1]]), torch.rand(3, 2)


def build():
    return Degrees().eval(), INPUTS


class Dense(torch.nn.Module):
    """The same, as scan says."""

    def forward(self, edges, x):
        (rows, columns), values = edges, torch.ones(edges.shape[1])
        n, m, k = x.shape[0], x.shape[0], x.shape[1]
        matrix = torch.zeros(n, m).index_put((rows, columns), values, accumulate=True)
        product = torch.zeros(n, k).index_add(0, rows, values[:, None] * x[columns])
        return matrix @ x, product


def dense():
    return Dense().eval(), INPUTS
