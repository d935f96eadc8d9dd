# Scanned by test_scan_causes.py: files of the TorchScript exporter that are wrong, although each call is right alone.
import torch


class Row(torch.nn.Module):
    """Writes to a view."""

    def forward(self, x):
        y = x.clone()
        row = y[1, ...]
        row += 2
        return y


class Assigned(torch.nn.Module):
    """The same, with a write to the tensor itself."""

    def forward(self, x):
        y = x.clone()
        y[1] = y[1] + 2
        return y


class Encoder(torch.nn.Module):
    """A layer whose attention TorchScript writes for one length."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.TransformerEncoderLayer(8, 2, dim_feedforward=8)

    def forward(self, x):
        return self.layer(x)


class Packed(torch.nn.Module):
    """Sequences of several lengths, which may all be shorter than the padded input."""

    def __init__(self, is_padded):
        super().__init__()
        self.rnn = torch.nn.GRU(3, 4, batch_first=True)
        self.is_padded = is_padded

    def forward(self, x, lengths):
        length = x.shape[1] if self.is_padded else None
        rnn = torch.nn.utils.rnn
        y = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = self.rnn(y)
        return rnn.pad_packed_sequence(y, batch_first=True, total_length=length)[0]


class Masked(torch.nn.Module):
    """Writes to the elements of a column that a mask names."""

    def forward(self, x):
        mask, y = x > 0, x.new_zeros(x.shape[0], 2)
        y[mask, 0] = x[mask]
        return y


class Chosen(torch.nn.Module):
    """The same, computed by torch.where."""

    def forward(self, x):
        chosen = torch.where(x > 0, x, 0.0)
        return torch.stack([chosen, torch.zeros_like(chosen)], 1)


def build():
    return Row().eval(), (torch.randn(2, 3, 4),)


def assigned():
    return Assigned().eval(), (torch.randn(2, 3, 4),)


def attention():
    return Encoder().eval(), (torch.randn(7, 3, 8),)


def packed():
    return Packed(False).eval(), (torch.randn(3, 6, 3), torch.tensor([6, 3, 5]))


def padded():
    return Packed(True).eval(), (torch.randn(3, 6, 3), torch.tensor([6, 3, 5]))


def masked():
    return Masked().eval(), (torch.tensor([1.0, -2.0, 3.0]),)


def chosen():
    return Chosen().eval(), (torch.tensor([1.0, -2.0, 3.0]),)
