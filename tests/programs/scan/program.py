# Run by test_an_exported_program of test_scan_reports.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.erfinv(x)


torch.export.save(torch.export.export(Net(), (torch.zeros(3),)), "net.pt2")
