# Scanned by test_scan_causes.py.
import warnings

import torch

warnings.simplefilter("ignore")


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.relu = torch.nn.ReLU()
        self.conv2 = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.add = torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        return self.add.add_relu(self.conv2(self.relu(self.conv1(x))), x)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = (
            torch.ao.quantization.QuantStub(),
            torch.ao.quantization.DeQuantStub(),
        )
        self.stem = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = torch.nn.Sequential(*[Block() for _ in range(3)])
        self.pool = torch.nn.AdaptiveAvgPool2d(1)
        self.fc = torch.nn.Linear(8, 10)

    def forward(self, x):
        x = self.blocks(self.stem(self.quant(x)))
        return self.dequant(self.fc(self.pool(x).flatten(1)))


def build():
    torch.manual_seed(0)
    torch.backends.quantized.engine = "fbgemm"
    model = Net().eval()
    model.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
    model = torch.ao.quantization.prepare(model)
    model(torch.randn(4, 3, 16, 16))
    return torch.ao.quantization.convert(model), (torch.randn(2, 3, 16, 16),)
