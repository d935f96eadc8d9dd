# Run by test_functions_of_the_models_own of test_scan_functions.py.
import numpy as np
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by, sizes):
        return torch.from_numpy(np.sort(x.detach().numpy()) * by), x.new_tensor(sizes)


class Net(torch.nn.Module):
    def forward(self, x):
        y, sizes = Scale.apply(x, 2.0, [2, 3])
        return y + Scale.apply(y, 0.5, [2, 3])[0] + sizes.sum()


def build():
    return Net().eval(), (torch.rand(2, 3),)
