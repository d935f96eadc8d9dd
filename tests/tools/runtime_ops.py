"""The first release of ONNX Runtime that runs each ONNX op on the CPU, found by trying.

    python tests/tools/runtime_ops.py [FOLDER]

tries every release from 1.17 on, each installed into its own folder (16 MB each; one in FOLDER is
used unchanged), on a model of one node for each op and version, and for each dtype of an input, and
writes generator/onnxop/check/runtime_ops.json. The table has a dtype if only a later release than
the op's first runs it: "7 T double" is the op's version, its type variable, and the dtype.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper
from onnx.defs import OpSchema

from tests.programs import program

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "generator" / "onnxop" / "check" / "runtime_ops.json"
OPSETS = range(9, 26)
FIRST = 17
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")

# The types of the tried nodes, most frequent first.
TYPES = {
    "tensor(float)": TensorProto.FLOAT,
    "tensor(int64)": TensorProto.INT64,
    "tensor(bool)": TensorProto.BOOL,
    "tensor(uint8)": TensorProto.UINT8,
    "tensor(int32)": TensorProto.INT32,
    "tensor(string)": TensorProto.STRING,
    "tensor(float16)": TensorProto.FLOAT16,
    "tensor(double)": TensorProto.DOUBLE,
    "tensor(int8)": TensorProto.INT8,
    "tensor(complex64)": TensorProto.COMPLEX64,
    "tensor(float8e4m3fn)": TensorProto.FLOAT8E4M3FN,
}
# The types of an input for ops that have others first.
DTYPES = {kind: TYPES[kind] for kind in TYPES if not kind.startswith(("tensor(c", "tensor(float8"))}
DTYPES |= {
    f"tensor({name})": TensorProto.DataType.Value(name.upper())
    for name in ("bfloat16", "int16", "uint16", "uint32", "uint64")
}
EVERY = TYPES | DTYPES
ATTRIBUTES: dict[Any, Any] = {
    OpSchema.AttrType.INT: 1,
    OpSchema.AttrType.FLOAT: 1.0,
    OpSchema.AttrType.STRING: "x",
    OpSchema.AttrType.INTS: [1, 1],
    OpSchema.AttrType.FLOATS: [1.0],
    OpSchema.AttrType.STRINGS: ["x"],
}
# Further requirements of some ops.
GIVEN: dict[str, dict[str, Any]] = {
    "Constant": {"value_float": 1.0},
    "DepthToSpace": {"blocksize": 2},
    "SpaceToDepth": {"blocksize": 2},
    "Einsum": {"equation": "ij->ji"},
    "ImageDecoder": {"pixel_format": "RGB"},
    "BitShift": {"direction": "LEFT"},
    "GRU": {"hidden_size": 1},
    "LSTM": {"hidden_size": 1},
    "RNN": {"hidden_size": 1},
    "RegexFullMatch": {"pattern": "x"},
    "TfIdfVectorizer": {
        "max_gram_length": 1,
        "max_skip_count": 0,
        "min_gram_length": 1,
        "mode": "TF",
        "ngram_counts": [0],
        "ngram_indexes": [0],
        "pool_int64s": [1],
    },
}
NEEDED = {"Resize": ("scales",), "Loop": ("M", "cond")}  # required in fact


def _graph(inputs: Sequence[str], results: Sequence[str]) -> onnx.GraphProto:
    """Return a graph for an attribute of a node; its results are its inputs, or values of the outer
    graph.
    """
    outputs = [f"{name}_{place}" for place, name in enumerate(results)]
    nodes = [
        helper.make_node("Identity", [name], [output])
        for name, output in zip(results, outputs, strict=True)
    ]
    taken, produced = (
        [onnx.ValueInfoProto(name=name) for name in names] for names in (inputs, outputs)
    )
    return helper.make_graph(nodes, "graph", taken, produced)


# The graphs of the ops for which mappings have a notation.
GRAPHS = {
    "If": {name: _graph([], ["in_0"]) for name in ("then_branch", "else_branch")},
    "Loop": {"body": _graph(["i", "keep", "y"], ["keep", "y"])},
}

# Runs in the tried release: prints the models of a node that it loads; None if none is right.
TRY = program("runtime_ops/try")


def schemas() -> Iterator[OpSchema]:
    """Return the ops of ONNX's default domain on tensors, in every version."""
    every: list[OpSchema] = [
        schema
        for schema in onnx.defs.get_all_schemas_with_history()
        if schema.domain == "" and schema.since_version < OPSETS.stop
    ]
    for schema in every:
        later = [s.since_version for s in every if s.name == schema.name]
        is_replaced = any(schema.since_version < v <= OPSETS.start for v in later)
        kinds = [a.type for a in schema.attributes.values() if a.required]
        has_graphs = any(
            kind in (OpSchema.AttrType.GRAPH, OpSchema.AttrType.GRAPHS) for kind in kinds
        )
        known = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        has_tensors = all(
            any(kind.startswith("tensor(") for kind in known.get(port.type_str, [port.type_str]))
            for port in (*schema.inputs, *schema.outputs)
        )
        is_unknown = has_graphs and schema.name not in GRAPHS
        if has_tensors and not (schema.deprecated or is_replaced or is_unknown):
            yield schema


def ports_of(schema: OpSchema) -> list[OpSchema.FormalParameter]:
    """Return the inputs of the tried node."""
    return [
        port
        for port in schema.inputs
        if port.option != OpSchema.FormalParameterOption.Optional
        or port.name in NEEDED.get(schema.name, ())
    ]


