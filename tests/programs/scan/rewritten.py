import torch
from torch._higher_order_ops import scan


@torch.jit.script
def recurrence(x, state):
    states = []
    for step in range(x.shape[0]):
        state = 0.5 * state + x[step]
        states.append(state)
    return torch.stack(states)


class Scripted(torch.nn.Module):
    """Has its loop over a size in a scripted function."""

    def forward(self, x):
        return recurrence(x, torch.zeros(x.shape[1])).relu()


class Scanned(torch.nn.Module):
    """Has its loop over a size as an operator."""

    def forward(self, x):
        def step(state, row):
            state = 0.5 * state + row
            return state, state.clone()

        return scan(step, torch.zeros(x.shape[1]), x)[1].relu()


@torch.jit.script
def halved(x):
    while bool(x.max() > 1):
        x = x / 2
    return x


class Halved(torch.nn.Module):
    """Has a loop that ends by values in a scripted function."""

    def forward(self, x):
        return halved(x) + 1


class Checked(torch.nn.Module):
    """Checks values, but in no export."""

    def forward(self, x):
        if not torch.onnx.is_in_onnx_export():
            if x.min() < -100:
                raise ValueError("too small")
            assert x.max() < 100
        return x * 2


class Largest(torch.nn.Module):
    """Pads what may have too few elements."""

    def forward(self, x):
        large = x[x > 0.5]
        return torch.cat([large, x.new_zeros(3)]).topk(3).values


class Counted(torch.nn.Module):
    """Has a size that values decide as a tensor."""

    def forward(self, x):
        return torch.arange(10 * x.max() + 1) * x.sum()


def recurrent():
    return Scripted().eval(), (torch.rand(5, 4),)


def as_operator():
    return Scanned().eval(), (torch.rand(5, 4),)


def until():
    return Halved().eval(), (7 * torch.rand(5, 4),)


def checked():
    return Checked().eval(), (torch.rand(5, 4),)


def largest():
    return Largest().eval(), (torch.linspace(0, 1, 20),)


def counted():
    return Counted().eval(), (torch.rand(5, 4),)
