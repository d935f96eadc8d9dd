"""The runtime's three writers: the nodes that each makes of a rule compute PyTorch's values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator
from onnxscript import ir
from torch import Tensor

from onnxop_runtime import Package
from onnxop_runtime.exporting import numbers
from onnxop_runtime.exporting.domain_nodes import function_bodies
from onnxop_runtime.exporting.domain_nodes.function_bodies import OperatorNodes
from onnxop_runtime.exporting.rules import symbolic_registry, symbolics, translations
from onnxop_runtime.exporting.rules.replay import Replay
from onnxop_runtime.mapping import language
from onnxop_runtime.operator.export_context import ExportContext
from tests.mapping.test_samples import op_schema

OPSET = 18
CONTEXT = ExportContext((), dynamo=True, opset=OPSET)

# Each operator: its signature, its mapping, and its PyTorch code.
CASES: list[tuple[str, str, Callable[..., Any]]] = [
    ("Tensor a, Tensor b", "op.Add(op.Mul(a, 2.0), b)", lambda a, b: 2 * a + b),
    (
        "Tensor a, float alpha=0.5",
        "op.Clip(a, None, alpha)",
        lambda a, alpha=0.5: a.clamp(max=alpha),
    ),
    ("Tensor a, Scalar s=2", "a * s - 1", lambda a, s=2: a * s - 1),
    ("Tensor a, bool up=True", "op.Ceil(a) if up else op.Floor(a)", lambda a, up=True: a.ceil()),
    ("Tensor a, int n=1", "op.ReduceSum(a, [n], keepdims=0)", lambda a, n=1: a.sum(n)),
    ("Tensor a, int[] size=[8]", "op.Reshape(a, size)", lambda a, size=(8,): a.reshape(size)),
    (
        "Tensor a, Tensor? b=None",
        "op.Clip(a, b if b is not None else None, 0.25)",
        lambda a, b=None: a.clamp(max=0.25),
    ),
    (
        "Tensor a, int k=2",
        "x, _ = op.TopK(a, [k])\nreturn op.Neg(x)",
        lambda a, k=2: -a.topk(k).values,
    ),
    (
        "Tensor a, float c=1.5",
        "op.Add(a, op.Constant(value_float=c))",
        lambda a, c=1.5: a + c,
    ),
    ("Tensor a", "op.Reshape(a, op.Constant(value_ints=[8]))", lambda a: a.reshape(8)),
    ("Tensor a", "op.Transpose(a)", lambda a: a.t().contiguous()),
    ("Tensor a", "op.Slice(a, [0, 1], [1, 3])", lambda a: a[0:1, 1:3].contiguous()),
    (
        "Tensor a, float c=0.5",
        """
most = op.ReduceMax(a, keepdims=0)
return op.If(most > c, then_branch=lambda: a / most, else_branch=lambda: a)
""",
        lambda a, c=0.5: torch.where(a.max() > c, a / a.max(), a),
    ),
    (
        "Tensor a, float c=0.5",
        """
most = op.ReduceMax(a, keepdims=0)
for k in range(3):
    a = op.If(most > c, then_branch=lambda: a + k * c, else_branch=lambda: a)
return a
""",
        lambda a, c=0.5: torch.where(a.max() > c, a + 3 * c, a),
    ),
    (
        "Tensor a, int n=3",
        """
def step(i, keep, y):
    rest = op.If(op.Equal(i, 1), then_branch=lambda: y, else_branch=lambda: y + a)
    return keep, rest, i
last, _ = op.Loop(n, None, a, body=step)
return last
""",
        lambda a, n=3: a * n,
    ),
    (
        "Tensor a, float c=2.0",
        """
def step(i, keep, y):
    row = c * y + op.Gather(a, i, axis=0)
    return keep, row, row
