# Run by test_why_there_is_no_spec of test_scan.py.
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 6, proj_size=3)

    def forward(self, x):
        window = torch.hann_window(8)
        parts = torch.stft(x.flatten(1), 8, 2, window=window, return_complex=True)
        return torch.istft(parts, 8, 2, window=window), self.lstm(x)[0]


def build():
    return Net().eval(), (torch.randn(2, 5, 4),)
