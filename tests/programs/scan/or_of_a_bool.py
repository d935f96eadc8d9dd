# Scanned by test_scan_causes.py.
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(10, 4)

    def forward(self, ids):
        x = self.table(ids)
        keep = (x > 0.3) | False
        return torch.where(keep, x, -x)


def build():
    torch.manual_seed(0)
    return Net().eval(), (torch.tensor([[1, 2, 3], [4, 5, 6]]),)