def _last(schema: OpSchema) -> int:
    """Return the last opset of this version of an op that the first release supports: ops without a
    kernel are decomposed, if at all, at opsets near the version's own.
    """
    opset = max(20, schema.since_version)
    while onnx.defs.get_schema(schema.name, opset).since_version > schema.since_version:
        opset -= 1
    return opset


def models(schema: OpSchema, limit: int = 60, fixed: tuple[str, str] = ("", "")) -> list[bytes]:
    """Return models of one node of the op, for the types of its inputs; ``fixed`` sets that of one
    type variable.
    """
    ports = ports_of(schema)
    places = [list(schema.inputs).index(port) for port in ports]
    choices = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    names = list(dict.fromkeys(port.type_str for port in ports))
    allowed = [
        [fixed[1]] if name == fixed[0] else [t for t in TYPES if t in choices.get(name, [name])]
        for name in names
    ]
    opset = helper.make_opsetid("", max(_last(schema), OPSETS.start))
    serialized = []
    for types in itertools.islice(itertools.product(*allowed), limit):
        kinds = dict(zip(names, types, strict=True))
        inputs = [
            helper.make_tensor_value_info(f"in_{place}", EVERY[kinds[port.type_str]], None)
            for place, port in zip(places, ports, strict=True)
        ]
        taken = ["" for _ in range(max(places, default=-1) + 1)]
        for place, value in zip(places, inputs, strict=True):
            taken[place] = value.name
        outputs = [f"out_{place}" for place in range(max(schema.min_output, 1))]
        known = GIVEN.get(schema.name, GRAPHS.get(schema.name, {}))
        needed = {
            name: ATTRIBUTES[attribute.type]
            for name, attribute in schema.attributes.items()
            if attribute.required and name not in known and attribute.type in ATTRIBUTES
        }
        node = helper.make_node(schema.name, taken, outputs, **needed, **known)
        graph = helper.make_graph(
            [node], "g", inputs, [onnx.ValueInfoProto(name=n) for n in outputs]
        )
        version = max(helper.find_min_ir_version_for([opset]), 8)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=version)
        serialized.append(model.SerializeToString())
    return serialized


def tried(release: Path, folder: Path) -> tuple[str, dict[str, bool | None]]:
    """Return the release's version, and the ops and opsets that it runs: None if no model was
    right.
    """
    nodes = dict[str, list[bytes]]()
    for schema in schemas():
        nodes[f"{schema.name} {schema.since_version}"] = models(schema)
        names = {port.type_str for port in ports_of(schema)}
        for constraint in schema.type_constraints:
            name = constraint.type_param_str
            for kind in DTYPES if name in names else ():
                if kind in constraint.allowed_type_strs:
                    key = f"{schema.name} {schema.since_version} {name} {kind[7:-1]}"
                    nodes[key] = models(schema, 40, (name, kind))
    for opset in OPSETS:  # the opset itself, tried by an op of every release
        nodes[f"opset {opset}"] = [_identity(opset)]
    for version in range(3, onnx.IR_VERSION + 1):
        nodes[f"ir {version}"] = [_identity(OPSETS.start, version)]
    (folder / "nodes.pickle").write_bytes(pickle.dumps(nodes))
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TRY, folder / "nodes.pickle"],
        env={**os.environ, "PYTHONPATH": str(release)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    version, results = json.loads(result.stdout.splitlines()[-1])
    return version, results


def _identity(opset: int, version: int = 0) -> bytes:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [value], [out])
    imports = [helper.make_opsetid("", opset)]
    version = version or helper.find_min_ir_version_for(imports)
    model = helper.make_model(graph, opset_imports=imports, ir_version=version)
    return bytes(model.SerializeToString())


def table(
    answers: Sequence[tuple[int, dict[str, bool | None]]],
) -> dict[str, dict[str, int | None]]:
    """Return by op and version the first release that runs it, or None; also by dtype, where it
    differs.
    """
    releases: dict[str, dict[str, int | None]] = {}
    for key in answers[-1][1]:
        name, _, version = key.partition(" ")
        first = next((release for release, runs in answers if runs[key]), None)
        known = releases.setdefault(name, {})
        if version.isdigit() or first not in (None, known[version.partition(" ")[0]]):
            known[version] = first
    return {name: releases[name] for name in sorted(releases)}


def text(newest: int, ops: dict[str, dict[str, int | None]]) -> str:
    """Return the table as JSON, an op a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(versions)}" for name, versions in ops.items()]
    body = ",\n".join(lines)
    return f'{{"newest": {newest}, "ops": {{\n{body}\n}}}}\n'


def install(release: int, folder: Path) -> Path:
    place = folder / f"1.{release}"
    if not place.exists():
        wanted = [f"onnxruntime==1.{release}.*", *(["numpy<2"] if release < 19 else [])]
        subprocess.run([sys.executable, *PIP, "--target", place, *wanted], check=True)
    return place


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path)
    options = parser.parse_args()
    import onnxruntime  # type: ignore[import-untyped]

    newest = int(onnxruntime.__version__.split(".")[1])
    with tempfile.TemporaryDirectory() as scratch:
        answers = []
        for release in range(FIRST, newest + 1):
            place = install(release, options.folder or Path(scratch))
            version, runs = tried(place, Path(scratch))
            answers.append((release, runs))
            unknown = [key for key, ran in runs.items() if ran is None and key.count(" ") == 1]
            print(version, sum(map(bool, runs.values())), "of", len(runs), unknown, flush=True)
    TABLE.write_text(text(newest, table(answers)), encoding="utf-8")


if __name__ == "__main__":
    main()
