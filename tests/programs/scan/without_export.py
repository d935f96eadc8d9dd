# Run by test_a_model_that_torch_export_refuses of test_scan.py.
import torch


class Net(torch.nn.Module):
    def forward(self, xs, n):
        (x,) = xs
        if float(x.sum()) > 0:  # which torch.export refuses
            x = x + n["two"]
        y = torch.conv1d(x[None], torch.ones(2, 2, 2))
        return torch.erfinv(x / 100), torch.rand_like(x) * 0, torch.erfinv(x / 100), y


def build():
    return Net().eval(), ([torch.ones(2, 3)],), {"n": {"two": 2}}
