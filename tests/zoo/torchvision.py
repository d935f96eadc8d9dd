"""Models of torchvision."""

from __future__ import annotations

import torch
from torchvision import models

from .sets import images, sets, spread

REQUIREMENTS = ("torchvision",)


def vit():
    net = models.VisionTransformer(32, 8, 2, 2, 32, 64, num_classes=10)
    return net.eval(), sets(lambda batch: torch.rand(batch, 3, 32, 32), 2, 3)


def swin():
    net = models.swin_t(weights=None, num_classes=10)
    return net.eval(), images(64, 96)


def mobilenet():
    return models.mobilenet_v3_small(weights=None).eval(), images(64, 96)


def deeplab():
    net = models.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None)
    return net.eval(), images(64, 96)


def lraspp():
    net = models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)
    return net.eval(), images(64, 96)


def faster_rcnn():
    net = models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=96, max_size=128,
        box_detections_per_img=5,
    )  # fmt: skip
    return spread(net.eval(), _lists(96, 112))


def ssdlite():
    net = models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5, detections_per_img=5
    )
    return spread(net.eval(), _lists(96, 112))


def _lists(first: int, second: int) -> list[tuple[list[torch.Tensor]]]:
    return [([image[0]],) for (image,) in images(first, second)]


def raft():
    def pair(size: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.rand(1, 3, size, size), torch.rand(1, 3, size, size)

    net = models.optical_flow.raft_small(weights=None)
    return net.eval(), sets(pair, 128, 136)


def r3d():
    net = models.video.r3d_18(weights=None, num_classes=5)
    return net.eval(), sets(lambda frames: torch.rand(1, 3, frames, 32, 32), 8, 12)
