"""Draw legal specs of every kind: the package of each must pass its own tests.

A seed is a spec: ``draw(7)`` is the same text today and tomorrow.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.legal_operators import EXISTING

# Names that generated code uses itself, beside plain ones.
NAMES = (
    "a b c x y z self input other weight bias mask out g domain ctx inputs outputs output wants "
    "arguments values indices shape shapes sizes dtype mode train training type double T N X i k "
    "first like found node model args kwargs path opset dynamo name package sample grads_ scalars "
    "fake kernel schema device eps alpha beta dim keepdim flag text scale tensor tensors other_ "
    "grad_a grad_x result0 result1 int64_t namespace_ template auto register new delete value "
    "F math nn functional onnx numpy np infer compute backward parallel_for std Size fail load "
    "store kName Supported not_implemented array optional size count begin end body a_very_long"
    "_name_of_an_argument_that_makes_every_line_too_long_for_one_of_a_hundred_columns"
).split()
RESULT_NAMES = (
    "values indices low high out output results mean std x y result0 result1 tensor model args "
    "grad_values sizes like parallel_for infer a_long_name_of_a_result_that_fills_lines"
).split()
OPERATORS = (
    "my_add add op f relu Conv2d do_it softmax_1 x2 MY_OP call forward kernel domain node g "
    "infer compute apply result library load samples helper cosine_similarity_of_the_rows_and_more"
).split()
_OPSETS = (9, 11, 13, 14, 15, 17, 18, 20, 21, 22, 23, 24, 25)


@dataclass
class Argument:
    """An argument of a drawn signature; ``sample`` is its TOML, "" where it is omitted."""

    name: str
    type: str
    default: str = ""

    @property
    def schema(self) -> str:
        return f"{self.type} {self.name}" + (f"={self.default}" if self.default else "")

    @property
    def is_tensor(self) -> bool:
        return self.type.startswith("Tensor")

    @property
    def is_list(self) -> bool:
        return self.type == "Tensor[]"

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("?")


@dataclass(frozen=True)
class Term:
    """One result in torch, in ONNX, and in C++ if elementwise; its gradients by argument, with G
    for the gradient of the result.
    """

    torch: str
    onnx: str
    cpp: str = ""
    gradients: dict[str, str] = field(default_factory=dict)
    is_float: bool = True


@dataclass(frozen=True)
class Drawn:
    """A spec and its kind."""

    kind: str
    text: str


class _Draw:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, *of: str) -> str:
        return self.random.choice(of)


def draw(
    seed: int, kinds: Sequence[str] = ("composed", "elementwise", "source", "existing")
) -> Drawn:
    """Return the spec of a seed, of one of ``kinds``."""
    kind = random.Random(f"kind {seed}").choice(kinds)
    draw_ = _Draw(seed)
    return Drawn(kind, _existing(draw_) if kind == "existing" else _new(draw_, kind))


# ---- New operators ----


def _new(d: _Draw, kind: str) -> str:
    is_elementwise = kind == "elementwise"
    arguments = _arguments(d, kind)
    count = 1 if is_elementwise or d.chance(0.5) else d.random.randint(2, 4)
    terms = [_term(d, arguments, is_elementwise) for _ in range(count)]
    name, namespace = d.pick(*OPERATORS), f"drawn_{d.seed}"
    has_mapping = d.chance(0.75)
    domain = d.pick("", "", namespace, "my.domain", "other_domain") if has_mapping else namespace
    lines = ["[op]", f"schema = {_quoted(_schema(d, namespace, name, arguments, count))}"]
    lines += [f"doc = {_quoted(_doc(d))}"] if d.chance(0.6) else []
    lines += ["", "[onnx]"]
    if has_mapping:
        lines += [
            f"opset = {d.random.choice(_OPSETS)}",
            f"mapping = {_quoted(_returned(d, terms, 'onnx'))}",
        ]
    lines += [f"domain = {_quoted(domain)}"] if domain else []
    lines += ['op_type = "MyNode"'] if domain and d.chance(0.3) else []
    lines += ["", "[kernel]"]
    formulas = _formulas(d, arguments, terms)
    if kind == "elementwise":
        lines += [f"elementwise = {_quoted(terms[0].cpp)}"]
    elif kind == "composed":
        lines += [f"python = {_quoted(_returned(d, terms, 'torch'))}"]
        formulas = formulas if d.chance(0.4) else {}
    else:
        backward = [a.name for a in arguments if a.is_tensor and not a.is_list and d.chance(0.5)]
        lines += ['source = "kernel.h"'] + (
            [f"backward = {json.dumps(backward)}"] if backward else []
        )
        formulas = {n: f for n, f in formulas.items() if n not in backward}
    if formulas and d.chance(0.8):
        lines += ["", "[autograd]", *(f"{n} = {_quoted(f)}" for n, f in formulas.items())]
    for _ in range(d.random.randint(0 if _needs_no_sample(arguments) else 1, 2)):
        lines += ["", "[[samples]]", *_sample(d, arguments, is_elementwise)]
    lines += ["", "[package]", f"name = {_quoted(f'drawn_package_{d.seed}')}"]
    return "\n".join(lines) + "\n"


def _needs_no_sample(arguments: list[Argument]) -> bool:
    return all(a.default or a.is_optional for a in arguments if not a.is_tensor)


def _arguments(d: _Draw, kind: str) -> list[Argument]:
    """Draw tensors and scalars in any order: defaults after arguments without one, a list after all
    tensors.
    """
    names = d.random.sample([n for n in NAMES if n != "self" or d.chance(0.5)], 8)
    if "self" in names and "input" in names:
        names.remove("input")
    types = ["Tensor"] + ["Tensor"] * d.random.randint(0, 2)
    scalars = ["float", "int", "bool", "Scalar"]
    if kind != "elementwise":
        types += ["Tensor?"] * d.random.randint(0, 2)
        scalars += [
            "SymInt",
            "str",
            "float?",
            "int[2]",
            "float[]",
            "int?",
            "SymInt[2]",
            "bool?",
            "str?",
        ]
    types += [d.pick(*scalars) for _ in range(d.random.randint(0, 3))]
    if d.chance(0.3):
        d.random.shuffle(types)
    if kind != "elementwise" and d.chance(0.25):
        last = max(place for place, type_ in enumerate(types) if type_.startswith("Tensor"))
        types.insert(last + 1, "Tensor[]")
    arguments = [Argument(n, t) for n, t in zip(names, types)]
    start = d.random.randint(0, len(arguments))
    for argument in arguments[start:]:
        if argument.type not in ("Tensor", "Tensor[]"):
            argument.default = _default(d, argument)
    last = max((i for i, a in enumerate(arguments) if not a.default), default=-1)
    tensors = max(i for i, a in enumerate(arguments) if a.is_tensor)
    # A default before an argument without one goes after the *, where tensors cannot stand.
    if d.chance(0.8) or any(a.default for a in arguments[:tensors]):
        for argument in arguments[: last + 1]:
            argument.default = ""
    return arguments


def _default(d: _Draw, argument: Argument) -> str:
    if argument.is_optional and d.chance(0.6) or argument.is_tensor:
        return "None"
    return {
        "float": "1.5",
        "int": "2",
        "SymInt": "2",
        "bool": d.pick("True", "False"),
        "Scalar": d.pick("2", "0.5"),
        "str": "'mean'",
        "int[2]": d.pick("2", "[1, 2]"),
        "SymInt[2]": "1",
        "float[]": "[1.0, 0.5]",
    }[argument.type.rstrip("?")]


def _schema(d: _Draw, namespace: str, name: str, arguments: list[Argument], count: int) -> str:
    parameters = [a.schema for a in arguments]
    is_late = [bool(a.default) for a in arguments]
    # PyTorch computes no gradient of tensors after the *, so they stand before it.
    after_tensors = max(i for i, a in enumerate(arguments) if a.is_tensor) + 1
    star = len(parameters)
    if any(early and not late for early, late in pairwise(is_late)):
        star = is_late.index(True)
    elif d.chance(0.3):
        star = d.random.randint(after_tensors, len(parameters))
    parameters[star:star] = ["*"] if star < len(parameters) else []
    taken = {a.name for a in arguments}
    results = [n for n in d.random.sample(RESULT_NAMES, 6) if n not in taken][:count]
    named = d.chance(0.6) and not {f"grad_{n}" for n in results} & taken
    returned = ", ".join(f"Tensor {n}" for n in results) if named else ", ".join(["Tensor"] * count)
    return f"{namespace}::{name}({', '.join(parameters)}) -> " + (
        f"({returned})" if count > 1 else "Tensor"
    )


def _doc(d: _Draw) -> str:
    return d.pick(
        "What it does.",
        "Ends with a backslash \\",
        'Holds """quotes""" and \'others\'.',
        "Two lines.\n\nAnd a paragraph, with {{ braces }} and {% tags %} and a % sign.",
        "é ü 漢字, of more than a hundred columns, so that it has to be broken somewhere " * 2,
    )


def _term(d: _Draw, arguments: list[Argument], is_elementwise: bool) -> Term:
    tensors = [a for a in arguments if a.type == "Tensor"]
    a, b = d.random.choice(tensors).name, d.random.choice(tensors).name
    choices = [
        Term(
            f"sigmoid({a})",
            f"op.Sigmoid({a})",
            f"1 / (1 + exp(-{a}))",
            {a: f"G * sigmoid({a}) * (1 - sigmoid({a}))"},
        ),
        Term(
            f"2.5 * tanh({a})",
            f"op.Mul(op.Tanh({a}), 2.5)",
            f"2.5 * tanh({a})",
            {a: f"2.5 * G * (1 - tanh({a}) ** 2)"},
        ),
    ]
    if a != b:
        choices.append(
            Term(f"{a} * {b}", f"op.Mul({a}, {b})", f"{a} * {b}", {a: f"G * {b}", b: f"G * {a}"})
        )
        choices.append(Term(f"{a} - {b}", f"{a} - {b}", f"{a} - {b}", {a: "G", b: "-G"}))
    choices += [
        term for scalar in arguments if not scalar.is_tensor for term in _scalar_terms(a, scalar)
    ]
    if not is_elementwise:
        choices += [
            term for t in arguments if t.type == "Tensor?" for term in _optional_terms(a, t.name)
        ]
        choices += [
            Term(f"{a} > 0.25", f"op.Greater({a}, 0.25)", is_float=False),
            Term(f"({a} > 0.25).long()", f"op.Cast(op.Greater({a}, 0.25), to=7)", is_float=False),
            Term(f"{a}.unsqueeze(0)", f"op.Unsqueeze({a}, [0])", "", {a: "G.squeeze(0)"}),
            Term(
                f"where({a}.sum() > 0.25, {a} * 2, -{a})",
                f"op.If(op.ReduceSum({a}, keepdims=0) > 0.25,"
                f" then_branch=lambda: op.Mul({a}, 2.0), else_branch=lambda: op.Neg({a}))",
                "",
                {a: f"where({a}.sum() > 0.25, G * 2, -G)"},
            ),
            Term(
                f"{a} * 0.125",
                f"op.Loop(3, None, {a}, body=lambda i, keep, y: (keep, op.Mul(y, 0.5)))",
                "",
                {a: "G * 0.125"},
            ),
        ]
        choices += [term for t in arguments if t.is_list for term in _list_terms(a, t.name)]
    return d.random.choice(choices[-4:] if d.chance(0.5) else choices)


def _scalar_terms(a: str, scalar: Argument) -> list[Term]:
    n = scalar.name
    match scalar.type:
        case "float" | "Scalar":
            return [Term(f"{a} * {n}", f"op.Mul({a}, {n})", f"{a} * {n}", {a: f"G * {n}"})]
        case "int" | "SymInt":
            return [Term(f"{a} + {n}", f"op.Add({a}, {n})", f"{a} + {n}", {a: "G"})]
        case "bool":
            return [
                Term(
                    f"{a} if {n} else -{a}",
                    f"op.Mul({a}, 1.0) if {n} else op.Neg({a})",
                    f"{n} ? {a} : -{a}",
                    {a: f"G if {n} else -G"},
                )
            ]
        case "str":
            return [
                Term(
                    f"{a} * 2 if {n} == 'mean' else -{a}",
                    f"op.Mul({a}, 2.0) if {n} == 'mean' else op.Neg({a})",
                    "",
                    {a: f"2 * G if {n} == 'mean' else -G"},
                )
            ]
        case "float?" | "int?":
            return [
                Term(
                    f"{a} * ({n} if {n} is not None else 3)",
                    f"op.Mul({a}, {n} if {n} is not None else 3)",
                    "",
                    {a: f"G * ({n} if {n} is not None else 3)"},
                )
            ]
        case "bool?" | "str?":
            return [
                Term(
                    f"{a} * 1 if {n} is None else -{a}",
                    f"op.Mul({a}, 1.0) if {n} is None else op.Neg({a})",
                    "",
                    {a: f"G if {n} is None else -G"},
                )
            ]
        case _:
            return [Term(f"{a} * {n}[1]", f"op.Mul({a}, {n}[1])", "", {a: f"G * {n}[1]"})]


def _optional_terms(a: str, mask: str) -> list[Term]:
    return [
        Term(
            f"{a} * 2 if {mask} is None else {a} * {mask}",
            f"op.Mul({a}, {mask}) if {mask} is not None else op.Mul({a}, 2.0)",
            "",
            {a: f"2 * G if {mask} is None else G * {mask}", mask: f"G * {a}"},
        )
    ]


def _list_terms(a: str, xs: str) -> list[Term]:
    return [
        Term(f"{a} - {xs}[-1]", f"op.Sub({a}, {xs}[-1])", "", {a: "G"}),
        Term(f"stack([*{xs}]).sum(0) + {a}", f"op.Sum({a}, *{xs})", "", {a: "G"}),
        Term(
            f"cat([x.flatten() for x in {xs}])",
            f"op.Concat(*[op.Reshape(x, [-1]) for x in {xs}], axis=0)",
        ),
    ]


def _returned(d: _Draw, terms: list[Term], form: str) -> str:
    codes = [term.onnx if form == "onnx" else term.torch for term in terms]
    if len(codes) == 1 and d.chance(0.6):
        return codes[0]
    if form == "torch" and len(codes) > 1:
        codes = [f"({code})" for code in codes]
    if form == "onnx" and len(codes) > 1:
        lines = [f"r{i}_ = {code}" for i, code in enumerate(codes)]
        return "\n".join([*lines, f"return {', '.join(f'r{i}_' for i in range(len(codes)))}"])
    return f"return {', '.join(codes)}"


def _formulas(d: _Draw, arguments: list[Argument], terms: list[Term]) -> dict[str, str]:
    """Return the gradient of each tensor, or of some of them."""
    formulas: dict[str, str] = {}
    for argument in arguments:
        if not argument.is_tensor or argument.is_list or d.chance(0.15):
            continue
        parts = []
        for place, term in enumerate(terms):
            if argument.name in term.gradients:
                grad = "grad" if len(terms) == 1 else f"grads[{place}]"
                parts.append("(" + _with_gradient(term.gradients[argument.name], grad) + ")")
        formulas[argument.name] = " + ".join(parts) if parts else f"zeros_like({argument.name})"
    return formulas


def _with_gradient(formula: str, grad: str) -> str:
    return re.sub(r"\bG\b", grad, formula)


def _sample(d: _Draw, arguments: list[Argument], is_elementwise: bool) -> list[str]:
    dtype = d.pick("float32", "float32", "float32", "float64", "float16")
    shapes = ["2, 3", "n=2, 3", "4, n=3, m=2", "", "1", "n=1, 5", "(3)", "0, 2"]
    shape = d.random.choice(shapes)
    is_literal = shape == "2, 3" and dtype == "float32" and d.chance(0.3)
    lines = []
    for argument in arguments:
        if argument.is_tensor:
            if argument.is_optional and d.chance(0.5):
                continue
            sampled = [
                _tensor(d, dtype, shape, is_literal)
                for _ in range(d.random.randint(1, 3) if argument.is_list else 1)
            ]
            listed = f"[{', '.join(sampled)}]"
            lines.append(f"{argument.name} = {listed if argument.is_list else sampled[0]}")
        elif argument.default and d.chance(0.4) or argument.is_optional and d.chance(0.4):
            continue
        else:
            lines.append(f"{argument.name} = {_scalar(d, argument)}")
    return lines


def _tensor(d: _Draw, dtype: str, shape: str, is_literal: bool) -> str:
    if is_literal:
        return "[[1.0, -2.5, 0.5], [0.75, 1e-3, 3.0]]"
    if d.chance(0.3):
        entries = [entry.strip() for entry in shape.split(",") if entry.strip()]
        sizes = [entry if entry.isdigit() else _quoted(entry) for entry in entries]
        return f'{{ dtype = "{dtype}", shape = [{", ".join(sizes)}], low = -2.0, high = 2.0 }}'
    return f'"{dtype}[{shape}]"'


def _scalar(d: _Draw, argument: Argument) -> str:
    return {
        "float": d.pick("0.5", "-2.25", "3"),
        "Scalar": d.pick("0.5", "3"),
        "int": "3",
        "SymInt": "3",
        "bool": d.pick("true", "false"),
        "str": d.pick('"mean"', '"it\'s \\"odd\\""'),
        "int[2]": d.pick("[2, 3]", "2"),
        "SymInt[2]": "[2, 3]",
        "float[]": "[0.5, 2.5, 1.0]",
    }[argument.type.rstrip("?")]


def _quoted(text: str) -> str:
    """Return a TOML string."""
    return json.dumps(text, ensure_ascii=False)


# ---- Existing operators ----


def _existing(d: _Draw) -> str:
    op = d.random.choice(EXISTING)
    has_mapping = bool(op.mapping) and d.chance(0.7)
    has_kernel = bool(op.python) and d.chance(0.5)
    domain = d.pick("", "my.domain", f"drawn_{d.seed}") if has_mapping else "my_domain"
    lines = ["[op]", f"schema = {_quoted(op.schema)}"]
    lines += [f"requires = [{_quoted(op.requires)}]"] if op.requires else []
    lines += ["", "[onnx]"]
    if has_mapping:
        opset = d.random.choice([o for o in _OPSETS if o >= op.opset])
        lines += [f"opset = {opset}", f"mapping = {_quoted(op.mapping)}"]
    lines += [f"domain = {_quoted(domain)}"] if domain else []
    lines += ["", "[kernel]", f"python = {_quoted(op.python)}"] if has_kernel else []
    lines += ["", "[[samples]]", op.sample]
    lines += ["", "[package]", f"name = {_quoted(f'drawn_package_{d.seed}')}"]
    return "\n".join(lines) + "\n"
