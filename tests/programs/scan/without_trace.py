# Run by test_a_model_of_control_flow of test_scan_functions.py.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return {
            "a": torch.cond(x.sum() > 0, lambda x: x.acosh(), lambda x: x.erfinv(), (x,)),
            "b": 1,
        }


def build():
    return Net(), torch.full((2, 3), 1.5)
