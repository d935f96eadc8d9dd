# Run by test_what_no_spec_helps_with of test_scan.py.
import torch
from torch.nn.utils import rnn


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 6)

    def forward(self, x):
        packed = rnn.pack_padded_sequence(x, torch.tensor([5, 3]))
        return rnn.pad_packed_sequence(self.lstm(packed)[0])[0]


def build():
    return Net().eval(), (torch.randn(5, 2, 4),)
