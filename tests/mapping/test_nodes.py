"""The nodes of every spec's mapping; the first list was compared with the nodes of release 0.3.0.

`nodes.txt` has a line for each spec, opset and sample: its ops, and a hash of its nodes. After an
intended change: `python -m tests.mapping.test_nodes`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from onnx import NodeProto

from onnxop.check.calls import values_of
from onnxop.check.mapping import mapped, opsets_of
from onnxop.spec.load import parse_spec
from onnxop_runtime.mapping import MappingError, rule_for_writer
from onnxop_runtime.mapping.sample_model import ModelWriter
from onnxop_runtime.specs.reading import read_file
from tests.documents import ROOT

GOLDEN = Path(__file__).with_name("nodes.txt")
SPECS = [
    *sorted(ROOT.glob("reference_ops/*/ops/*.toml")),
    *sorted(ROOT.glob("runtime/onnxop_runtime/gallery/*/*.toml")),
    *sorted(ROOT.glob("tests/specs/*.toml")),
]


def clear_names(nodes: Iterable[NodeProto]) -> None:
    for node in nodes:
        node.ClearField("name")
        for attribute in node.attribute:
            clear_names(attribute.g.node)


def lines_of(path: Path) -> Iterator[str]:
    read = read_file(path)
    spec = parse_spec(read, path, names_package=False).spec
    assert spec is not None and not read.problems
    if not spec.mapping.is_given:
        return
    own, last = mapped(spec), ""
    name = f"{path.parent.parent.name}/{path.stem}"
    spans = opsets_of(spec)
    scripted, dynamo = ([*span][:1] + [*span][-1:] for span in (spans.torchscript, spans.dynamo))
    yield f"{name} TorchScript {scripted} dynamo {dynamo} built at {spans.dynamo_opset}"
    for opset in spans.starts:
        write = rule_for_writer(own.to_onnx, opset, scalars=own.scalars, results=own.results)
        for place, sample in enumerate(spec.samples):
            for is_dynamic in (False, True):
                writer = ModelWriter(is_dynamic=is_dynamic)
                values = values_of(sample, spec.schema)
                arguments = {
                    n: writer.argument(n, v, own.scalars.get(n)) for n, v in values.items()
                }
                try:
                    write(writer, **arguments)
                    clear_names(writer.nodes)
                    digest = hashlib.sha256(b"".join(n.SerializeToString() for n in writer.nodes))
                    ops = " ".join(n.op_type for n in writer.nodes if n.op_type != "Constant")
                    line = f"{digest.hexdigest()[:10]} {ops[:80]}"
                except (MappingError, ValueError) as error:
                    line = f"refused: {str(error)[:60]}"
                if not is_dynamic or line != last:
                    kind = " dynamic" if is_dynamic else ""
                    yield f"{name} {opset} {place}{kind}: {line}".rstrip()
                last = line


@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_nodes(path: Path) -> None:
    name = f"{path.parent.parent.name}/{path.stem} "
    golden = GOLDEN.read_text(encoding="utf-8").splitlines()
    assert [*lines_of(path)] == [line for line in golden if line.startswith(name)]


if __name__ == "__main__":
    text = "\n".join(line for path in SPECS for line in lines_of(path))
    GOLDEN.write_text(f"{text}\n", encoding="utf-8")
