# Imported by programs of test_tools.py.
import deform_conv2d
import torch
from torchvision.ops import DeformConv2d


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)
        self.convolution = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return torch.relu(self.convolution(self.deform(x, self.offset(x))))


net, x = Net().eval(), torch.rand(1, 3, 12, 12)
with torch.no_grad():
    wanted = net(x).numpy()
deform_conv2d.export(net, (x,), "net.onnx", domain="deform_conv2d", verbose=False)
