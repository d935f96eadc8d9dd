import my_add
import torch

args = torch.rand(2, 3), torch.rand(3)
my_add.export(my_add.MyAdd().eval(), args, "node.onnx", domain="my_lib")
