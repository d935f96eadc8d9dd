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


class Padded(torch.nn.Module):
    """Pads what is shorter than a number of the model, and has a condition of which no size takes
    another side.
    """

    def __init__(self):
        super().__init__()
        self.register_buffer("least", torch.tensor(8))

    def forward(self, x):
        missing = self.least - x.shape[0]
        if missing > 100:
            return x.new_zeros(100)
        if missing > 0:
            x = torch.nn.functional.pad(x, (0, missing))
        return x * 2


def padded():
    return Padded().eval(), [(torch.rand(6),), (torch.rand(12),)]


class Handled(torch.nn.Module):
    """Has a condition on data, which torch.export refuses, and another one in its handler."""

    def forward(self, x):
        try:
            if x.sum() > 0:
                return x * 2
            return x - 1
        except RuntimeError:
            if x.max() > 5:
                raise ValueError("too large") from None
            raise


def handled():
    return Handled().eval(), (torch.rand(3, 4),)


class Few(torch.nn.Module):
    """Returns early where no value is large, which gives what the rest gives."""

    def forward(self, x):
        large = x[x > 0.5]
        if not (x > 0.5).any():
            return large
        return large * 2


def few():
    return Few().eval(), (torch.linspace(0, 1, 20),)
