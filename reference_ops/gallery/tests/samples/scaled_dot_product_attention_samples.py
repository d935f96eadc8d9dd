"""What the tests feed to aten::scaled_dot_product_attention: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._scaled_dot_product_attention import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.scaled_dot_product_attention,
    module=gallery.ScaledDotProductAttention,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "query float32[2, 4, 5], key float32[2, 6, 5], value float32[2, 6, 3], is_causal True",
            {
                "query": engine.random("float32", 2, 4, 5, larger=(3, 5, 5)),
                "key": engine.random("float32", 2, 6, 5, larger=(3, 7, 5)),
                "value": engine.random("float32", 2, 6, 3, larger=(3, 7, 3)),
                "is_causal": engine.fixed(True),
            },
        ),
        engine.Sample(
            "query float32[2, 3, 4, 5], key float32[2, 3, 6, 5], value float32[2, 3, 6, 5], attn_mask bool[4, 6], scale 0.5",
            {
                "query": engine.random("float32", 2, 3, 4, 5, larger=(3, 3, 4, 5)),
                "key": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "value": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "attn_mask": engine.tensor([[True, False, True, False, True, True], [False, False, False, False, False, False], [True, True, True, True, True, True], [False, True, False, False, False, False]]),
                "scale": engine.fixed(0.5),
            },
        ),
        engine.Sample(
            "query float32[2, 6, 4, 5], key float32[2, 3, 6, 5], value float32[2, 3, 6, 5], attn_mask float32[4, 6], enable_gqa True",
            {
                "query": engine.random("float32", 2, 6, 4, 5, larger=(3, 6, 4, 5)),
                "key": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "value": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "attn_mask": engine.random("float32", 4, 6),
                "enable_gqa": engine.fixed(True),
            },
        ),
        engine.Sample(
            "query float32[4, 5], key float32[6, 5], value float32[6, 5]",
            {
                "query": engine.random("float32", 4, 5),
                "key": engine.random("float32", 6, 5),
                "value": engine.random("float32", 6, 5),
            },
        ),
        engine.Sample(
            "query float32[2, 3, 4, 5], key float32[2, 3, 4, 5], value float32[2, 3, 4, 5], attn_mask float32[2, 1, 1, 4]",
            {
                "query": engine.random("float32", 2, 3, 4, 5, larger=(3, 3, 5, 5)),
                "key": engine.random("float32", 2, 3, 4, 5, larger=(3, 3, 5, 5)),
                "value": engine.random("float32", 2, 3, 4, 5, larger=(3, 3, 5, 5)),
                "attn_mask": engine.random("float32", 2, 1, 1, 4, larger=(3, 1, 1, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
