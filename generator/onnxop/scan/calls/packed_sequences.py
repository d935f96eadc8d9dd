"""Calls of packed sequences, of which the TorchScript exporter writes pairs alone."""

from __future__ import annotations

from .recorded_calls import RecordedCall

PACK, PAD = "aten::_pack_padded_sequence", "aten::_pad_packed_sequence"
IN_PAIRS = "these operations must occur in pairs"
"""In the exporter's error where one call of a pair is missing, before it looks for rules."""
_PACKED = "data"  # the overload of aten::lstm, aten::gru and aten::rnn_tanh for packed sequences


def is_of_pairs(call: RecordedCall) -> bool:
    """Return whether a call takes or makes packed sequences, so that it has no file alone."""
    return call.op in (PACK, PAD) or call.overload_name == _PACKED
