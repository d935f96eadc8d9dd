# Run by test_runtime_table.py: exports the standard nodes of packages with dynamic sizes, runs them, and
# prints a table of the runtimes; with --tensorrt, asks the parser of TensorRT, also of nodes with function bodies.
import importlib.util
import re
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import openvino
import torch

from onnxop.package.shipped import tensorrt
from onnxop.package.shipped.errors import ShipError
from onnxop_runtime.exporting.rules.opsets import standard
from onnxop_runtime.testing.base import OperatorTests
from onnxop_runtime.testing.roundtrips import model_of
from onnxop_runtime.verification.comparison import TOLERANCES


def in_onnx_runtime(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    return lambda feeds: session.run(None, {name: feeds[name] for name in names})


def in_openvino(path):
    precise = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(path, "CPU", precise)

    def run(feeds):
        ports = {port: port.names & feeds.keys() for port in compiled.inputs}
        return [*compiled({port: feeds[name] for port, (name,) in ports.items()}).values()]

    return run


RUNTIMES = {
    f"ONNX Runtime {onnxruntime.__version__}": in_onnx_runtime,
    f"OpenVINO {openvino.__version__.partition('-')[0]}": in_openvino,
}


def test_classes(folder):
    """Yield the tests of each operator of a package."""
    for path in sorted(folder.glob("tests/test_*.py")):
        spec = importlib.util.spec_from_file_location(f"{folder.name}_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, OperatorTests):
                yield value


def dynamic_samples(tests):
    """Yield the samples that have dynamic sizes, and no floats but float32."""
    for sample in tests.samples:
        _, tensors = model_of(tests, sample.arguments())
        if sample.can_grow and {t.dtype for t in tensors if t.is_floating_point()} == {
            torch.float32
        }:
            yield sample


def refusal(error):
    """Return why a runtime refuses a model, in a few words."""
    text = " ".join(str(error).split())
    missing = re.search(r"No conversion rule found for operations: ([\w, -]+?)-\d+", text)
    return f"no `{missing[1]}`" if missing else text.replace("|", "/")


def difference(actual, expected):
    """Return how results differ, "" if they do not."""
    for one, other in zip(actual, expected, strict=True):
        if one.shape != other.shape:
            return f"shape {one.shape} in place of {other.shape}"
        if not np.allclose(one, other, *TOLERANCES["float32"], equal_nan=True):
            return "other values"
    return ""


def export(tests, sample, dynamo, domain):
    """Export a sample's call with dynamic sizes; return the model and its inputs."""
    model, inputs = model_of(tests, sample.arguments())
    tests.operator.package.export(
        model, inputs, "model.onnx", dynamo=dynamo, domain=domain, verbose=False,
        input_names=model.names, dynamic_axes=sample.axes(),
    )  # fmt: skip
    return model, inputs


def in_runtimes(tests, sample, dynamo):
    """Export a sample's call, and run it in each runtime with the sizes of the export and with larger ones."""
    model, inputs = export(tests, sample, dynamo, "")
    _, larger = model_of(tests, sample.arguments(larger=True))
    return [run_in(load, model, (inputs, larger)) for load in RUNTIMES.values()]


def run_in(load, model, calls):
    """Return the outcome of a runtime that loads the file, and runs it with the arguments of each call."""
    try:
        run = load("model.onnx")
    except Exception as error:
        return refusal(error)
    for arguments in calls:
        with torch.no_grad():
            expected = model(*arguments)
        expected = expected if isinstance(expected, tuple) else (expected,)
        feeds = {n: x.numpy() for n, x in zip(model.names, arguments, strict=True)}
        try:
            actual = run(feeds)
        except Exception as error:
            return refusal(error)
        if fact := difference(actual, [x.numpy() for x in expected]):
            return fact
    return "runs"


def parsed(tests, sample, dynamo):
    """Export a sample's call as standard nodes and as a node with a function body; return what TensorRT refuses, in
    a list of one.
    """
    facts = set()
    for domain in ("", "nodes"):
        export(tests, sample, dynamo, domain)
        try:
            tensorrt.check(Path("model.onnx"), onnx.load("model.onnx"))
        except ShipError as error:
            facts |= {
                re.sub(r" \(opset.*?: ", ": ", line.split(";")[0])
                for line in str(error).splitlines()[1:]
            }
    return ["; ".join(sorted(fact.strip() for fact in facts)) or "accepted"]


def cells(tests, try_call):
    """Return the outcomes of all calls in each column; "runs" if a runtime is right with each."""
    exporters = [dynamo for dynamo, opsets in standard(tests.operator).items() if opsets]
    samples = [*dynamic_samples(tests)]
    assert samples, f"{tests.operator} has no sample of float32 with dynamic sizes"
    outcomes = [try_call(tests, s, dynamo) for s in samples for dynamo in exporters]
    return [cell({*column}) for column in zip(*outcomes, strict=True)]


def cell(facts):
    """Return the different outcomes of a column as text, the good one first."""
    return "; ".join(sorted(facts, key=lambda fact: (fact not in ("runs", "accepted"), fact)))


is_parsed = sys.argv[1] == "--tensorrt"
columns = [*RUNTIMES]
if is_parsed:
    columns = [f"the parser of TensorRT for RTX {metadata.version('tensorrt-rtx')}"]
print("| operator |", " | ".join(columns), "|")
print("| --- |", " | ".join("---" for _ in columns), "|")
for folder in sys.argv[1 + is_parsed :]:
    for tests in test_classes(Path(folder)):
        row = cells(tests, parsed if is_parsed else in_runtimes)
        print(f"| `{tests.operator}` |", " | ".join(row), "|", flush=True)
