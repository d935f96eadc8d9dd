# Run by test_a_call_of_nothing_is_no_finding of test_scan.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        kept = torch.cat([x[x > 5], x[x > 6]])
        return kept if float(x.sum()) > 0 else x  # which torch.export refuses


def build():
    return Net().eval(), (torch.rand(6),)
