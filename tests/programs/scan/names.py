# Run by test_specs_of_names_that_no_package_has of test_scan_functions.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.trace(x), x.bfloat16() * 0.5


def build():
    return Net().eval(), (torch.rand(3, 3),)
