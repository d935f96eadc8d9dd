"""Models and filters of kornia."""

from __future__ import annotations

import kornia
import torch

from .sets import images, sets

REQUIREMENTS = ("kornia",)


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def canny():
    return kornia.filters.Canny().eval(), images(32, 40, 1)


def disk():
    net = kornia.feature.DISK()

    class Keypoints(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, image):
            (features,) = self.net(image, n=20)
            return features.keypoints, features.descriptors

    return Keypoints().eval(), images(64, 96)


def warp():
    def pair(size: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.rand(1, 3, size, size), torch.eye(3)[None] + 0.01 * torch.rand(1, 3, 3)

    def warped(image, matrix):
        return kornia.geometry.warp_perspective(image, matrix, (24, 24))

    return Function(warped).eval(), sets(pair, 32, 40)


def equalised():
    return Function(kornia.enhance.equalize).eval(), images(32, 40)


def hardnet():
    net = kornia.feature.HardNet(pretrained=False)
    return net.eval(), sets(lambda batch: torch.rand(batch, 1, 32, 32), 2, 5)


def median_blur():
    return kornia.filters.MedianBlur((3, 3)).eval(), images(32, 40)


def rgb_to_lab():
    return kornia.color.RgbToLab().eval(), images(32, 40)
