"""Measurements as a table and as a picture."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from tests.benchmark import report

MACHINE = {
    "cpu": "a CPU",
    "level": "AVX2",
    "threads": 2,
    "torch": "2.15",
    "onnxruntime": "1.31",
    "libc": "glibc 2.36",
}
WORKS = [
    ("kernels", "PyTorch", "asinh, 4 M float32", "torch.asinh", 25.4),
    ("kernels", "ONNX Runtime", "my_add, 4 M float32", "Mul and Add", 1.74),
    ("kernels", "OpenVINO", "rms_norm, 4096x1024 float32", "standard nodes", 1.1),
    ("commands", "command line", "onnxop-new, one op", 'python -c "import copier"', 0.6),
    ("functions", "PyTorch", "sin, 4 M float32", "torch.sin", 1.3),
    ("sizes", "PyTorch", "asinh, 16", "torch.asinh", 0.5),
    ("sizes", "PyTorch", "asinh, 256", "torch.asinh", 2.0),
]
RESULTS = [
    {"group": g, "host": h, "work": w, "against": a, "ours": 1e-3, "theirs": r * 1e-3, "ratio": r}
    for g, h, w, a, r in WORKS
]


def test_the_page_keeps_what_is_around_the_table(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(
        f"before\n\n{report.BEGIN}\n\nold\n\n{report.END}\n\nbehind\n", encoding="utf-8"
    )
    for _ in range(2):
        report.write({"machine": MACHINE, "results": RESULTS}, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nbehind\n") and "old" not in text
    assert "| PyTorch | `asinh`, 4 M float32 | `torch.asinh` | 25 |" in text
    assert '| command line | onnxop-new, one op | `python -c "import copier"` | 0.60 |' in text
    assert "| `asinh` | 0.50 | 2 |" in text and "sin 1.3" in text


def test_no_ratio_is_shown_as_nothing() -> None:
    ratios = {0.00472: "0.0047", 0.5: "0.50", 0.97: "0.97", 1.0: "1", 2.04: "2", 31.2: "31"}
    assert {ratio: report._ratio(ratio) for ratio in ratios} == ratios


def test_the_picture_has_a_bar_for_each(tmp_path: Path) -> None:
    root = ElementTree.fromstring(report.picture(RESULTS))
    fills = [element.get("fill") for element in root.iter() if element.tag.endswith("rect")]
    hosts = len(report.COLOURS)
    legend, bars = fills[:hosts], fills[hosts:]
    assert legend == [*report.COLOURS.values()] and len({*legend}) == hosts
    shown = [str(element["host"]) for element in RESULTS if element["group"] in report.SHOWN]
    assert sorted(filter(None, bars)) == sorted(report.COLOURS[host] for host in shown)
