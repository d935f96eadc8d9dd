import torch


@torch.jit.script
def expanded(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    longest = int(counts.sum(1).max().item())
    out = torch.zeros(x.size(0), longest, x.size(2))
    for row in range(x.size(0)):
        repeated = torch.repeat_interleave(x[row], counts[row], dim=0)
        out[row, : repeated.size(0)] = repeated
    return out


class Net(torch.nn.Module):
    def forward(self, x, counts):
        return expanded(x, counts)


def build():
    return Net(), [
        (torch.rand(3, 4, 2), torch.tensor([[1, 2, 0, 1], [2, 2, 2, 0], [1, 1, 1, 1]])),
        (torch.rand(2, 3, 2), torch.tensor([[1, 2, 0], [2, 2, 2]])),
    ]
