# Run by test_specs_of_functions_by_their_names, test_a_spec_of_a_function_is_built_in_its_place of test_scan_functions.py.
import torch


class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by=2.0):
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(x)
        x = torch.cat([x, -x])
        return x * by, x.relu()

    @staticmethod
    def backward(ctx, grad, other):
        raise NotImplementedError


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, by):
        return torch.from_numpy(x.detach().numpy() * by)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)


class Net(torch.nn.Module):
    def forward(self, x):
        a, b = Halves.apply(x, 3.0)
        return Scale.apply(a, 2.0) + b


def build():
    return Net().eval(), (torch.rand(2, 3),)
