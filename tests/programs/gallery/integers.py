# Run by test_integers_and_numbers of test_gallery.py.
import sys

import onnxruntime
import torch
from tests.programs.gallery.calls import export

small = torch.tensor([[7, 0, 3], [250, 1, 2]], dtype=torch.uint8)
whole = torch.tensor([[7, -1, 3], [-5, 1, 2]], dtype=torch.int32)
half = torch.tensor([[0.5, 0.25, 1.5]])
rows = torch.tensor([0, 1, 0])
image = (torch.arange(60) * 37 % 256).to(torch.uint8).reshape(1, 2, 5, 6)
calls = (
    (lambda x: x.cumsum(0), small),
    (lambda x: x.cumprod(1), whole),
    (lambda x: x.cumsum(0, dtype=torch.float64), whole),
    (torch.copysign, whole, half),
    (torch.fmax, whole, whole.flip(0)),
    (torch.special.i0, small),
    (torch.angle, whole),
    (torch.cov, whole),
    (lambda x: x.cummax(1)[0], small > 2),
    (lambda x: x.amax(1), small > 2),
    (torch.all, small),
    (torch.any, small),
    (torch.argmax, small),
    (lambda x: x.median(1)[0], small),
    (lambda x, s, i: x.scatter_reduce(1, i, s, "mean"), whole, whole.flip(0), rows.expand(2, 3)),
    (lambda x, s: x.index_reduce(0, rows[:2], s, "mean"), whole, whole.flip(0)),
    (lambda x: torch.special.legendre_polynomial_p(x, 3), half),
    (lambda x: torch.special.legendre_polynomial_p(x, 3), whole),
    (lambda x: torch.special.chebyshev_polynomial_t(0.5, x), whole),
    (lambda x: torch.special.zeta(x + 1, 2.0), whole.abs()),
    (lambda x: torch.special.zeta(3, x), half),
    (lambda x: torch.special.xlog1py(x, 1e-7), half),
    (lambda x: torch.searchsorted(x[0], 2), whole.sort().values),
    (lambda x: (x | 8) ^ 3, whole),
    (lambda x: torch.divide(x, x), whole),
    (lambda x: torch.multiply(x, 2.5), whole),
    (torch.subtract, small, half),
    (torch.greater, whole, half),
    (torch.fmax, small > 2, half),
    (lambda x: ((x > 1) | 4) ^ 5, whole),
    (lambda x: (x > 1) & 3, whole),
    (lambda x: (x > 1) & (x < 3) | (x == 7) ^ (x > 6), whole),
    (lambda x: torch.special.xlog1py(2, x > 1), whole),
    (lambda x: torch.isin(x, x[0] + 0.5), whole),
    (torch.kron, whole, half),
    (torch.searchsorted, whole.flatten().sort().values, half),
    (lambda x: x[:0].any(), whole),
    (lambda x: x[:, :0].any(1), half),
    (lambda x: x[:0].all(0), half),
    (lambda x: x[:0].diagonal(), half),
    (lambda x: x[:0].kron(x), half),
    (lambda x: x[:0].flip(0), half),
    (lambda x: torch.nn.functional.interpolate(x, (3, 4), mode="bicubic", antialias=True), image),
)
for options, step in (({"dynamo": False}, 1), ({}, int(sys.argv[1]))):
    for call, *tensors in calls[::step]:
        export(call, *tensors, **options)
        session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
        feeds = {port.name: x.numpy() for port, x in zip(session.get_inputs(), tensors)}
        wanted = call(*tensors)
        actual = torch.from_numpy(session.run(None, feeds)[0])
        is_same = actual.dtype == wanted.dtype and actual.shape == wanted.shape
        print(is_same and torch.allclose(actual, wanted, 1e-5, 0, equal_nan=True), actual.dtype)
