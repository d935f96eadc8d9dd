# Run by test_calls_within_a_loop_and_a_vmap of test_scan_functions.py and test_a_spec_that_gives_wrong_values_is_no_way_out of test_scan_reports.py.
import torch
from torch._higher_order_ops.while_loop import while_loop


class Net(torch.nn.Module):
    def forward(self, x):
        x = torch.vmap(torch.erfinv)(x / 3)
        start = torch.tensor(0), x
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.lgamma()), start)


def build():
    return Net().eval(), (torch.rand(2, 3),)
