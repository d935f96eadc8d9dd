"""What is known of a name → text for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..find import onnxops
from ..find.torchops import Overload, TorchOp
from ..trial.outcome import indented, opsets, told_by_opset
from .inspection import Answer, Tried


def answer(found: Answer) -> str:
    """What `inspect` found, as a page."""
    parts = []
    if found.torch is not None:
        parts.append("\n".join(_torch(found.torch)))
        parts.append("\n".join(_exporters(found.torch, found.tried, found.untried)))
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
    for overload in op.overloads:
        yield indented(overload.schema, "  ", "      ")


def _exporters(op: TorchOp, tried: Tried | None, untried: str) -> Iterator[str]:
    yield "TorchScript exporter"
    spans = [
        f"{opsets(range(s.first, s.last + 1))} {s.function}{' (which refuses)' * s.refuses}"
        for s in op.torchscript
    ]
    yield f"  registry: {', '.join(spans) or 'no function'}"
    if tried is not None:
        for line in told_by_opset(tried.outcomes["TorchScript"]):
            yield indented(line, "  ", "      ")
    yield ""
    yield "dynamo exporter"
    words = [f"{overload.name or 'default'}: {_dynamo(overload)}" for overload in op.overloads]
    words = words if len(words) > 1 else [_dynamo(op.overloads[0])]
    yield indented(f"registry: {', '.join(words)}", "  ", "      ")
    if tried is not None:
        for line in told_by_opset(tried.outcomes["dynamo"]):
            yield indented(line, "  ", "      ")
        named = f" of overload {tried.overload}" * bool(tried.overload)
        lines = tried.sample.splitlines()[1:]
        yield ""
        yield f"What was tried{named}:" if lines else f"What was tried{named}: no arguments"
        yield from (f"  {line}" for line in lines)
    else:
        yield f"  not tried: {untried}"


def _dynamo(overload: Overload) -> str:
    if overload.dynamo:
        return f"a {overload.dynamo}"
    return "composed of other operators" if overload.decomposes else "nothing"


def _onnx(op: onnxops.OnnxOp) -> str:
    since, *changed = op.versions
    head = f"  {op.name}, since opset {since}"
    head += f", changed at {', '.join(map(str, changed))}" if changed else ""
    head += "; ONNX has given it up" if op.is_deprecated else ""
    attributes = [f"{a.name}{'' if a.required else '?'} {a.type}" for a in op.attributes]
    lines = [
        head,
        indented(f"{', '.join(op.inputs) or 'nothing'} -> {', '.join(op.outputs)}", "    "),
        indented(f"attributes: {', '.join(attributes) or 'none'}", "    "),
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
