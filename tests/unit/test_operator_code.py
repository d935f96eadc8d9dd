"""What is generated in Python is formatted and free of findings, whatever the spec holds."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from onnxop import load
from onnxop.context import context
from onnxop.render import render

NAME, OTHER = (
    "a_name_of_sixty_characters_" + "x" * 33,
    "another_one_of_sixty_characters_" + "y" * 28,
)
CLIP = "op.Clip(x, {low} if flag else None, n * alpha + n * alpha + n * alpha + n * alpha + {high})"

# Schema, mapping, gradients.
SPECS: dict[str, tuple[str, str, dict[str, str]]] = {
    "partial": (
        "t::partial(Tensor a, Tensor b, float alpha=1.0, *, int n=1, bool flag=True) -> Tensor",
        "a * alpha + b * n if flag else a",
        {"b": "grad * n"},
    ),
    "no_formula": ("t::no_formula(Tensor x, Tensor y) -> Tensor", "op.Add(x, y)", {}),
    "grads": (
        (
            "t::grads(Tensor a, Tensor grad_a, Tensor a_shape, Tensor ctx, Tensor ctx_, Tensor part, "
            "float output=1.0, float inputs=2.0, float g=1.0) -> Tensor"
        ),
        "g_ = op.Add(a, grad_a)\nreturn g_ + a_shape + ctx * output + part + ctx_ * inputs + g",
        {
            "a": "grad * grad_a * a * ctx * ctx_ * inputs * output",
            "grad_a": "grad * part + a_shape",
            "a_shape": "grad + result",
            "part": "(grad * part.cos() * a_shape.sin() * grad_a).clamp(0, 1) + " * 3 + "part",
        },
    ),
    "words": (
        "t::words(Tensor self, Tensor shape, Tensor tensors, float type=1.0, float type_=2.0) -> Tensor",
        (
            "_constant = op.Add(self, shape)\nfloat = _constant * type\n_, int = op.TopK(float, [1])\n"
            "ir = op.Cast(int, to=1)\nunused = op.Exp(ir)\nreturn ir + tensors + type_"
        ),
        {"self": "grad if type > 0 else -grad"},
    ),
    "widths": (
        "t::widths(Tensor x, float alpha=1.0, int n=1, bool flag=True) -> Tensor",
        "\n".join(f"x{size} = {CLIP.format(low='1.5', high='1' * size)}" for size in range(1, 19))
        + "\nreturn op.Sum("
        + ", ".join(f"x{size}" for size in range(1, 19))
        + ")",
        {
            "x": "where(x > alpha, grad * x.cos() * n, grad * x.sin()) if flag else grad * alpha * x.exp()"
        },
    ),
    "branches": (
        "t::branches(Tensor x, float alpha=1.0, int n=1, bool flag=True) -> Tensor",
        "y = op.Elu(x, alpha=alpha * alpha * alpha * alpha * alpha * alpha * alpha * alpha * alpha + 1)"
        " if n == 1 and flag and alpha > 1.0 and alpha < 1000.0 and n * n * n * n * n * n > 1000 or flag"
        " else op.Resize(x, None, [2.0, 1.0, 1.0, 1.0], mode='cubic', cubic_coeff_a=alpha * 0.125,"
        " coordinate_transformation_mode='asymmetric')\n"
        "return op.Clip(y, (1.0 if flag else None) if n == 2 else None, "
        + " + ".join(["alpha"] * 20)
        + ")",
        {
            "x": "grad * "
            + " * ".join(["(x.cos() if flag else x.sin() if n == 2 else x.tanh())"] * 4)
        },
    ),
    "constants": (
        "t::constants(Tensor x, float alpha=1.0) -> Tensor",
        "op.Mul(op.Reshape(x, [-1, 30]), [" + ", ".join(f"alpha * {n}.5" for n in range(30)) + "])",
        {"x": "grad * torch.tensor([" + ", ".join(map(str, range(40))) + "])"},
    ),
    "powers": (
        "t::powers(Tensor x, float a=1.0, int n=1) -> Tensor",
        "op.Pow(x, -a ** n * (-a) ** -n)",
        {"x": "-grad ** 2 * x ** -n + grad.sum(dim=[0])[0:x.shape[0], None] * (not n ** 2)"},
    ),
    "names": (
        f"{OTHER}::{NAME}(Tensor {NAME}, Tensor {OTHER}, *, float {NAME}_scale=1.0) -> Tensor",
        f"op.Add(op.Mul({NAME}, {NAME}_scale * {NAME}_scale), op.Clip({OTHER}, {NAME}_scale))",
        {NAME: f"grad * {NAME}_scale", OTHER: f"grad * {NAME}_scale * {NAME} * {OTHER}"},
    ),
    "several": (
        (
            "t::several(Tensor x, Tensor grad_y, Tensor like, *, float integers=1.0) "
            "-> (Tensor y, Tensor ctx, Tensor, Tensor like)"
        ),
        "y, ctx = op.TopK(x, [1])\nreturn y, ctx, op.Mul(grad_y, integers), op.Neg(like)",
        {
            "x": "grads[0] * y + grad_y * result2 + grad * ctx * integers",
            "like": "grad_like_return",
        },
    ),
    "several_names": (
        (
            f"{OTHER}::{NAME}(Tensor {NAME}, Tensor {OTHER}, *, float {NAME}_scale=1.0) "
            f"-> (Tensor {NAME}_values, Tensor {NAME}_indices)"
        ),
        f"op.Add({NAME}, {NAME}_scale), op.Sub({OTHER}, {NAME}_scale)",
        {NAME: f"grad_{NAME}_indices * {NAME}_values + grads[1] * {NAME}_indices * {NAME}_scale"},
    ),
    "one_name": (
        f"t::f(Tensor {NAME}, float {OTHER}=1.0) -> Tensor",
        f"op.Mul({NAME}, {OTHER})",
        {NAME: f"grad * {OTHER} * {NAME}"},
    ),
}


def write(name: str, folder: Path) -> Path:
    schema, mapping, gradients = SPECS[name]
    first = schema.partition("Tensor ")[2].partition(",")[0]
    lines = [f'op.schema = "{schema}"', "onnx.opset = 17", f'onnx.mapping = """\n{mapping}"""']
    kernel = 'source = "kernel.h"' if "-> (" in schema else f'elementwise = "{first}"'
    lines += [f"kernel.{kernel}", f'package.name = "{name}"']
    if name == "several":
        lines.append('kernel.backward = ["grad_y"]')
    lines += [f'autograd.{argument} = "{formula}"' for argument, formula in gradients.items()]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every spec's package, by the spec's name."""
    folder = tmp_path_factory.mktemp("packages")
    for name in SPECS:
        render(load.load(write(name, folder)), {}, folder / name)
    return folder


