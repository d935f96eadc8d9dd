import torch


class Brightest(torch.nn.Module):
    """Takes another side where no value is above 0, and one that no input reaches."""

    def forward(self, x):
        if (x > 0).sum() < 1:
            return x - 1
        if x.isnan().any():
            return x.nan_to_num()
        return x * 2


class Quiet(torch.nn.Module):
    """Takes another side for NaN alone."""

    def forward(self, x):
        if x.isnan().any():
            return x.nan_to_num()
        return x * 2


def build():
    return Brightest().eval(), (torch.rand(3, 4) + 0.5,)


def quiet():
    return Quiet().eval(), (torch.rand(3, 4) + 0.5,)


class Mended(torch.nn.Module):
    """Needs a spec, and takes another side where no value is above 0."""

    def forward(self, x):
        if (x > 0).sum() < 1:
            return x - 1
        return torch.erfinv(0.9 * x.sigmoid())


def mended():
    return Mended().eval(), (torch.rand(3, 4) + 0.5,)


class Largest(torch.nn.Module):
    """Fails with few numbers above a half, which other sizes have."""

    def forward(self, x):
        large = x[x > 0.5]
        if large.shape[0] > 3:
            return large.topk(3).values
        return torch.zeros(3)


def largest():
    return Largest().eval(), (torch.linspace(0, 1, 20),)
