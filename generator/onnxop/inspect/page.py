"""The facts about a name → text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ..find import onnxops
from ..trial.outcome import indented, lines_by_opset, opsets
from .inspection import Inspection, Tried


def answer(inspection: Inspection) -> str:
    """Return the answer of `inspect` as a page."""
    parts = [_onnx(op) for op in inspection.onnx]
    if op := inspection.torch:
        head = op.name + (f", registered by {', '.join(op.requires)}" if op.requires else "")
        overloads = (indented(schema, "  ", "      ") for schema in op.overloads.values())
        parts = [
            "\n".join([head, *overloads]),
            "\n".join(_exporters(inspection.tried, inspection.untried)),
            "\n".join(["ONNX", *(parts or ["  no op with a similar name"])]),
            f"Gallery\n{_gallery(inspection)}",
        ]
    for where, names in inspection.matches.items():
        parts.append(f"{where}\n{indented(', '.join(names), '  ')}")
    return "\n\n".join(parts)


def _exporters(tried: Tried | None, untried: str) -> Iterator[str]:
    """Yield the lines on the exports that were tried, and on the sample."""
    yield "Exporters"
    if tried is None:
        yield indented(f"not tried: {untried}", "  ", "      ")
        return
    for exporter, outcomes in tried.outcomes.items():
        for line in lines_by_opset(outcomes):
            yield indented(f"{exporter}, {line}", "  ", "      ")
    head = f"  tried of overload {tried.overload}" if tried.overload else "  tried"
    lines = tried.sample.splitlines()[1:]
    yield f"{head} with:" if lines else f"{head} without arguments"
    yield from (f"    {line}" for line in lines)


def _onnx(op: onnxops.OnnxOp) -> str:
    """Return the lines on an op of ONNX."""
    since, *changed = op.versions
    head = f"  {op.name}, since opset {since}"
    if changed:
        head += f", changed at {', '.join(map(str, changed))}"
    if op.is_deprecated:
        head += "; deprecated"
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
    for types, group in groupby(op.kernels, key=lambda kernel: kernel.types):
        which = opsets(kernel.version for kernel in group)
        text = f"ONNX Runtime, version {which}: {_support(op, types)}"
        yield indented(text, "    ", "      ")


def _support(op: onnxops.OnnxOp, types: Mapping[str, Sequence[str]]) -> str:
    """Return what ONNX Runtime has for an op whose kernels take these types, by type variable."""
    if not types:
        return "no kernel, but it runs the op's function body" if op.is_function else "no kernel"
    dtypes = [f"{variable} {', '.join(names)}" for variable, names in types.items() if names]
    return f"a kernel for {'; '.join(dtypes)}" if dtypes else "a kernel"


def _gallery(inspection: Inspection) -> str:
    if inspection.no_spec:
        return indented(inspection.no_spec.partition(": ")[2], "  ", "      ")
    if inspection.gallery is None:
        return f"  no spec; onnxop new --from {inspection.name} writes a starter"
    covered = [f"{name} {opsets(span)}" for name, span in inspection.gallery.opsets.items() if span]
    base = inspection.name.partition(".")[0]
    return f"  a spec for {' and '.join(covered)}; onnxop new --from {base} writes it"
