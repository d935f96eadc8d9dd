# Run by test_complex_numbers_within_a_model, test_complex_numbers_of_which_there_is_no_spec of test_scan.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        pairs = torch.view_as_complex(x) * torch.polar(torch.ones(3), torch.arange(3.0))
        return torch.view_as_real(pairs), torch.special.erfinv(x), pairs.conj()


def build():
    return Net().eval(), (torch.rand(4, 3, 2),)
