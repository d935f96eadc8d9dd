# Run by test_an_operator_of_the_models_own_module, test_a_kernel_that_is_written_beside_its_spec of test_scan_functions.py.
import torch


@torch.library.custom_op("acme::squash", mutates_args=())
def squash(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return x / (alpha + x.abs())


@squash.register_fake
def _(x, alpha=1.0):
    return torch.empty_like(x)


class Net(torch.nn.Module):
    def forward(self, x):
        return squash(x), 2


def build():
    return Net().eval(), (torch.rand(2, 3),)
