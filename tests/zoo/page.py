"""The results of the zoo → docs/models.json and docs/models.md."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DATA = ROOT / "docs" / "models.json"
PAGE = ROOT / "docs" / "models.md"

Results = dict[str, dict[str, Any]]
EXPORTERS = "dynamo", "TorchScript"
VERDICTS = {
    "right": "right",
    "first": "right at the first size only",
    "wrong": "wrong",
    "refused": "refused",
    "crash": "crashes",
}
_RIGHT = "right", "order", "random"
"""The kinds of scan's outcomes that are right."""
_ONE_SIZE = "Or, if the model gets no other sizes"  # of scan's last paragraph
_BOUNDS = "Or, if the model gets no sizes such as"
_LONGEST = 160  # characters of a reason
_CHANGED = {
    "kornia.disk": (
        "kornia/feature/disk/detector.py:55",
        (
            "`torch.kthvalue` of the logits followed by `n` infinities, without the condition: right by both exporters after `--write "
            "specs --build`"
        ),
    ),
    "neuraloperator.fourier": (
        "neuralop/layers/spectral_convolution.py:474",
        (
            "`SpectralConv.forward` with real and imaginary parts: products with matrices of cosines and sines of the kept modes; and "
            "`torch.arange(n) / (n - 1)` in place of `torch.linspace`: right by dynamo, by PyTorch alone"
        ),
    ),
    "torchvision.faster_rcnn": (
        "torchvision/models/detection/_utils.py:176",
        (
            "both reshapes without their conditions, to `rel_codes.shape[1]` and to `pred_boxes.shape[1] // 4` in place of -1: right by "
            "TorchScript, by PyTorch alone, where nothing is detected, too"
        ),
    ),
    "transformers.bigbird": (
        "modeling_big_bird.py:907",
        (
            "`torch.zeros` in place of `np.zeros`, and `torch.stack` of the rows: right by both exporters for sequences of whole blocks, by "
            "PyTorch alone"
        ),
    ),
    "transformers.encodec": (
        "modeling_encodec.py:150",
        (
            "`extra_pad = torch.where(missing > 0, missing, 0)`, with `missing = max_pad - length + 1`, and the padding without the "
            "condition: right by TorchScript, by PyTorch alone, too"
        ),
    ),
    "transformers.mamba": (
        "modeling_mamba.py:261",
        (
            "the loop in a function with `@torch.jit.script`: right by TorchScript, or as a step of `torch._higher_order_ops.scan`: right "
            "by dynamo; both by PyTorch alone"
        ),
    ),
    "x_transformers.encoder_with_alibi": (
        "x_transformers.py:693",
        "`-(context_arange - seq_arange[:, None])[None].abs()` in place of `einx.subtract`: right by dynamo, by PyTorch alone",
    ),
}
"""Lines that scan names, and the changes there that were made by hand and compared at both sizes
and other values.
"""
_EXAMINED = {
    "timm.mobilevit": "Exported from the first size, 64, the dynamo exporter's file fails at 96. Exported from 96, as scan writes the "
    "call, it is right at 64, 96, 128, 160 and 192. Both fail at 80, where PyTorch resizes the image to whole patches.",
    "torchvision.faster_rcnn": "The TorchScript exporter's file fails where the model proposes no region, in a Reshape node to `{0,-1}`. "
    "Here, images with values beyond 0 to 1 have none; those of 0 to 1, with which PyTorch alone is compared, all have some.",
    "torch_geometric.transformer": "The TorchScript exporter writes sizes of another rank into the file for `scatter_reduce`. "
    "onnx.checker rejects them; ONNX Runtime only warns.",
    "ultralytics.rt_detr": "Two queries of equal scores, 0.003633 of the same class, come in the other order: rows 180 and 181 of 300, "
    "each within 1e-7 of PyTorch's other one.",
}
_BUSY = 1.5
"""The processes that want a core, above which a machine is busy: a scan uses both cores at times."""
_HEAD = """\
# Models of others

`poe zoo` scans models that nobody here wrote: small configurations, with random weights, of packages on the index. Each is first
exported by PyTorch alone, and compared by NumPy and ONNX Runtime at two sizes and at other values. No code of onnxop takes part in
that. Then `onnxop scan --write specs --build` runs, with no further option. The functions that build the models are in
[tests/zoo](../tests/zoo). Seconds of CPU depend on what else the machine does: on a busy one, which the table tells where it was recorded, they are two to four
times as many.

"""


def read() -> Results:
    """Return the results of former runs."""
    if not DATA.exists():
        return {}
    results: Results = json.loads(DATA.read_text(encoding="utf-8"))
    return results


def write(results: Results) -> None:
    """Write both files."""
    ordered = dict(sorted(results.items()))
    DATA.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(ordered), encoding="utf-8")


def page(results: Results) -> str:
    """Return the page."""
    return _HEAD + "\n".join([*_summary(results), "", *_table(results), "", *_reasons(results)])


def is_right(result: Mapping[str, Any]) -> bool:
    """Return whether PyTorch alone writes a right file, by one of its exporters."""
    return any(each["verdict"] == "right" for each in result["stock"].values())


def is_right_with(result: Mapping[str, Any]) -> bool:
    """Return whether scan has a right file: of PyTorch alone, or with the package that it built."""
    scan = result["scan"]
    outcomes = [*scan.get("whole", {}).values(), *scan.get("with_package", {}).values()]
    return any(outcome["kind"] in _RIGHT for outcome in outcomes)


