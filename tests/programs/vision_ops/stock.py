# Run by test_the_page_says_what_stock_runs of test_vision_ops.py.
import importlib
import sys

import onnxruntime
import torch
import vision_ops

from onnxop_runtime import testing
from onnxop_runtime.testing.roundtrips import model_of

sys.path.insert(0, "tests")
for name in (
    "ms_deform_attn",
    "roi_align_rotated",
    "nms_rotated",
    "carafe",
    "selective_scan",
    "selective_scan_with_state",
):
    module, cells = importlib.import_module(f"test_{name}"), []
    (tests,) = (
        x
        for x in vars(module).values()
        if isinstance(x, type) and issubclass(x, testing.SourceTests)
    )
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        model, args = model_of(tests, tests.samples[0].arguments())
        args = tuple(x.to(dtype) if x.is_floating_point() else x for x in args)
        runs = []
        for opset in range(16, 24):
            try:
                vision_ops.export(
                    model,
                    args,
                    sys.argv[1],
                    domain="",
                    dynamo=False,
                    opset_version=opset,
                    verbose=False,
                )
                onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
            except Exception:
                continue
            runs.append(opset)
        assert runs == [*range(runs[0], 24)] if runs else True, (name, dtype, runs)
        cells.append(f"{runs[0]}–23" if runs else "none")
    print(f"| `{name}` | {' | '.join(cells)} |")
