# Run by test_models_of_pytorch_are_right, test_worker_processes_run_the_operator, test_ahead_of_time of test_torch.py.
# ruff: noqa: F401
import copy
import io
import pickle

import asinh
import deform_conv2d
import dynamic_resize
import my_add
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.add, self.last = (
            torch.nn.Linear(4, 4),
            my_add.MyAdd(),
            torch.nn.Linear(4, 1),
        )

    def activation(self, x):
        return asinh.asinh(self.add(x, x))

    def forward(self, x):
        return self.last(self.activation(self.linear(x)))


def deformed(x, weight, offset, mask, bias):
    return deform_conv2d.deform_conv2d(x, weight, offset, mask, bias, 1, 1, 0, 0, 1, 1, 1, 1, True)


class Deformed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.offset = torch.nn.Conv2d(3, 3, 3), torch.nn.Conv2d(3, 18, 3)

    def forward(self, x):
        mask = torch.ones(x.shape[0], 9, x.shape[2] - 2, x.shape[3] - 2)
        return deformed(x, self.convolution.weight, self.offset(x), mask, self.convolution.bias)
