"""A line of a model's code → what to write in its place, by its syntax alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop.scan.source.number_conditions import conditions_in_place_of_numbers
from onnxop.scan.source.rewrites import only_prints, rewrite_of
from onnxop.trial.places import Place


@pytest.mark.parametrize(
    ("code", "is_print"),
    [
        ("print(\n    float(x.mean())\n)", True),
        ("self.log.debug('%f', x.mean().item())", True),
        ("y = float(x.mean())", False),
        ("show(float(x.mean()))", False),
    ],
)
def test_a_line_that_only_prints(code: str, is_print: bool, tmp_path: Path) -> None:
    """What it reads is in no file."""
    file = tmp_path / "net.py"
    file.write_text(code, encoding="utf-8")
    assert only_prints(Place(str(file), 1 + code.count("\n") // 2, "")) is is_print


@pytest.mark.parametrize(
    ("code", "line", "rewrite"),
    [
        ("for i in range(x.shape[0]):\n    y = x[i]", 1, "@torch.jit.script"),
        ("for i in range(\n    n\n):\n    y = x[i]", 2, "@torch.jit.script"),
        ("y = [x[i] for i in range(n)]", 1, "called under torch.no_grad(), writes an ONNX Scan"),
        ("y = [r * int(n) for r, n in zip(x, counts)]", 1, "_higher_order_ops.scan"),
        ("rows = [[n] for n in range(x.shape[0])]", 1, "torch.arange(n) in place"),
        ("while x.sum() > 1:\n    x = x / 2", 1, "writes an ONNX Loop"),
        ("assert x.max() < n", 1, "not torch.onnx.is_in_onnx_export()"),
        ("if ok and not torch.all(x):\n    raise ValueError(x)", 1, "only checks values"),
        ("if n is not None and x.numel() > n:\n    x = x.topk(n)", 1, "to n elements"),
        ("if self.most < len(x):\n    x = x[:3]", 1, "to self.most elements"),
        ("if x.shape[0] > 3:\n    x = x[:3]", 1, "and cut always"),
        ("if x.shape[1] > self.most:\n    x = x[:, -self.most :]", 1, "and cut always"),
        ("if x.shape[0] > 3:\n    x = x[:4]", 1, "to 3 elements"),
        ("if x.shape[0] > 3:\n    x = x[:, 2:3]", 1, "to 3 elements"),
        ("if x.shape[0] > 3:\n    x = x[1:3]", 1, "to 3 elements"),
        ("y = x.max() if x.numel() > 0 else z", 1, "right for tensors of no elements"),
        ("if n > self.n:\n    self.table(n * 2)", 1, "in __init__, for the largest size"),
        ("if n > self.n:\n    self.n = n\n    x = x * 2", 1, "both sides need"),
        ("n = int(round(h * scale))", 1, "of integers: (2 * n * a + b) // (2 * b) is round"),
        ("n = int(h * scale)", 1, "of integers: n * a // b is int(n * a / b)"),
        ("n = int(x.max() * scale)", 1, "Leave the number a tensor"),
        (
            "@torch.jit.script\ndef f(x):\n    for b in range(x.size(0)):\n        y = x[b]",
            3,
            "Compute without a loop",
        ),
        ("if x.size(0) >= k:\n    x = x[:3]", 1, "to k elements"),
        ("if x.shape[0] > 3 and (x < 0).all():\n    x = x[:3]", 1, "both sides need"),
        ("if x.numel() > 0 and (x < 0).all():\n    x = x[:3]", 1, "both sides need"),
        ("if not (x.shape[0] > 3 or x[0] > 3):\n    x = x[:3]", 1, "both sides need"),
        ("if (x < 0).sum() > x.shape[0]:\n    x = x[:3]", 1, "both sides need"),
        ("if x.shape[0] > 3 and y.shape[0] > 5:\n    x = x[:3]", 1, "to 3 elements"),
        ("if self.training and not x.shape[0] > 3:\n    x = x[:3]", 1, "to 3 elements"),
        ("for c in n:\n    if c == 0:\n        continue", 2, "Leave out the condition if what"),
        ("if x.sum() > 0:\n    y = x\nelse:\n    raise ValueError(x)", 1, "torch.where"),
        ("if ok:\n    raise ValueError(x)\nelif x.sum() > 0:\n    y = x", 1, "torch.where"),
        ("most = int(\n    x.max()\n) + 1", 2, "without int()"),
        ("most = x.max().item()", 1, "without .item()"),
        ("n = int(x.shape[1] * self.ratio)", 1, "without int() and without fractions"),
        ("n = int(math.ceil(x.size(0) / 3))", 1, "a size stays one"),
        ("n = int(x.mean() * x.shape[1])", 1, "Leave the number a tensor"),
        ("n = int(self.shift)", 1, "make the number in __init__"),
        ("y = x * self.scale.data.item()", 1, "does not write to self.scale.data"),
        ("n = int(self.shift + x.sum())", 1, "Leave the number a tensor"),
        ("y = x[torch.arange(len(x)), n]", 1, "Write x.shape[0] in place of len(x)"),
        ("n = int(x.max()) + len(x)", 1, "without int()"),
        ("for part in parts:\n    y = y + len(part)", 2, "part.shape[0]"),
        ("if down or right:\n    x = F.pad(x, (0, right, 0, down))", 1, "pad always"),
        (
            "if n % 4 != 0:\n    x = F.pad(x, (0, -n % 4))\n    m = F.pad(m, (0, -n % 4))",
            1,
            "always",
        ),
        ("if x.shape[0] > 3:\n    x = F.pad(x, (0, 3 - x.shape[0]))", 1, "to 3 elements"),
        ("if n > 0:\n    x = x.reshape(n, -1)", 1, "reshape always, to a size in place of -1"),
        ("if n > 0:\n    x = x.view(n, 4)", 1, "both sides need"),
        ("if n > 0:\n    x = x.view(n, -1)\nelse:\n    x = -x", 1, "both sides need"),
        ("if x.sum() % 2:\n    x = F.pad(x, (0, 1))\nelse:\n    x = -x", 1, "both sides need"),
        ("y = x * 2 if x.max() > 1 else x", 1, "choose with torch.where"),
        ("y = int(x.max()) if self.training else 0", 1, "without int()"),
        (
            "import numpy as np\nrows = [\n    np.zeros((n, 2))\n    for i in range(3)\n]",
            3,
            "np.zeros",
        ),
        (
            "import numpy\nrows = torch.tensor(numpy.arange(len(x)))",
            2,
            "what numpy.arange computes",
        ),
    ],
)
def test_what_to_write_instead(tmp_path: Path, code: str, line: int, rewrite: str) -> None:
    file = tmp_path / "net.py"
    file.write_text(code, encoding="utf-8")
    assert rewrite in rewrite_of(Place(str(file), line, ""))


@pytest.mark.parametrize(
    "code",
    [
        "if x.shape[0] == 1:\n    y = x",  # no number of elements is enough
        "y = [part for part in parts]",
        "y = [layer(x) for layer, x in zip(self.layers, xs)]",
        "y = self.lstm(x)",
        "y = (",
        "import numpyro as np; rows = np.sample(len(x))",
    ],
)
def test_code_that_does_not_say_what_to_write(tmp_path: Path, code: str) -> None:
    file = tmp_path / "net.py"
    file.write_text(code, encoding="utf-8")
    assert rewrite_of(Place(str(file), 1, "")) == ""
    assert rewrite_of(Place(str(tmp_path / "none.py"), 1, "")) == ""


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("n = x.tolist()\nfor e in range(4):\n    if n[e] == 0:\n        continue", [4]),
        ("n = x.sum().item()\ny = z[:n]\nif n > 3:\n    y = y + 1", [2, 4]),
        ("n = int(x.max())\nmost = max(n, 3)\ny = z if most > 8 else z + 1", [4]),
        ("for n in x.tolist():\n    if n == 0:\n        continue\n    y = z[n]", [2, 3]),
        ("n = int(x.max())\nif n > 3:\n    raise ValueError(n)", [2]),
        ("n = int(x.max())\ny = torch.zeros(n)\nif y.sum() > 0:\n    y = y + 1", [2]),
        ("n = x + 1\nif n.sum() > 3:\n    y = n", [2]),
    ],
)
def test_conditions_on_numbers_of_a_tensor(tmp_path: Path, code: str, kept: list[int]) -> None:
    """A trace keeps the side of the condition; the number alone changes nothing."""
    file = tmp_path / "net.py"
    body = "".join(f"    {line}\n" for line in code.splitlines())
    file.write_text(f"def forward(x, z):\n{body}", encoding="utf-8")
    lines = conditions_in_place_of_numbers([Place(str(file), 2, "")])
    assert [line.line for line in lines] == kept
