"""Models of diffusers."""

from __future__ import annotations

import torch
from diffusers import AutoencoderKL, UNet2DModel

from .sets import images, sets

REQUIREMENTS = ("diffusers",)


class Sample(torch.nn.Module):
    """Returns the sample."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *args):
        return self.model(*args).sample


def unet():
    net = UNet2DModel(
        sample_size=16, block_out_channels=(32, 32), layers_per_block=1, norm_num_groups=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    )  # fmt: skip

    def noisy(size: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(1, 3, size, size), torch.randint(0, 99, (1,))

    return Sample(net).eval(), sets(noisy, 16, 24)


def autoencoder():
    net = AutoencoderKL(
        block_out_channels=(16, 32), norm_num_groups=8,
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
    )  # fmt: skip
    return Sample(net).eval(), images(32, 48)
