"""Models of open_clip."""

from __future__ import annotations

import open_clip
import torch

from .sets import sets

REQUIREMENTS = ("open-clip-torch",)


def towers():
    net = open_clip.CLIP(
        embed_dim=16,
        vision_cfg={"layers": 2, "width": 32, "head_width": 16, "patch_size": 8, "image_size": 32},
        text_cfg={"context_length": 12, "vocab_size": 99, "width": 32, "heads": 2, "layers": 2},
    )

    def pair(batch: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.rand(batch, 3, 32, 32), torch.randint(1, 99, (batch, 12))

    return net.eval(), sets(pair, 2, 3)
