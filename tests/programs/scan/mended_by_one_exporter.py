# Scanned by test_scan_causes.py.
import torch


class Weights(torch.nn.Module):
    """Quantises its weights as the gallery's spec does in one exporter, and its input as the other
    exporter cannot.
    """

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(5, 6))
        self.register_buffer("scale", torch.full((5,), 0.02))
        self.register_buffer("zero", torch.zeros(5, dtype=torch.int32))

    def forward(self, x):
        weight = torch.fake_quantize_per_channel_affine(
            self.weight, self.scale, self.zero, 0, -127, 127
        )
        return torch.fake_quantize_per_tensor_affine(x, 0.05, 10, 0, 255) @ weight.t()


def build():
    torch.manual_seed(0)
    return Weights().eval(), (torch.randn(3, 6),)
