# Run by ship of test_ship.py.
import my_add
import torch

args = torch.rand(2, 3), torch.rand(2, 3)
axes = {"a": [0], "b": [0]}
my_add.export(my_add.MyAdd().eval(), args, "node.onnx", domain="my_lib", dynamic_axes=axes)
print(my_add.library_path())
