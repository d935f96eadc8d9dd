"""The error of an export names the line of the model that calls the op, if there is one."""

import logging
import tempfile
import warnings
from pathlib import Path
from typing import Any

import sized
import torch

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

MODULE = """import sized
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.permute(2, 1, 0)
        return sized.columns(y)
"""

folder = tempfile.mkdtemp()
file = Path(folder, "my_models.py")
file.write_text(MODULE)
names: dict[str, Any] = {"__name__": "my_models"}
exec(compile(MODULE, str(file), "exec"), names)


def refusal(model: torch.nn.Module, axis: int, dynamo: bool, domain: str) -> str:
    options: Any = {"dynamo": dynamo, "domain": domain, "dynamic_axes": {"x": {axis: "n"}}}
    options |= {"verbose": False} if dynamo else {}
    try:
        sized.export(model.eval(), (torch.rand(2, 3, 4),), Path(folder, "m.onnx"), **options)
    except ValueError as error:
        return str(error)
    raise AssertionError("exported")


for dynamo in (True, False):
    for domain in ("", "my_lib"):
        said = refusal(names["Model"](), 0, dynamo, domain)
        assert said.startswith("sized::columns: "), said
        assert said.endswith(f"; it is called at {file}:8"), said
        own = refusal(sized.Columns(), 2, dynamo, domain)
        assert "called at" not in own, own
print("done")
