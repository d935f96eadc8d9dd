"""Nodes and inputs that are wrong in every way, for the library of a package in ONNX Runtime.

    python tests/malformed.py TESTS [STEP]

runs them in one process, which a crash would end; each refusal must be a sentence. TESTS is the
folder of the tests of an installed package. STEP runs only every step-th call.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import torch
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped]

LARGEST, SMALLEST = 2**63 - 1, -(2**63)
# Values of attributes, by type: out of range for most operators, and of the wrong type for most.
VALUES: dict[str, list[Any]] = {
    "INT": [0, 3, -3, 2**31, 2**61, 2**62, LARGEST, SMALLEST],
    "INTS": [[1], [1, 2], [-50, -50], [-30, 5], [LARGEST] * 2, [SMALLEST, LARGEST], [0] * 100],
    "FLOAT": [1.5, -1e38, float("nan"), float("inf")],
    "FLOATS": [[1.0, 2.0], [float("nan")] * 3],
    "STRING": ["", "x", b"\xff\x00\xff"],
    "STRINGS": [["a", "b"]],
    "TENSOR": [helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])],
    "GRAPH": [helper.make_graph([], "graph", [], [])],
}
EMPTY_LISTS = ("INTS", "FLOATS", "STRINGS")
# The exceptions of ONNX Runtime, and of its Python binding for a missing input.
REFUSALS: tuple[type[Exception], ...] = (
    ValueError,
    *(
        kind
        for kind in vars(state).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ),
)
KINDS = ("all", "nothing", "rank")
DTYPES = "float16 float32 float64 int32 int64 uint8 bool complex64 object".split()


@dataclass(frozen=True)
class Call:
    """A model of one node, and its inputs.

    Args:
        inputs: the node's inputs; "" is omitted.
        attributes: its attributes.
        feeds: the arrays by input.
        outputs: the node's outputs.
        kind: what the graph tells of its inputs' shapes: nothing, the ranks, or all sizes.
        is_wrong: whether it must be refused; None where the operator decides.
    """

    inputs: tuple[str, ...]
    attributes: dict[str, onnx.AttributeProto]
    feeds: dict[str, Any]
    outputs: tuple[str, ...]
    kind: str = "nothing"
    is_wrong: bool | None = None
    about: str = field(default="", compare=False)

    def model(self, domain: str, op_type: str, version: int) -> bytes:
        node = helper.make_node(op_type, self.inputs, self.outputs, domain=domain)
        node.attribute.extend(self.attributes.values())
        types = {name: element_type(array) for name, array in self.feeds.items()}
        sizes: dict[str, Any] = dict.fromkeys(self.feeds)
        if self.kind != "nothing":
            sizes = {name: array.shape for name, array in self.feeds.items()}
        if self.kind == "rank":
            sizes = {name: [None] * len(shape) for name, shape in sizes.items()}
        first = next(iter(types.values()), TensorProto.FLOAT)
        graph = helper.make_graph(
            [node],
            "graph",
            [helper.make_tensor_value_info(name, types[name], sizes[name]) for name in self.feeds],
            [helper.make_tensor_value_info(name, first, None) for name in self.outputs if name],
        )
        imports = [helper.make_opsetid("", 17), helper.make_opsetid(domain, version)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=8)
        return bytes(model.SerializeToString())


def element_type(array: Any) -> int:
    if array.dtype == object:
        return int(TensorProto.STRING)
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def attribute(name: str, value: Any, kind: str) -> onnx.AttributeProto:
    if isinstance(value, onnx.TensorProto | onnx.GraphProto):
        return helper.make_attribute(name, value)
    type_ = onnx.AttributeProto.AttributeType.Value(kind)
    return helper.make_attribute(name, value, attr_type=type_)


def shapes_near(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from [(), (0,) * len(shape), (1, *shape), shape[1:], (1,) * 9 + shape]
    yield (0, *shape[1:])
    for dimension in range(len(shape)):
        for size in (0, 1, shape[dimension] + 1):
            yield (*shape[:dimension], size, *shape[dimension + 1 :])


def wrong_inputs(call: Call, optional: frozenset[str]) -> Iterator[Call]:
    for name in call.feeds:
        rest = {other: array for other, array in call.feeds.items() if other != name}
        inputs = tuple("" if other == name else other for other in call.inputs)
        is_wrong = None if name in optional else True
        yield replace(call, inputs=inputs, feeds=rest, is_wrong=is_wrong, about=f"no {name}")
        for shape in shapes_near(call.feeds[name].shape):
            feeds = {**call.feeds, name: np.ones(shape, call.feeds[name].dtype)}
            yield replace(call, feeds=feeds, about=f"{name} of shape {shape}")
        for dtype in DTYPES:
            feeds = {**call.feeds, name: call.feeds[name].astype(dtype)}
            is_wrong = True if dtype == "object" else None
            yield replace(call, feeds=feeds, is_wrong=is_wrong, about=f"{name} {dtype}")
        value = np.full_like(call.feeds[name], np.nan if call.feeds[name].dtype.kind == "f" else 1)
        yield replace(call, feeds={**call.feeds, name: value}, about=f"{name} NaN")
    for dtype in DTYPES:
        feeds = {name: array.astype(dtype) for name, array in call.feeds.items()}
        yield replace(call, feeds=feeds, about=f"all {dtype}")
    for shape in shapes_near(next(iter(call.feeds.values())).shape):
        feeds = {name: np.ones(shape, array.dtype) for name, array in call.feeds.items()}
        yield replace(call, feeds=feeds, about=f"all of shape {shape}")
    yield replace(call, inputs=(), feeds={}, is_wrong=True, about="no inputs")
    inputs = (*call.inputs, call.inputs[0])
    yield replace(call, inputs=inputs, is_wrong=True, about="an input more")
    outputs = (*call.outputs, "more")
    yield replace(call, outputs=outputs, is_wrong=True, about="an output more")
    first, *others = call.feeds
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((2**33, 1, 0), (1, 2**33, 0)),
        ((0, 2**33, 1), (0, 1, 2**33)),
    ]
    if "ASAN_OPTIONS" not in os.environ:  # ends the process if there is not enough memory
        pairs.append(((2**20, 1), (1, 2**20)))
    for one, other in pairs:
        arrays = {first: one, **dict.fromkeys(others, other)}
        feeds = {name: np.zeros(shape, np.float32) for name, shape in arrays.items()}
        yield replace(call, feeds=feeds, about=f"{one} with {other}")


def wrong_attributes(
    call: Call, kinds: dict[str, set[str]], has_default: set[str]
) -> Iterator[Call]:
    unknown = {"unknown": attribute("unknown", 3, "INT")}
    yield replace(call, attributes={**call.attributes, **unknown}, is_wrong=False, about="unknown")
    for name, taken in kinds.items():
        rest = {other: value for other, value in call.attributes.items() if other != name}
        yield replace(call, attributes=rest, is_wrong=name not in has_default, about=f"no {name}")
        for other, values in VALUES.items():
            for value in [*values, *([[]] if other in EMPTY_LISTS else [])]:
                proto = attribute(name, value, other)
                # ONNX Runtime does not distinguish types of empty lists.
                is_wrong = None if other in taken or value == [] else True
                attributes = {**rest, name: proto}
                about = f"{name} = {other} {value}"
                yield replace(call, attributes=attributes, is_wrong=is_wrong, about=about)


def calls(operator: Any, arguments: dict[str, Any]) -> Iterator[Call]:
    """Yield one valid call, and many invalid ones."""
    scalars = {scalar.name: scalar for scalar in operator.scalars}
    has_default = {argument.name for argument in operator.arguments if argument.has_default}
    values = {argument.name: argument.default for argument in operator.arguments} | arguments
    tensors = {tensor.name: values[tensor.name] for tensor in operator.tensors}
    feeds = {name: value.numpy() for name, value in tensors.items() if value is not None}
    kinds = {name: scalar.attribute(values[name]) for name, scalar in scalars.items()}
    attributes = {
        name: attribute(name, plain(values[name]), kind)
        for name, kind in kinds.items()
        if values[name] is not None
    }
    taken = {
        name: {"FLOAT", "INT"} if scalars[name].base_type == "number" else {kind}
        for name, kind in kinds.items()
    }
    inputs = tuple(name if name in feeds else "" for name in tensors)
    outputs = tuple(f"out_{name}" for name in operator.results)
    right = Call(inputs, attributes, feeds, outputs=outputs, is_wrong=False, about="right")
    optional = frozenset(tensor.name for tensor in operator.tensors if tensor.is_optional)
    wrong = [
        *wrong_inputs(replace(right, is_wrong=None), optional),
        *wrong_attributes(replace(right, is_wrong=None), taken, has_default),
    ]
    yield from [right, *wrong]


def plain(value: Any) -> Any:
    """Return the value as an attribute: booleans are integers in ONNX."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, bool) else value


