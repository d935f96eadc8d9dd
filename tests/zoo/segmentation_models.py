"""Models of segmentation-models-pytorch."""

from __future__ import annotations

import segmentation_models_pytorch as smp

from .sets import images

REQUIREMENTS = ("segmentation-models-pytorch",)


def unet():
    return smp.Unet("resnet18", encoder_weights=None).eval(), images(64, 96)


def deeplab_plus():
    return smp.DeepLabV3Plus("resnet18", encoder_weights=None).eval(), images(64, 96)


def fpn():
    return smp.FPN("mobilenet_v2", encoder_weights=None).eval(), images(64, 96)


def pan():
    return smp.PAN("resnet18", encoder_weights=None).eval(), images(128, 192)
