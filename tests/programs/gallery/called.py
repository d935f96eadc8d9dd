# Run by test_sizes_and_overloads of test_gallery.py.
import onnxruntime
import torch
from tests.programs.gallery.calls import export


def copied(x, y):
    return x.clone().copy_(y)


for options in ({}, {"dynamo": False}):
    for call, tensors in (
        (copied, (torch.ones(3, 2), torch.zeros(2))),
        (lambda x: torch.linalg.matrix_power(x, 0), (torch.ones(3, 2, 2),)),
        (torch.linalg.vecdot, (torch.ones(0, 0), torch.ones(0, 0))),
        (lambda x: torch.linalg.matrix_norm(x, "fro"), (torch.ones(2, 3),)),
        (torch.pinverse, (torch.tensor([[1e30, 1e29], [-2e30, 3e30]]),)),
        (lambda x: torch.squeeze_copy(x, 0), (torch.ones(1, 1, 2, dtype=torch.int64),)),
        (lambda x: torch.sort(x, 0, True), (torch.tensor([[1, torch.nan], [torch.inf, 2]]),)),
        (lambda x: torch.sort(x, dim=0, stable=True), (torch.tensor([[3, torch.nan], [1, 2]]),)),
        (torch.max, (torch.tensor([[3.0, 5.0], [1.0, 2.0]]),)),
        (torch.min, (torch.ones(3), torch.zeros(1))),
        (lambda x: torch.max(x, 1), (torch.tensor([[3.0, 5.0], [1.0, 2.0]]),)),
        (torch.lgamma, (torch.tensor([1.0001221, 0.9998779, 2.0001221, 1.9998779, -2.0000334]),)),
        (lambda x: torch.mvlgamma(x, 1), (torch.tensor([1.0001221, 1.9998779]),)),
        (torch.digamma, (torch.tensor([-2.0000334]),)),
        (torch.special.log_ndtr, (torch.tensor([5.0, 6.0]),)),
        (lambda x: torch.linalg.lstsq(x, x, driver="gelss")[1], (torch.ones(3, 2),)),
    ):
        export(call, *tensors, **options)
        session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
        feeds = {port.name: x.numpy() for port, x in zip(session.get_inputs(), tensors)}
        wanted = call(*tensors)
        wanted = wanted[0] if isinstance(wanted, tuple) else wanted
        actual = torch.from_numpy(session.run(None, feeds)[0])
        print(
            actual.shape == wanted.shape and torch.allclose(actual, wanted, 1e-5, 0, equal_nan=True)
        )