def refusal(call: Call, operator: Any, options: Any) -> str | None:
    """Return the runtime's message if it refuses the call."""
    model = call.model(operator.domain, operator.op_type, operator.version)
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        session.run(None, call.feeds)
    except REFUSALS as error:
        return str(error)
    return None


def cases(tests: Path) -> Iterator[Any]:
    """Return the test classes of the folder, each with an operator and samples."""
    sys.path.insert(0, str(tests))
    for file in sorted(tests.glob("test_*.py")):
        for case in vars(importlib.import_module(file.stem)).values():
            if getattr(case, "__module__", "") == file.stem and hasattr(case, "samples"):
                yield case


def main(tests: str, step: str = "1") -> None:
    onnxruntime.set_default_logger_severity(4)
    for case in cases(Path(tests)):
        if not case.operator.is_native:
            continue
        options = case.operator.package.session_options()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1  # each session would start threads
        operator, counts = case.operator, {True: 0, False: 0}
        for sample in case.samples:
            if torch.bfloat16 in (getattr(v, "dtype", None) for v in sample.arguments().values()):
                continue  # NumPy has no such dtype
            kinds = KINDS if sample is case.samples[0] else KINDS[:1]
            tried = itertools.product(calls(operator, sample.arguments()), kinds)
            for call, kind in itertools.islice(tried, None, None, int(step)):
                call = replace(call, kind=kind)
                sentence = refusal(call, operator, options)
                about = f"{operator}, {call.kind} known of shapes, {call.about}: {sentence}"
                assert call.is_wrong is None or call.is_wrong == (sentence is not None), about
                assert sentence is None or len(sentence.split()) > 5, about
                counts[sentence is None] += 1
        print(f"{operator}: {counts[True]} calls accepted, {counts[False]} refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
