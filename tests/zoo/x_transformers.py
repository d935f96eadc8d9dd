"""Models of x-transformers."""

from __future__ import annotations

from x_transformers import Decoder, Encoder, TransformerWrapper

from .sets import tokens

REQUIREMENTS = ("x-transformers",)


def decoder():
    layers = Decoder(dim=32, depth=2, heads=4, rotary_pos_emb=True)
    net = TransformerWrapper(num_tokens=99, max_seq_len=64, attn_layers=layers)
    return net.eval(), tokens(10, 13)


def encoder_with_alibi():
    layers = Encoder(dim=32, depth=2, heads=4, alibi_pos_bias=True, use_rmsnorm=True)
    net = TransformerWrapper(num_tokens=99, max_seq_len=64, attn_layers=layers)
    return net.eval(), tokens(10, 13)
