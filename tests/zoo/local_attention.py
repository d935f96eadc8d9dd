"""A model of local-attention."""

from __future__ import annotations

from local_attention import LocalTransformer

from .sets import tokens

REQUIREMENTS = ("local-attention",)


def transformer():
    net = LocalTransformer(
        num_tokens=99, dim=32, depth=2, causal=True, local_attn_window_size=8, max_seq_len=64,
        heads=2, dim_head=16,
    )  # fmt: skip
    return net.eval(), tokens(16, 24)
