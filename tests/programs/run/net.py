"""A model whose own function no exporter can trace, and that calls an operator without a rule."""

import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        return torch.from_numpy(x.detach().numpy() * scale)


class Net(torch.nn.Module):
    def forward(self, x):
        return Scaled.apply(x, 2.0) + torch.special.i0e(x)


class Plain(torch.nn.Module):
    def forward(self, x):
        return torch.special.i0e(x) + x.shape[0]
