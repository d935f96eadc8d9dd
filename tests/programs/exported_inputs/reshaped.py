"""An op that reads a size gets results of other nodes, in a model with a dynamic axis."""

import warnings
from typing import Any

import sized
import torch

warnings.simplefilter("ignore")


class FromSize(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.columns(x.reshape(x.shape[0], 3, 4))


class Inferred(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.columns(x.reshape(-1, 3, 4))


class Permuted(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.columns(sized.columns(x.reshape(-1, 3, 4)).permute(0, 2, 1))


class Flattened(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.columns(x.view(x.size(0), 3, 2, 2).flatten(2))


class Unused(torch.nn.Module):
    """A call whose result nothing uses: TorchScript drops it."""

    def forward(self, x: torch.Tensor) -> Any:
        sized.columns(x.reshape(-1, 2, 6))
        return sized.columns(x.reshape(-1, 3, 4).transpose(1, 2))


x, longer = torch.rand(2, 12), torch.rand(5, 12)
models = FromSize(), Inferred(), Permuted(), Flattened()
for model in models:
    for dynamo in (True, False):
        for domain in ("", "my_lib"):
            sized.verify(
                model.eval(),
                (x,),
                others=[(longer,)],
                dynamo=dynamo,
                domain=domain,
                dynamic_axes={"x": {0: "batch"}},
                verbose=False,
            )


def outcome(domain: str) -> str:
    """Return how the export of a model ends whose calls are counted differently: right, or refused."""
    options: Any = {"dynamo": False, "domain": domain, "verbose": False}
    axes = {"x": {0: "batch"}}
    try:
        sized.verify(Unused(), (x,), others=[(longer,)], dynamic_axes=axes, **options)
    except ValueError as error:
        return str(error)
    return "right"


for domain in ("", "my_lib"):
    said = outcome(domain)
    is_refused = said.startswith("sized::columns: ") and "does not know" in said
    assert said == "right" or is_refused, said
print("done")
