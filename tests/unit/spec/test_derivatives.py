"""`[autograd]` → checked torch code."""

import pytest

from onnxop.schema import signature as schema
from onnxop.spec import derivatives
from onnxop.spec.derivatives import Formula
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.pyexpr import ExpressionProblems

SCHEMA = schema.parse("m::f(Tensor a, Tensor b, float alpha=1.0) -> Tensor", Problems())


@pytest.mark.parametrize(
    ("text", "code", "uses"),
    [
        ("grad", "grad", ("grad",)),
        (" 2*grad ", "2 * grad", ("grad",)),
        ("grad*exp(a)", "grad * torch.exp(a)", ("a", "grad")),
        ("grad * torch.exp(a) * alpha", "grad * torch.exp(a) * alpha", ("a", "alpha", "grad")),
        ("grad * a.cos()", "grad * a.cos()", ("a", "grad")),
        ("where(a > 0, grad, 0.0)", "torch.where(a > 0, grad, 0.0)", ("a", "grad")),
        ("zeros_like(a)", "torch.zeros_like(a)", ("a",)),
        ("grad * result", "grad * result", ("grad", "result")),
        ("grad * torch.special.digamma(a)", "grad * torch.special.digamma(a)", ("a", "grad")),
        ("grad.to(torch.float32)[..., 0]", None, ()),
        ("grad.sum(dim=-1, keepdim=True)", "grad.sum(dim=-1, keepdim=True)", ("grad",)),
        ("grad if alpha > 0 else -grad", "grad if alpha > 0 else -grad", ("alpha", "grad")),
        (
            "grad * torch.linalg.norm(a) * torch.fft.fft(a).real",
            "grad * torch.linalg.norm(a) * torch.fft.fft(a).real",
            ("a", "grad"),
        ),
        ("torch.ops.aten.gelu_backward(grad, a)",) * 2 + (("a", "grad"),),
        ("torch.ops.aten.threshold_backward.default(grad, a, 0)",) * 2 + (("a", "grad"),),
        ("grad * torch.nn.functional.gelu(a.mT)",) * 2 + (("a", "grad"),),
        ("grad.new_zeros(a.size(0)).index_add(0, a.long(), grad)",) * 2 + (("a", "grad"),),
        ("grad * torch.pi * a.ndim", "grad * torch.pi * a.ndim", ("a", "grad")),
    ],
)
def test_formula(text: str, code: str | None, uses: tuple[str, ...]) -> None:
    if code is None:
        with pytest.raises(ExpressionProblems):
            derivatives.parse_formula(text, SCHEMA)
    else:
        assert derivatives.parse_formula(text, SCHEMA) == Formula(code, uses)


SEVERAL = schema.parse("m::f(Tensor a, Tensor grad_x) -> (Tensor x, Tensor)", Problems())


@pytest.mark.parametrize(
    ("text", "code", "uses"),
    [
        ("grad * x", "grads[0] * x", ("grads", "x")),
        ("grads[1] * result1", "grads[1] * result1", ("grads", "result1")),
        ("grads[1] + grad", "grads[1] + grads[0]", ("grads",)),
        ("grad_x * a", "grad_x * a", ("a", "grad_x")),
    ],
)
def test_formula_of_several_results(text: str, code: str, uses: tuple[str, ...]) -> None:
    assert derivatives.parse_formula(text, SEVERAL) == Formula(code, uses)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("grads[2]", "grads are the gradients of x and result1, in this order; write e.g."),
        ("grads[-1]", "grads are the gradients of x and result1"),
        ("grads.sum()", "grads are the gradients of x and result1"),
        ("result * grad", "result is not an argument of the schema; did you mean result1?"),
        ("grads[a]", "grads are the gradients of x and result1"),
    ],
)
def test_problems_of_several_results(text: str, fact: str) -> None:
    with pytest.raises(ExpressionProblems) as caught:
        derivatives.parse_formula(text, SEVERAL)
    assert caught.value.problems[0].message.startswith(fact)


def test_non_differentiable() -> None:
    assert derivatives.parse_formula("non_differentiable", SCHEMA) is None


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ["empty"]),
        ("2 *", ["not valid Python"]),
        ("x = grad", ["one expression is expected"]),
        ("alpha", ["the gradient must be a tensor"]),
        ("grad * c", ["c is not an argument"]),
        ("grad * foo(a)", ["torch has no foo"]),
        ("grad * torch.foo(a)", ["torch has no foo"]),
        ("grad * a.foo()", ["a tensor has no foo"]),
        ("grad * a.cos", ["a tensor has no property cos"]),
        ("grad * torch.exp", ["torch has no constant exp"]),
        ("grad * torch.foo.bar(a)", ["torch has no foo"]),
        ("grad * torch", ["torch alone is not a value"]),
        ("grad * a._values()", ["_values is private"]),
        ("grad * (lambda: a)()", ["not allowed here"]),
        ("grad * [a for a in b]", ["not allowed here"]),
        ("grad * f'{a}'", ["not allowed here"]),
        ("grad + 1j + b'x'", ["not allowed here", "not allowed here"]),
        ("grad.sum(**a)", ["each argument is given once"]),
        ("grad.sum(dim=0, dim=1)", ["each argument is given once"]),
        ("exp + grad", ["exp is not an argument"]),
        ("grad.set_(a)", ["set_ accesses the memory or graph of a tensor"]),
        ("grad.add_(1)", ["add_ changes its tensor; write add"]),
        ("torch.relu_(grad)", ["relu_ changes its tensor; write relu"]),
        ("relu_(grad)", ["relu_ changes its tensor; write relu"]),
        ("torch.add(grad, a, out=a)", ["out writes to a tensor"]),
        ("grad.data", ["data accesses the memory"]),
        ("grad.tolist()", ["tolist makes Python values"]),
        ("grad * a.sum().item()", ["item makes Python values"]),
        ("grad if equal(a, b) else a", ["equal makes Python values"]),
        ("from_file('x') * grad", ["from_file accesses"]),
        ("grad * rand_like(a)", ["rand_like draws random numbers"]),
        ("torch.nn.functional.dropout(grad)", ["dropout draws random numbers"]),
        ("grad.cuda()", ["cuda sets a device"]),
        ("grad.to('cuda:1')", ["to sets a device"]),
        ("grad * torch.zeros(3, device='cuda')", ["device sets a device"]),
        ("torch.load('x') * grad", ["load accesses"]),
        ("grad * torch.os.system('x')", ["torch has no os"]),
        ("grad * torch.special.torch.os.system('x')", ["torch.special has no torch"]),
        ("grad * torch.nn.utils.clip(a)", ["torch.nn has no utils"]),
        ("grad * torch.linalg.foo(a)", ["torch.linalg has no foo"]),
        ("grad * torch.ops.load_library('x')", ["torch.ops.load_library is no"]),
        ("torch.ops.aten.add_(grad, a)", ["torch.ops.aten.add_ changes its tensor"]),
        ("torch.ops.aten.from_file('x') + grad", ["from_file accesses"]),
        ("grad * torch.set_num_threads(1)", ["torch has no set_num_threads"]),
        ("grad * c + torch.foo(d)", ["c is no", "torch has no foo", "d is no"]),
    ],
)
def test_problems(text: str, facts: list[str]) -> None:
    with pytest.raises(ExpressionProblems) as caught:
        derivatives.parse_formula(text, SCHEMA)
    messages = [
        p.message for p in sorted(caught.value.problems, key=lambda problem: problem.offset)
    ]
    assert [message[: len(fact)] for message, fact in zip(messages, facts, strict=True)] == facts
