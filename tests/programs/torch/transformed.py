# Run by test_models_of_pytorch_are_right of test_torch.py.
import torch
from tests.programs.torch.models import deformed
from torch.func import grad, jacrev, vmap
from torchvision.ops import deform_conv2d as reference

torch.manual_seed(0)
shapes = (1, 2, 5, 5), (2, 2, 3, 3), (1, 18, 3, 3), (1, 9, 3, 3), (2,)
values = [torch.randn(shape, dtype=torch.float64) for shape in shapes]


def known(x, weight, offset, mask, bias):
    return reference(x, offset, weight, bias, mask=mask)


for place in range(5):

    def call(value):
        return known(*values[:place], value, *values[place + 1 :])

    wanted = torch.autograd.functional.jacobian(call, values[place])
    print(torch.allclose(jacrev(deformed, argnums=place)(*values), wanted))

    batch = torch.randn(3, *shapes[place], dtype=torch.float64)
    rows = [
        torch.autograd.functional.jacobian(lambda v: call(v).square().sum(), row) for row in batch
    ]

    def loss(value):
        return deformed(*values[:place], value, *values[place + 1 :]).square().sum()

    print(torch.allclose(vmap(grad(loss))(batch), torch.stack(rows)))
