"""A mapping → the rule that a package has of it, and what the writers of the machinery make of it."""

from __future__ import annotations

import textwrap

import pytest

from onnxop.code import rules
from onnxop.mapping import lowering as mapping
from onnxop.schema.signature import OpSchema
from onnxop.spec.model import Mapping
from tests.unit.test_mapping import RICH, SCHEMA, SEVERAL, op_schema


def printed(text: str, schema: OpSchema, opset: int) -> list[str]:
    """The body of the rule at an opset, by lines."""
    form = Mapping(bodies=((range(opset, opset + 1), mapping.lower(text, schema, opset)),))
    (rule,) = rules.rules(form, schema)
    assert rule.name == "rule"
    assert [*rule.arguments] == [argument.name for argument in schema.free]
    return textwrap.dedent("\n".join(rule.body)).split("\n")


RULES = [
    (
        "op.Add(op.Mul(a, 2.0), b)",
        ["mul = op.Mul(a, op.constant(2.0, like=a))", "return op.Add(mul, b)"],
    ),
    ("2 * a + b", ["mul = op.Mul(op.constant(2, like=a), a)", "return op.Add(mul, b)"]),
    ("-a @ b", ["neg = op.Neg(a)", "return op.MatMul(neg, b)"]),
    ("a ** 2", ['return op.Pow(a, op.constant(2, like="INT64"))']),  # ONNX lets the types differ
    ("op.Clip(a, None, alpha)", ["return op.Clip(a, None, op.constant(alpha, like=a))"]),
    ("op.Clip(a, max=alpha)", ["return op.Clip(a, None, op.constant(alpha, like=a))"]),
    (
        "op.Clip(a, 0.0 if flag else None)",
        ["return op.Clip(a, op.constant(0.0, like=a) if flag else None)"],
    ),
    (
        "op.Clip(a, (0.0 if flag else None) if n == 1 else None)",
        ["return op.Clip(a, (op.constant(0.0, like=a) if flag else None) if n == 1 else None)"],
    ),
    ("unused = op.Exp(a)\nreturn op.Neg(a)", ["return op.Neg(a)"]),
    ("a", ["return op.Identity(a)"]),  # a graph's input is not its output
    ("a if flag else b", ["return op.Identity(a if flag else b)"]),
    (
        "x = b if flag else (a if n == 1 else op.Neg(a))\nreturn x",
        [
            "if flag:",
            "    x = b",
            "else:",
            "    if n == 1:",
            "        chosen = a",
            "    else:",
            "        chosen = op.Neg(a)",
            "    x = chosen",
            "return op.Identity(x)",
        ],
    ),
    (
        "_, y_ = op.TopK(a, [1])\nfloat = op.Cast(y_, to=1)\nreturn op.Neg(float)",
        [
            '_value, y_ = op.TopK(a, op.constant([1], like="INT64"), _outputs=2)',
            "float_2 = op.Cast(y_, to=1)",
            "return op.Neg(float_2)",
        ],
    ),
    (
        "op.If(op.Max(a) > 0, then_branch=lambda: a, else_branch=lambda: 0.0)",
        [
            "max = op.Max(a)",
            "greater = op.Greater(max, op.constant(0, like=a))",
            "",
            "def then_branch() -> Any:",
            "    return op.Identity(a)",  # what stands around it is no output of it
            "",
            "def else_branch() -> Any:",
            "    return op.Identity(op.constant(0.0, like=a))",
            "",
            "return op.If(greater, then_branch=then_branch, else_branch=else_branch)",
        ],
    ),
    (
        """
def step(i, keep, x):
    unused = op.Neg(x)
    if flag:
        x = op.If(keep, then_branch=lambda: x * alpha, else_branch=lambda: x)
    return keep, x, x
_, all = op.Loop(n, None, a, body=step)
return all
""",
        [
            "",
            "def step(i: Any, keep: Any, x: Any) -> Any:",
            "    if flag:",
            "",
            "        def then_branch() -> Any:",
            "            return op.Mul(x, op.constant(alpha, like=a))",
            "",
            "        def else_branch() -> Any:",
            "            return op.Identity(x)",
            "",
            "        x_4 = op.If(keep, then_branch=then_branch, else_branch=else_branch)",
            "    else:",
            "        x_4 = x",
            "    keep_2 = op.Identity(keep)",
            "    x_5 = op.Identity(x_4)",
            "    x_6 = op.Identity(x_4)",
            "    return keep_2, x_5, x_6",
            "",
            "_value, all = op.Loop(",
            '    op.constant(n, like="INT64"),',
            '    op.constant(True, like="BOOL"),',
            "    a,",
            "    body=step,",
            "    _outputs=2,",
            ")",
            "return all",
        ],
    ),
    (  # what a number is taken of stays
        "y = op.Relu(a)\nxs = [y, b]\nreturn op.Reshape(y, [0] * rank(xs[1]))",
        [
            "y = op.Relu(a)",
            "xs = [y, b]",
            "item = xs[1]",
            'return op.Reshape(y, op.constant([0] * op.rank(item), like="INT64"))',
        ],
    ),
    (
        "y = a\nfor x in [a, op.Neg(a)]:\n    y = y + 2.0 * x\nreturn y",
        [
            "neg = op.Neg(a)",
            "tensors = [a, neg]",
            "y = a",
            "for x in tensors:",
            "    mul = op.Mul(op.constant(2.0, like=a), x)",
            "    y_2 = op.Add(y, mul)",
            "    y = y_2",
            "return y",
        ],
    ),
    ("op.Dropout(a, None, None)", ["return op.Dropout(a)"]),
    ("a + (alpha if flag else 2)", ["return op.Add(a, op.constant(alpha if flag else 2, like=a))"]),
    ("op.Sum(a, b, 1)", ["return op.Sum(a, b, op.constant(1, like=a))"]),
    ("op.Reshape(a, [0, -1])", ['return op.Reshape(a, op.constant([0, -1], like="INT64"))']),
    (
        "op.Cast(a, to=7) + 1",
        ["cast = op.Cast(a, to=7)", 'return op.Add(cast, op.constant(1, like="INT64"))'],
    ),
    (
        "op.Where(a > 0, b, 1)",
        [
            "greater = op.Greater(a, op.constant(0, like=a))",
            "return op.Where(greater, b, op.constant(1, like=b))",
        ],
    ),
    (
        "x, y = op.TopK(a, [n])\nreturn op.Mul(x, op.Cast(y, to=1))",
        [
            'x, y = op.TopK(a, op.constant([n], like="INT64"), _outputs=2)',
            "cast = op.Cast(y, to=1)",
            "return op.Mul(x, cast)",
        ],
    ),
    (
        "a2 = op.Mul(a, a)\na2 = op.Mul(a2, alpha)\nreturn a2",
        ["a2 = op.Mul(a, a)", "return op.Mul(a2, op.constant(alpha, like=a))"],
    ),
    (
        "op.Exp(a) if flag else b - 1",
        [
            "if flag:",
            "    result = op.Exp(a)",
            "else:",
            "    result = op.Sub(b, op.constant(1, like=b))",
            "return result",
        ],
    ),
    ("op.LeakyRelu(a, alpha=1)", ["return op.LeakyRelu(a, alpha=1.0)"]),
    ("op.LeakyRelu(a, alpha=n)", ["return op.LeakyRelu(a, alpha=float(n))"]),
    ("op.Softmax(a, axis=n * 2 - 1)", ["return op.Softmax(a, axis=n * 2 - 1)"]),
    ("op.Softmax(a, axis=flag)", ["return op.Softmax(a, axis=int(flag))"]),
    ("op.Transpose(a, perm=(1, n))", ["return op.Transpose(a, perm=[1, n])"]),
    ("op.LeakyRelu(a, alpha=None)", ["return op.LeakyRelu(a)"]),
]


