# Scanned by test_scan_tries.py.
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Gated(torch.nn.Module):
    """Packs and unpacks, which TorchScript writes, and divides a dimension of unknown size."""

    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 6, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        parts = torch.unsafe_chunk(y[:, y.sum((0, 2)) > -100], 2, dim=1)
        return parts[0].sigmoid()


def build():
    return Gated().eval(), (torch.rand(3, 4, 4), torch.tensor([4, 3, 2]))


class Upper(torch.nn.Module):
    def forward(self, x):
        return torch.triu(x).relu()


def upper():
    return Upper(), (torch.rand(4, 4),)
