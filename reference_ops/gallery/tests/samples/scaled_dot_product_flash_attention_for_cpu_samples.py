"""What the tests feed to aten::_scaled_dot_product_flash_attention_for_cpu: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._scaled_dot_product_flash_attention_for_cpu import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.scaled_dot_product_flash_attention_for_cpu,
    module=gallery.ScaledDotProductFlashAttentionForCpu,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "query float32[2, 3, 4, 5], key float32[2, 3, 6, 5], value float32[2, 3, 6, 5], is_causal True",
            {
                "query": engine.random("float32", 2, 3, 4, 5, larger=(3, 3, 4, 5)),
                "key": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "value": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "is_causal": engine.fixed(True),
            },
        ),
        engine.Sample(
            "query float32[2, 3, 4, 5], key float32[2, 3, 6, 5], value float32[2, 3, 6, 5], attn_mask float32[4, 6], scale 0.5",
            {
                "query": engine.random("float32", 2, 3, 4, 5),
                "key": engine.random("float32", 2, 3, 6, 5),
                "value": engine.random("float32", 2, 3, 6, 5),
                "attn_mask": engine.random("float32", 4, 6),
                "scale": engine.fixed(0.5),
            },
        ),
    ],
    refusals=[
    ],
)
