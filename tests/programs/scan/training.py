# Run by test_a_model_in_training_mode of test_scan_reports.py.
import torch


def build():
    return torch.nn.BatchNorm1d(3), (torch.rand(4, 3),)