@pytest.mark.parametrize(("text", "expected"), RULES)
def test_rule(text: str, expected: list[str]) -> None:
    assert printed(text, SCHEMA, 13) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("op.Clip(x, bias)", ["return op.Clip(x, bias)"]),
        ("op.Clip(x, bias, 1)", ["return op.Clip(x, bias, op.constant(1, like=x))"]),
        (
            "op.Clip(x, eps if eps is not None else None)",
            ["return op.Clip(x, op.constant(eps, like=x) if eps is not None else None)"],
        ),
        (
            "x + (bias if bias is not None else 0.0)",
            ["return op.Add(x, bias if bias is not None else op.constant(0.0, like=x))"],
        ),
        (
            "op.Mul(x, bias * 2) if not (bias is None or eps is None) else x - 1",
            [
                "if not (bias is None or eps is None):",
                "    mul = op.Mul(bias, op.constant(2, like=bias))",
                "    result = op.Mul(x, mul)",
                "else:",
                "    result = op.Sub(x, op.constant(1, like=x))",
                "return result",
            ],
        ),
        (
            "y = bias * 2 if bias is not None else op.Exp(x)\nreturn y + 1",
            [
                "if bias is not None:",
                "    y = op.Mul(bias, op.constant(2, like=bias))",
                "else:",
                "    y = op.Exp(x)",
                "return op.Add(y, op.constant(1, like=x))",
            ],
        ),
        (
            "x if eps is not None and eps > 1 and n is None else x + eps if eps is not None else -x",
            [
                "if eps is not None and eps > 1 and n is None:",
                "    result = x",
                "else:",
                "    if eps is not None:",
                "        chosen = op.Add(x, op.constant(eps, like=x))",
                "    else:",
                "        chosen = op.Neg(x)",
                "    result = chosen",
                "return op.Identity(result)",
            ],
        ),
        ("op.Reshape(x, size)", ['return op.Reshape(x, op.constant(size, like="INT64"))']),
        (
            "op.Pad(x, [0] * 2 + pad[::-1] + pad, mode=mode)",
            [
                (
                    'return op.Pad(x, op.constant([0] * 2 + list(pad[::-1]) + list(pad), like="INT64"), '
                    "mode=mode)"
                )
            ],
        ),
        (
            "op.Softmax(x, axis=len(size) + pad[-1])",
            ["return op.Softmax(x, axis=len(size) + pad[-1])"],
        ),
        ("op.LeakyRelu(x, alpha=s)", ["return op.LeakyRelu(x, alpha=float(s))"]),
        ("op.LeakyRelu(x, alpha=s * 0.5)", ["return op.LeakyRelu(x, alpha=s * 0.5)"]),
        ("x * s", ["return op.Mul(x, op.constant(s, like=x, is_number=True))"]),
        ("op.Softmax(x, axis=int(max(s, 2)))", ["return op.Softmax(x, axis=int(max(s, 2)))"]),
        (
            "max = op.Max(x, x)\nreturn op.LeakyRelu(max, alpha=float(flags[0]))",
            ["max = op.Max(x, x)", "return op.LeakyRelu(max, alpha=float(flags[0]))"],
        ),
        (
            "op.Softmax(op.Abs(x), axis=abs(pad[0]))",
            ["abs_2 = op.Abs(x)", "return op.Softmax(abs_2, axis=abs(pad[0]))"],
        ),
        (
            "x * (scales if scales is not None else [1.0, 2.0])[1]",
            [
                (
                    "return op.Mul(x, "
                    "op.constant((scales if scales is not None else [1.0, 2.0])[1], like=x))"
                )
            ],
        ),
        (
            "op.Neg(x) if on is not None and on else op.Abs(x)",
            [
                "if on is not None and on:",
                "    result = op.Neg(x)",
                "else:",
                "    result = op.Abs(x)",
                "return result",
            ],
        ),
    ],
)
def test_rich_arguments(text: str, expected: list[str]) -> None:
    assert printed(text, RICH, 18) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("op.TopK(a, [2])", ['return op.TopK(a, op.constant([2], like="INT64"), _outputs=2)']),
        ("op.LayerNormalization(a, b)", ["return op.LayerNormalization(a, b, _outputs=2)"]),
        (
            "op.Exp(a), op.Neg(b)",
            ["values = op.Exp(a)", "indices = op.Neg(b)", "return values, indices"],
        ),
        (
            "x, y = op.TopK(a, [2])\nreturn y, x",
            ['x, y = op.TopK(a, op.constant([2], like="INT64"), _outputs=2)', "return y, x"],
        ),
        (
            "x, y = op.TopK(a, [2])\nz = op.Abs(x)\nw = op.Neg(x)\nreturn z if flag else w, y",
            [
                'x, y = op.TopK(a, op.constant([2], like="INT64"), _outputs=2)',
                "z = op.Abs(x)",
                "w = op.Neg(x)",
                "return z if flag else w, y",
            ],
        ),
        (
            "op.Exp(a), a",  # neither a graph's input nor one value twice is an output
            ["values = op.Exp(a)", "result = op.Identity(a)", "return values, result"],
        ),
        (
            "x = op.Exp(a)\ny = x\nreturn x, y",
            ["x = op.Exp(a)", "result = op.Identity(x)", "return x, result"],
        ),
        (
            "x = op.Exp(a)\ny = x if flag else op.Neg(a)\nreturn x, y",
            [
                "x = op.Exp(a)",
                "if flag:",
                "    y = x",
                "else:",
                "    y = op.Neg(a)",
                "result = op.Identity(y)",
                "return x, result",
            ],
        ),
    ],
)
def test_several_results(text: str, expected: list[str]) -> None:
    assert printed(text, SEVERAL, 17) == expected


