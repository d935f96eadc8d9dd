# Scanned by test_scan_conditions.py.
"""Experts of which a trace skips those without a row in the example."""

import torch
from torch import nn


class Experts(nn.Module):
    """Rows go to the expert of their largest value."""

    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        chosen = x.argmax(-1)
        counts = torch.bincount(chosen, minlength=4).tolist()
        out = torch.zeros_like(x)
        for expert, layer in enumerate(self.experts):
            if counts[expert] == 0:
                continue
            (rows,) = torch.where(chosen == expert)
            out[rows] += layer(x[rows])
        return out


def build() -> tuple[nn.Module, tuple[torch.Tensor]]:
    """Return a model, and a row of the last expert."""
    torch.manual_seed(0)
    return Experts().eval(), (torch.tensor([[0.1, 0.2, 0.3, 0.4]]),)


class Gated(nn.Module):
    """Two layers of three experts, of which the last one gets no row of the example."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = nn.ModuleList(nn.Linear(4, 3) for _ in range(2))
        self.experts = nn.ModuleList(
            nn.ModuleList(nn.Linear(4, 4) for _ in range(3)) for _ in range(2)
        )
        for gate in self.gates:
            gate.bias.data = torch.tensor([0.0, 0.0, -1.5])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for gate, experts in zip(self.gates, self.experts):
            weights, chosen = gate(x).softmax(-1).max(-1)
            y = torch.zeros_like(x)
            for number, expert in enumerate(experts):
                (rows,) = torch.where(chosen == number)
                if rows.numel() == 0:
                    continue
                y = y.index_add(0, rows, expert(x[rows]) * weights[rows, None])
            x = x + y
        return x


def gated() -> tuple[nn.Module, tuple[torch.Tensor]]:
    torch.manual_seed(2)
    return Gated().eval(), (torch.rand(5, 4),)
