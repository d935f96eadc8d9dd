import torch
from torch.nn.utils import rnn


class Encoder(torch.nn.Module):
    """PyTorch asks whether the mask is a causal one, unless it is told."""

    def __init__(self, **options):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 1)
        self.options = options

    def forward(self, x, mask):
        return self.layers(x, mask=mask, **self.options)


class Padded(Encoder):
    """PyTorch computes with nested tensors, unless it is told not to."""

    def forward(self, x, hidden):
        return self.layers(x, src_key_padding_mask=hidden)


class Packed(torch.nn.Module):
    """PyTorch reads the number of sequences from packed ones."""

    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(4, 5, batch_first=True)

    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.gru(packed)
        size = x.shape[1]
        return rnn.pad_packed_sequence(states, batch_first=True, total_length=size)[0], last


class Words(torch.nn.Module):
    """PyTorch asks for which clusters there are targets, unless it computes all of them."""

    def __init__(self, is_full):
        super().__init__()
        self.output = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10], div_value=2.0)
        self.is_full = is_full

    def forward(self, x, y):
        if self.is_full:
            return self.output.log_prob(x).gather(1, y[:, None])[:, 0]
        return self.output(x, y).output


def build(**options):
    torch.manual_seed(0)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(6)
    return Encoder(**options).eval(), (torch.randn(2, 6, 8), mask)


def told():
    return build(is_causal=False)


def padded(is_nested=True):
    torch.manual_seed(0)
    model = Padded().eval()
    model.layers.use_nested_tensor = is_nested
    hidden = torch.zeros(2, 6, dtype=torch.bool)
    hidden[1, 4:] = True
    return model, (torch.randn(2, 6, 8), hidden)


def padded_without_nested_tensors():
    return padded(is_nested=False)


def packed():
    torch.manual_seed(0)
    return Packed().eval(), (torch.randn(2, 6, 4), torch.tensor([6, 4]))


def words(is_full=False):
    torch.manual_seed(0)
    return Words(is_full).eval(), (torch.randn(4, 8), torch.tensor([1, 7, 12, 3]))


def full_words():
    return words(is_full=True)