def test_a_line_that_is_too_long() -> None:
    """One argument a line where there are many; what cannot be broken is left long."""
    resize = "op.Resize(a, None, [2.0], mode='cubic', cubic_coeff_a=-1, nearest_mode='round_prefer_floor')"
    assert printed(resize, SCHEMA, 14) == [
        "return op.Resize(",
        "    a,",
        "    None,",
        '    op.constant([2.0], like="FLOAT"),',
        '    mode="cubic",',
        "    cubic_coeff_a=float(-1),",
        '    nearest_mode="round_prefer_floor",',
        ")",
    ]
    condition = " and ".join(f"n != {number}" for number in range(100, 112))
    head, *_ = printed(f"-a if {condition} else op.Abs(a)", SCHEMA, 14)
    assert head == f"if {condition}:  # fmt: skip"


def test_a_form_for_some_opsets_is_a_rule_of_its_own() -> None:
    """Where nodes of one opset are not those of another."""
    one, other = (mapping.lower(text, SCHEMA, 13) for text in ("op.Exp(a)", "op.Neg(a)"))
    found = rules.rules(Mapping(bodies=((range(9, 13), one), (range(13, 26), other))), SCHEMA)
    assert [(rule.name, rule.body) for rule in found] == [
        ("rule_9", ("    return op.Exp(a)",)),
        ("rule_13", ("    return op.Neg(a)",)),
    ]


def test_held_arguments_are_none_of_the_rule_s() -> None:
    schema = op_schema("aten::cumsum")
    form = Mapping(bodies=mapping.bodies("op.CumSum(self, dim)", schema, 14))
    (rule,) = rules.rules(form, schema)
    assert rule.arguments == ("self", "dim")
    assert rule.body == ('    return op.CumSum(self, op.constant(dim, like="INT64"))',)