def changed(results: Results) -> dict[str, tuple[str, str]]:
    """Return the models that a change by hand mends, at a line that scan names, each with the line
    and the change.
    """
    named = {
        name: " ".join(
            " ".join([*result["scan"].get("next", []), *result["scan"].get("notes", [])]).split()
        )
        for name, result in results.items()
    }
    return {name: change for name, change in _CHANGED.items() if change[0] in named.get(name, "")}


def disagreements(results: Results) -> list[str]:
    """Return the models of which scan calls a stock export right that PyTorch alone has not right,
    or the reverse.
    """
    unlike = []
    for name, result in results.items():
        for exporter, outcome in result["scan"].get("whole", {}).items():
            verdict = result["stock"][exporter]["verdict"]
            if outcome.get("stopped") and verdict == "first":
                continue  # scan says that it did not try other sizes
            is_plain = outcome["kind"] in _RIGHT and not outcome.get("how")
            if is_plain != (verdict == "right"):
                unlike.append(f"{name} by {exporter}: {VERDICTS[verdict]}, scan: {outcome['kind']}")
    return unlike


def _summary(results: Results) -> Iterator[str]:
    dates = sorted(result["date"] for result in results.values())
    versions = sorted({f"torch {result['versions']['torch']}" for result in results.values()})
    wrong = {name: result for name, result in results.items() if not is_right(result)}
    mended = sum(map(is_right_with, wrong.values()))
    slow = [result["scan"] for result in results.values() if result["scan"]["cpu_seconds"] > 60]
    busy = sum(map(_was_busy, slow))
    unlike = disagreements(results)
    yield (
        f"Last run: {dates[0]} to {dates[-1]}, {', '.join(versions)}, {len(results)} models."
        if dates
        else "Not run yet."
    )
    yield ""
    for exporter in EXPORTERS:
        counts = Counter(result["stock"][exporter]["verdict"] for result in results.values())
        told = (f"{counts[kind]} {text}" for kind, text in VERDICTS.items() if counts[kind])
        yield f"- {exporter}, PyTorch alone: {', '.join(told)}."
    by_hand = [
        name for name in changed(results) if name in wrong and not is_right_with(wrong[name])
    ]
    yield (
        f"- Neither exporter is right alone for {len(wrong)} models; of these, scan has a right file for {mended}, and names the "
        f"change that makes one for {len(by_hand)} more."
    )
    of_busy = f", {busy} of them on a busy machine" if busy else ""
    yield f"- Scans above 60 s of CPU: {len(slow)}{of_busy}. Stock verdicts on which scan and PyTorch alone disagree: {len(unlike)}."
    yield ""
    yield "```mermaid"
    yield "pie showData title Right files"
    alone = len(results) - len(wrong)
    yield f'    "by PyTorch alone" : {alone}'
    yield f'    "after scan" : {mended}'
    yield f'    "none" : {len(wrong) - mended}'
    yield "```"


def _table(results: Results) -> Iterator[str]:
    yield "| model | package | dynamo alone | TorchScript alone | after scan | CPU s | commit, or date |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, result in results.items():
        package = list(result["versions"].items())[4]
        alone = " | ".join(VERDICTS[result["stock"][e]["verdict"]] for e in EXPORTERS)
        busy = " (busy)" if _was_busy(result["scan"]) else ""
        seconds, run = result["scan"]["cpu_seconds"], result.get("commit") or result["date"]
        row = name, " ".join(package), alone, _after(result), f"{seconds}{busy}", run
        yield f"| {' | '.join(row)} |"


def _was_busy(scan: Mapping[str, Any]) -> bool:
    """Return whether other processes wanted the cores, too, where that was recorded."""
    return float(scan.get("load_per_core", 0)) > _BUSY


def _after(result: Mapping[str, Any]) -> str:
    """Return whether scan has a right file, and where PyTorch alone has none, by what."""
    scan = result["scan"]
    if not is_right_with(result):
        last = scan.get("next", [])
        if any(line.startswith(_BOUNDS) for line in last):
            return "right for sizes on one side of a condition"
        is_for_one = any(line.startswith(_ONE_SIZE) for line in last)
        return "right for one size alone" if is_for_one else "no right file"
    if is_right(result):
        return "right"
    kinds = {outcome["kind"] for outcome in scan["whole"].values()}
    if "random" in kinds and "right" not in kinds:
        return "right but for random numbers, by the call that scan writes"
    if kinds & {*_RIGHT}:
        return "right, by the call that scan writes"
    return f"right, by specs: {', '.join(scan['specs'])}"


def _reasons(results: Results) -> Iterator[str]:
    """Yield, for each model without a right file, what scan says to do next, in three lines at
    most.
    """
    yield "## Without a right file"
    for name, result in results.items():
        if not is_right_with(result):
            yield ""
            yield f"**{name}**"
            yield ""
            yield "```text"
            steps = result["scan"].get("next", [])[:4]
            yield from (textwrap.shorten(step, _LONGEST, placeholder=" ...") for step in steps)
            yield "```"
    yield ""
    yield "## With the change that scan names"
    yield ""
    yield from (f"- {name}: {line}: {text}." for name, (line, text) in changed(results).items())
    yield ""
    yield "## Disagreements"
    yield ""
    for line in disagreements(results):
        yield f"- {line}"
    unlike = " ".join(disagreements(results))
    yield from (f"- {name}: {text}" for name, text in _EXAMINED.items() if f"{name} by " in unlike)
    yield ""
