"""A line of PyTorch's own modules that asks for values → what to change in the call that leads there."""

from __future__ import annotations

from ...trial.places import Within

_ADVICE = {
    "nn/modules/transformer.py": (
        "Give the call is_causal=False, or a decoder tgt_is_causal=False: PyTorch then does not compare "
        "the mask with a causal one, and the mask alone decides"
    ),
    "nn/modules/rnn.py": (
        "The call has packed sequences, which torch.export does not take: use the TorchScript exporter, "
        "or give the call padded ones"
    ),
    "nn/utils/rnn.py": (
        "Give pad_packed_sequence total_length=x.shape[1], the length of the padded input"
    ),
    "nn/modules/adaptive.py": (
        "Call log_prob() of the module, which asks for no values, and take the columns of the targets"
    ),
    "distributions/": "Give the distribution validate_args=False: PyTorch then checks no values",
}
"""What to change, by the file or folder of PyTorch."""
_OF_CALL = (
    "The line is PyTorch's own: give the call other arguments, with which it asks for no values, or "
    "compute without the call"
)


def advice(within: Within) -> str:
    """Return what to change in the call that leads to the line, as a sentence without its full
    stop.
    """
    path = within.file.rpartition("/torch/")[2]
    return next((text for part, text in _ADVICE.items() if path.startswith(part)), _OF_CALL)