_, rows = op.Loop(op.Gather(op.Shape(a), 0), None, op.Gather(a, 0, axis=0), body=step)
return rows
""",
        lambda a, c=2.0: torch.stack([c * a[0] + a[0], c * (c * a[0] + a[0]) + a[1]]),
    ),
]


RANKS = (2, 2, 2, 2, 1, 1, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2)


class Model(torch.nn.Module):
    """Calls every operator, with its defaults."""

    def forward(self, a: Tensor, b: Tensor) -> list[Tensor]:
        calls = [getattr(torch.ops.onnxop_writers, f"case_{i}") for i in range(len(CASES))]
        return [call(a, b) if i == 0 else call(a) for i, call in enumerate(calls)]


@pytest.fixture(scope="module")
def operators() -> Iterator[list[Any]]:
    """Register the operators and describe them to the runtime."""
    package = Package("onnxop_writers", api=1)
    library: Any = torch.library.Library("onnxop_writers", "DEF")  # type: ignore[no-untyped-call]
    written: list[Any] = []
    try:
        for number, (arguments, text, function) in enumerate(CASES):
            schema = op_schema(f"onnxop_writers::case_{number}({arguments}) -> Tensor")
            library.define(f"case_{number}({arguments}) -> Tensor")
            library.impl(f"case_{number}", function, "CompositeExplicitAutograd")
            library.impl(f"case_{number}", function, "Meta")
            written.append(
                package.operator(
                    name=f"onnxop_writers::case_{number}.default",
                    rule=language.function(
                        text, [argument.name for argument in schema.caller_arguments]
                    ),
                    opset=OPSET,
                    domain="onnxop_writers",
                    op_type=f"case_{number}",
                )
            )
        yield written
    finally:
        library._destroy()


def check(model: onnx.ModelProto) -> None:
    """Check that the model computes PyTorch's values."""
    onnx.checker.check_model(model, full_check=True)
    inputs = (torch.linspace(-1, 1, 8).reshape(2, 4), torch.ones(2, 4))
    names = [value.name for value in model.graph.input]
    feeds = {name: value.numpy() for name, value in zip(names, inputs, strict=True)}
    answers = ReferenceEvaluator(model).run(None, feeds)
    wanted = Model()(*inputs)
    for case, answer, expected in zip(CASES, answers, wanted, strict=True):
        assert answer.dtype == expected.numpy().dtype, case[1]
        numpy.testing.assert_allclose(answer, expected, err_msg=case[1])


INPUTS = (torch.zeros(2, 4), torch.zeros(2, 4))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_torchscript(operators: list[Any], tmp_path: Path) -> None:
    for operator in operators:
        symbolic_registry.register_symbolic(str(operator), symbolics.symbolic(operator), OPSET)
    try:
        torch.onnx.export(
            Model(), INPUTS, tmp_path / "model.onnx", dynamo=False, opset_version=OPSET
        )
    finally:
        for operator in operators:
            symbolic_registry.unregister_symbolic(str(operator), OPSET)
    check(onnx.load(tmp_path / "model.onnx"))


REPLAYED = """
<ir_version: 8, opset_import: ["": 18]>
graph (float[2, 4] a) => (float[2, 4] y) {
    three = Constant <value_int: int = 3> ()
    yes = Constant <value: tensor = bool {1}> ()
    y = Loop (three, yes, a) <body = step (int64 i, bool go, float[2, 4] before) => (bool on, float[2, 4] after)
        <float two = {2}>
    {
        on = Identity (go)
        zero = Constant <value_int: int = 0> ()
        is_first = Equal (i, zero)
        after = If (is_first) <
            then_branch = then () => (float[2, 4] twice) { twice = Mul (before, two) },
            else_branch = otherwise () => (float[2, 4] more) { more = Add (before, a) }
        >
    }>
}
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.usefixtures("operators")
def test_graphs_of_the_dynamo_exporter(tmp_path: Path) -> None:
    """Check that they become TorchScript's graphs where that exporter writes them."""
    model = ir.from_onnx_text(REPLAYED)

    def symbolic(g: Any, a: Any, *_: Any) -> Any:
        return Replay(g, model, [a]).results([torch.float32])[0]

    class Called(torch.nn.Module):
        def forward(self, a: Tensor) -> Tensor:
            return torch.ops.onnxop_writers.case_10(a)  # type: ignore[no-any-return]

    symbolic_registry.register_symbolic("onnxop_writers::case_10", symbolic, OPSET)
    try:
        path = tmp_path / "model.onnx"
        torch.onnx.export(Called(), INPUTS[:1], path, dynamo=False, opset_version=OPSET)
    finally:
        symbolic_registry.unregister_symbolic("onnxop_writers::case_10", OPSET)
    onnx.checker.check_model(path, full_check=True)
    written = onnx.load(path)
    assert "Loop" in [node.op_type for node in written.graph.node]
    a = torch.linspace(-1, 1, 8).reshape(2, 4).numpy()
    answers = ReferenceEvaluator(written).run(None, {written.graph.input[0].name: a})
    numpy.testing.assert_allclose(numpy.array(answers), [4 * a])


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.slow
def test_dynamo(operators: list[Any]) -> None:
    table = {operator.overload: translations.translation(operator) for operator in operators}
    program = torch.onnx.export(
        Model(), INPUTS, dynamo=True, opset_version=OPSET, custom_translation_table=table
    )
    assert program is not None
    check(program.model_proto)


