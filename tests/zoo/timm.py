"""Models of timm."""

from __future__ import annotations

import timm
import torch

from .sets import images, sets

REQUIREMENTS = ("timm",)


def _model(name: str, **options):
    return timm.create_model(name, pretrained=False, num_classes=10, **options).eval()


def convnext():
    return _model("convnext_atto"), images(64, 96)


def mobilevit():
    return _model("mobilevit_xxs"), images(64, 96)


def vit_of_any_size():
    net = _model("vit_tiny_patch16_224", img_size=64, dynamic_img_size=True, depth=2)
    return net, images(64, 96)


def eva():
    net = _model("eva02_tiny_patch14_224", img_size=56, depth=2)
    return net, sets(lambda batch: torch.rand(batch, 3, 56, 56), 2, 3)


def fastvit():
    return _model("fastvit_t8"), images(64, 96)


def maxvit():
    net = _model("maxvit_rmlp_pico_rw_256", img_size=64)
    return net, sets(lambda batch: torch.rand(batch, 3, 64, 64), 2, 3)


def efficientformer():
    net = _model("efficientformerv2_s0", img_size=64)
    return net, sets(lambda batch: torch.rand(batch, 3, 64, 64), 2, 3)
