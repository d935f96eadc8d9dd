"""Describe what torch.compile and torch.export make of calls on a GPU, on a machine that may lack one, as JSON."""

import json
import sys

import my_add
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from onnxop_runtime.operator import reference
from onnxop_runtime.torch_internals import decompose_in_inductor

IMPORTED = [name for name in sys.modules if name.startswith("torch._inductor")]


def function(x: Tensor, y: Tensor) -> Tensor:
    return my_add.my_add(x.sin(), y).relu()


class Model(torch.nn.Module):
    forward = staticmethod(function)


def has_operator(graph: torch.fx.GraphModule) -> bool:
    return any("my_add" in str(node.target) for node in graph.graph.nodes)


def graph_of(device: str, dtype: torch.dtype) -> torch.fx.GraphModule:
    """Return the graph that Inductor gets."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor.decomposition import select_decomp_table

    graphs: list[torch.fx.GraphModule] = []

    def keep(graph: torch.fx.GraphModule, _: object) -> torch.fx.GraphModule:
        graphs.append(graph)
        return graph

    torch.compiler.reset()
    backend = aot_autograd(fw_compiler=keep, decompositions=select_decomp_table)
    compiled = torch.compile(function, fullgraph=True, backend=backend)
    with FakeTensorMode():
        compiled(*(torch.empty(size, device=device, dtype=dtype) for size in ((4, 3), (3,))))
    (graph,) = graphs
    return graph


def error_of_graph(dtype: torch.dtype) -> float:
    """Return the largest error of the graph for a GPU, computed on the CPU, as a share of the dtype's precision."""
    x, y = torch.randn(64, 3, dtype=dtype), torch.randn(3, dtype=dtype)
    (result,) = graph_of("cuda", dtype)(x, y)
    assert result.dtype == dtype
    expected = function(x, y)
    return float(((result - expected).abs() / (1 + expected)).max()) / torch.finfo(dtype).eps


def exported() -> list[bool]:
    """Return whether an exported program has the operator, before and after PyTorch's decompositions."""
    with FakeTensorMode():
        args = torch.empty(4, 3, device="cuda"), torch.empty(3, device="cuda")
        program = torch.export.export(Model(), args)
    return [has_operator(p.graph_module) for p in (program, program.run_decompositions())]


def fused_on_cpu() -> dict[str, object]:
    """Compile by Inductor for the CPU, with the decomposition that it has for GPUs."""
    from torch._inductor.utils import run_and_get_code

    (operator,) = my_add.package.operators
    decompose_in_inductor(operator.overload, reference.compute_of(operator), "test")
    torch.compiler.reset()
    x, y = torch.randn(64, 3, requires_grad=True), torch.randn(3)
    result, sources = run_and_get_code(torch.compile(function, fullgraph=True), x, y)
    gradients = [torch.autograd.grad(value.sum(), x)[0] for value in (result, function(x, y))]
    torch.testing.assert_close(result, function(x, y))
    torch.testing.assert_close(*gradients)
    return {
        "operator": any("my_lib.my_add" in source for source in sources),
        "gradients": len(gradients),
    }


facts = {
    "imported": IMPORTED,
    "before": exported(),
    "cpu": has_operator(graph_of("cpu", torch.float32)),
    "cuda": has_operator(graph_of("cuda", torch.float32)),
    "errors": [error_of_graph(dtype) for dtype in (torch.float64, torch.float16, torch.bfloat16)],
    "exported": exported(),
    "tag": torch.compiler.config.cache_key_tag,
    "hash": my_add.package.operators[0].spec_hash,
    "fused_on_cpu": fused_on_cpu(),
}
json.dump(facts, sys.stdout)