def add_functions(model: onnx.ModelProto, operator: Any) -> None:
    rule = operator.rule_at(OPSET)
    nodes = OperatorNodes(model, operator, operator.domain, rule, OPSET, CONTEXT)
    function_bodies.add_functions(nodes)


def test_function_bodies_compute_the_same(operators: list[Any]) -> None:
    """Check nodes of another domain, each with the rule as its body."""
    tensor = onnx.helper.make_tensor_value_info
    nodes, outputs = [], []
    for number, operator in enumerate(operators):
        attributes: dict[str, Any] = {
            scalar.name: int(scalar.default) if scalar.base_type == "bool" else scalar.default
            for scalar in operator.scalars
        }
        inputs = ["a", "b"] if number == 0 else ["a"]
        nodes.append(
            onnx.helper.make_node(
                operator.op_type, inputs, [f"out_{number}"], domain=operator.domain, **attributes
            )
        )
        shape = [f"out_{number}_{d}" for d in range(RANKS[number])]
        outputs.append(tensor(f"out_{number}", onnx.TensorProto.FLOAT, shape))
    graph = onnx.helper.make_graph(
        nodes, "graph", [tensor(name, onnx.TensorProto.FLOAT, [2, 4]) for name in "ab"], outputs
    )
    imports = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("onnxop_writers", 1)]
    model = onnx.helper.make_model(graph, opset_imports=imports)
    for operator in operators:
        add_functions(model, operator)
    assert len(model.functions) == len(CASES)
    check(model)


def test_nodes_that_differ_in_values_share_a_function(operators: list[Any]) -> None:
    operator = operators[1]  # op.Clip(a, None, alpha)
    tensor = onnx.helper.make_tensor_value_info
    nodes = [
        onnx.helper.make_node(operator.op_type, ["a"], [name], domain=operator.domain, alpha=alpha)
        for name, alpha in (("x", 0.5), ("y", 0.25), ("z", 0.5))
    ]
    ports = [tensor(name, onnx.TensorProto.FLOAT, [2, 4]) for name in "axyz"]
    graph = onnx.helper.make_graph(nodes, "graph", ports[:1], ports[1:])
    imports = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("onnxop_writers", 1)]
    model = onnx.helper.make_model(graph, opset_imports=imports)
    add_functions(model, operator)
    assert len(model.functions) == 1
    onnx.checker.check_model(model, full_check=True)
    a = numpy.linspace(-1, 1, 8, dtype=numpy.float32).reshape(2, 4)
    for actual, alpha in zip(ReferenceEvaluator(model).run(None, {"a": a}), (0.5, 0.25, 0.5)):
        numpy.testing.assert_allclose(actual, a.clip(max=alpha))


@pytest.mark.usefixtures("operators")
def test_names_of_a_list_are_nobody_else_s() -> None:
    tensors = [SimpleNamespace(name="xs_1"), SimpleNamespace(name="xs")]
    operator: Any = SimpleNamespace(tensors=tensors, takes_list=True)
    assert function_bodies.input_names(operator, 3) == ["xs_1", "xs_0", "xs_1_1"]


@pytest.mark.usefixtures("operators")
def test_a_number_that_integers_cannot_hold() -> None:
    """Check that no writer writes it, because PyTorch computes in another dtype."""
    numbers.check_integer(2, "INT64")
    numbers.check_integer(2.0, "INT64")
    for value, is_number in [(2.5, False), (2.0, True), ([1, 0.5], False)]:
        with pytest.raises(ValueError, match="is combined with integers"):
            numbers.check_integer(value, "INT64", is_number=is_number)
