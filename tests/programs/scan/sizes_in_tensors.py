import torch


class Grid(torch.nn.Module):
    """Scales points by sizes in a tensor, as detectors with deformable attention do."""

    def forward(self, x):
        height, width = x.shape[2:]
        shapes = torch.as_tensor([(height, width)], device=x.device)
        rows = torch.linspace(0.5, height - 0.5, height, dtype=x.dtype)
        columns = torch.linspace(0.5, width - 0.5, width, dtype=x.dtype)
        points = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), -1) / shapes.flip(1)
        return torch.nn.functional.grid_sample(x, 2 * points[None] - 1, align_corners=False)


def build():
    return Grid().eval(), (torch.rand(1, 3, 5, 4),)
