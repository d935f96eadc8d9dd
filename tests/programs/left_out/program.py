# Run by test_a_result_that_is_left_out of test_left_out.py.
import sys
from pathlib import Path

import onnxruntime
import torch
import values_alone


class Values(torch.nn.Module):
    def forward(self, x):
        return torch.kthvalue(x, 2).values


class Indices(torch.nn.Module):
    def forward(self, x):
        return torch.kthvalue(x, 2).indices + 1


x, file, dynamo = torch.randn(4, 5), Path(sys.argv[1]), sys.argv[2] == "dynamo"
values_alone.export(Values(), (x,), file, dynamo=dynamo, input_names=["x"])
session = onnxruntime.InferenceSession(file)
[actual] = session.run(None, {"x": x.numpy()})
torch.testing.assert_close(torch.from_numpy(actual), Values()(x))

file.unlink()
try:
    values_alone.export(Indices(), (x,), file, dynamo=dynamo)
except ValueError as error:
    print(error)
assert not file.exists()
