# Run by test_dtypes_and_files of test_export.py.
import os
import warnings
from pathlib import Path

import parts
import torch

warnings.simplefilter("ignore")

for dynamo in (True, False):
    options = {"dynamo": dynamo, "verbose": False}
    for dtype in (torch.float16, torch.float64):
        x = torch.tensor([-1, 0, 2]).to(dtype)
        parts.verify(parts.Parts(), (x,), **options)
    before = sorted(os.listdir())
    try:
        parts.export(parts.Parts(), (torch.arange(3),), "m.onnx", **options)
    except ValueError as error:
        assert "PyTorch returns torch.float32, but the model torch.int64" in str(error), error
    else:
        raise AssertionError("integers")
    assert sorted(os.listdir()) == before
    Path("file.onnx").write_bytes(b"before")
    Path("file.onnx").chmod(0o600)
    Path("link.onnx").unlink(missing_ok=True)
    Path("link.onnx").symlink_to("file.onnx")
    parts.export(parts.Parts(), (x,), "link.onnx", **options)
    assert Path("link.onnx").is_symlink() and Path("file.onnx").read_bytes() != b"before"
    assert Path("file.onnx").stat().st_mode & 0o777 == 0o600
    if not Path("fifo").exists():
        os.mkfifo("fifo")
    try:
        parts.export(parts.Parts(), (x,), "fifo", **options)
    except ValueError as error:
        assert "cannot write fifo: it is not a file" in str(error), error
    assert Path("fifo").is_fifo()
print("done")
