"""Networks of monai."""

from __future__ import annotations

import torch
from monai.networks import nets

from .sets import sets

REQUIREMENTS = ("monai", "einops")


def _volumes(first: int, second: int):
    return sets(lambda size: torch.rand(1, 1, size, size, size), first, second)


def unet():
    net = nets.UNet(3, 1, 2, channels=(4, 8, 16), strides=(2, 2), num_res_units=1)
    return net.eval(), _volumes(16, 24)


def seg_res_net():
    net = nets.SegResNet(3, init_filters=8, in_channels=1, out_channels=2)
    return net.eval(), _volumes(16, 24)


def swin_unetr():
    net = nets.SwinUNETR(in_channels=1, out_channels=2, feature_size=12, depths=(1, 1, 1, 1))
    return net.eval(), _volumes(64, 96)
