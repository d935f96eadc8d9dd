# Run by test_specs_for_what_torch_export_does_not_trace of test_scan.py.
import torch


class Net(torch.nn.Module):
    def forward(self, a):
        return torch.linalg.lstsq(a, a).solution, torch.linalg.svdvals(a)


def build():
    return Net(), torch.rand(4, 3)
