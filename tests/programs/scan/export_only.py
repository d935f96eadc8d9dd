import torch


class Largest(torch.nn.Module):
    """Takes the maximum of groups; in exports with 0 as one more element, which is wrong for negative numbers."""

    def forward(self, x, index):
        groups = x.new_zeros(3)
        if torch.onnx.is_in_onnx_export():
            return groups.scatter_reduce(0, index, x, "amax")
        groups = groups - 1000
        return groups.scatter_reduce(0, index, x, "amax")


def build():
    return Largest().eval(), (torch.rand(5) - 2, torch.tensor([0, 2, 1, 0, 1]))


class Same(torch.nn.Module):
    """Asks whether it is exported, and gives the same results there. Its export is wrong by another line."""

    def forward(self, x):
        y = x.abs() if torch.onnx.is_in_onnx_export() else torch.where(x < 0, -x, x)
        return y * x[0, 0].item()


def same():
    return Same().eval(), (torch.rand(3, 4),)
