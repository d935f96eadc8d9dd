# Run by test_a_model_that_writes_to_its_buffers of test_scan_functions.py.
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen += x.sum(0)
        return x + self.seen.mul_(0.5), self.seen


def build():
    return Net().eval(), (torch.rand(4, 3),)
