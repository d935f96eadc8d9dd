"""What is known of a name → text for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..find import onnxops
from ..find.torchops import TorchOp
from ..trial.outcome import indented, opsets, told_by_opset
from .inspection import Answer, Tried


def answer(found: Answer) -> str:
    """Write what `inspect` found as a page."""
    parts = []
    if found.torch is not None:
        parts.append("\n".join(_torch(found.torch)))
        parts.append("\n".join(_exporters(found.tried, found.untried)))
        none = "  none of like name" if not found.onnx else ""
        parts.append("\n".join(filter(None, ["ONNX", *(_onnx(op) for op in found.onnx), none])))
        parts.append(f"Gallery\n{_gallery(found)}")
    elif found.onnx:
        parts += [_onnx(op) for op in found.onnx]
    for where, names in found.found.items():
        parts.append(f"{where}\n{indented(', '.join(names), '  ')}")
    return "\n\n".join(parts)


def _torch(op: TorchOp) -> Iterator[str]:
    yield op.name + (f", registered by {', '.join(op.requires)}" if op.requires else "")
    for schema in op.overloads.values():
        yield indented(schema, "  ", "      ")


def _exporters(tried: Tried | None, untried: str) -> Iterator[str]:
    yield "Exporters"
    if tried is None:
        yield f"  not tried: {untried}"
        return
    for exporter, outcomes in tried.outcomes.items():
        for line in told_by_opset(outcomes):
            yield indented(f"{exporter}, {line}", "  ", "      ")
    named = f" of overload {tried.overload}" * bool(tried.overload)
    lines = tried.sample.splitlines()[1:]
    yield f"  tried with{named}:" if lines else f"  tried{named} with no arguments"
    yield from (f"    {line}" for line in lines)


def _onnx(op: onnxops.OnnxOp) -> str:
    since, *changed = op.versions
    head = f"  {op.name}, since opset {since}"
    head += f", changed at {', '.join(map(str, changed))}" if changed else ""
    head += "; ONNX has given it up" if op.is_deprecated else ""
    lines = [
        head,
        indented(f"{', '.join(op.inputs) or 'nothing'} -> {', '.join(op.outputs)}", "    "),
        indented(f"attributes: {', '.join(op.attributes) or 'none'}", "    "),
        *_kernels(op),
    ]
    return "\n".join(lines)


def _kernels(op: onnxops.OnnxOp) -> Iterator[str]:
    if op.kernels is None:
        yield "    ONNX Runtime: not installed, or it does not list its kernels"
        return
    body = ", but runs its function body of other ops" * op.is_function
    for types, group in groupby(op.kernels, key=lambda kernel: kernel.types):
        which = opsets(kernel.version for kernel in group)
        words = [f"{variable} {', '.join(kinds)}" for variable, kinds in types.items() if kinds]
        has = f"a kernel for {'; '.join(words)}" if words else "a kernel"
        text = f"ONNX Runtime, version {which}: {has if types else f'no kernel{body}'}"
        yield indented(text, "    ", "      ")


def _gallery(found: Answer) -> str:
    if found.no_spec:
        return indented(found.no_spec.partition(": ")[2], "  ", "      ")
    if found.gallery is None:
        return f"  no spec; onnxop new --from {found.name} writes a starter"
    covers = [
        f"{exporter} {opsets(span)}" for exporter, span in found.gallery.opsets.items() if span
    ]
    return (
        f"  has a spec, for {' and '.join(covers)}: onnxop new --from "
        f"{found.name.partition('.')[0]} writes it"
    )
