# Scanned by test_scan_causes.py.
import warnings

import torch

warnings.simplefilter("ignore")


def build():
    torch.backends.quantized.engine = "fbgemm"
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
    quantised = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    return quantised, (torch.randn(3, 4),)
