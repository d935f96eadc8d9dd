# Run by test_what_is_no_model of test_scan.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        x.relu()


def build():
    return Net(), (torch.rand(2),)