@pytest.mark.parametrize("command", [["check"], ["format", "--diff"]], ids=["check", "format"])
def test_ruff_leaves_it(packages: Path, command: list[str]) -> None:
    files = [path for path in sorted(packages.rglob("*")) if path.suffix in {".py", ".pyi", ".md"}]
    answer = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--no-cache", "--quiet", *files],
        check=False,
        capture_output=True,
        text=True,
    )
    assert answer.stdout + answer.stderr == ""
    assert answer.returncode == 0


def test_rules_hold_at_every_opset(tmp_path: Path) -> None:
    """PyTorch's own symbolics would win from the opset on at which they are registered."""
    code = context(load.load(write("no_formula", tmp_path)))["symbolic_opsets"]
    assert code == "OPSETS = range(17, 24)"


def test_locals_do_not_collide(tmp_path: Path) -> None:
    """No local of ``backward`` is assigned that a formula reads: arguments come in once."""
    text = str(context(load.load(write("grads", tmp_path)))["backward"])
    found = ast.parse(textwrap.dedent(text))
    targets = [node for node in ast.walk(found) if isinstance(node, ast.Assign)]
    unpacked = {
        n.id for t in targets[:3] for n in ast.walk(t.targets[0]) if isinstance(n, ast.Name)
    }
    later = {n.id for t in targets[3:] for n in ast.walk(t.targets[0]) if isinstance(n, ast.Name)}
    assert {"a", "grad_a", "a_shape", "ctx_", "part", "result"} < unpacked
    assert not unpacked & (later | {"ctx", "grad", "torch"})
    assert {"grad_a_", "grad_a_shape_", "grad_part", "grad_grad_a", "part_2"} <= later
