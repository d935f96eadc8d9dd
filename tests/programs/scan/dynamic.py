# Run by test_a_call_that_is_right_at_one_size_alone of test_scan.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        y = x.unfold(1, 3, 1)
        return y.relu(), x.reshape(x.shape[1], x.shape[0])


def build():
    return Net().eval(), [(torch.rand(6, 5),), (torch.rand(6, 8),)]
