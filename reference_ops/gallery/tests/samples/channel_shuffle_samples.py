"""What the tests feed to aten::channel_shuffle: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._channel_shuffle import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.channel_shuffle,
    module=gallery.ChannelShuffle,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 4, 10, 10], groups 2",
            {
                "self": engine.random("float32", 1, 4, 10, 10),
                "groups": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
