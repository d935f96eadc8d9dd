"""The library for ONNX Runtime: every model that runs without it runs with it, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import ROOT, Build
from tests.programs import PATH, program
from tests.tiers import nightly
from tests.warm import Warm

# A kernel of float32 and float64, in a model converted to float16 afterwards.
HALVES = program("native/halves")

# Dtypes that the kernel lacks: the function computes them, and the kernel half floats as floats.
OTHER_DTYPES = program("native/other_dtypes")

# A hundred values, which give two kinds of body.
HUNDRED = program("native/hundred")

# A kernel of version 3 serves models of version 3 only; earlier models run their functions.
VERSIONS = program("native/versions")

# Numbers that float32 cannot hold, of float64 nodes that share a function with others: as exact as
# standard nodes. Float32 nodes need no more than float32.
DOUBLES = program("native/doubles")

# The memory that deleted options leave, counted by the C library.
KEPT = program("native/kept")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("code", "answers"),
    [(DOUBLES, 13), (HALVES, 1), (OTHER_DTYPES, 7), (HUNDRED, 2), (VERSIONS, 6)],
    ids=["doubles", "halves", "other dtypes", "a hundred values", "versions"],
)
@pytest.mark.usefixtures("many_ops")
def test_what_stock_runs_runs_with_the_library(
    build: Build, warm: Warm, tmp_path: Path, code: str, answers: int
) -> None:
    build(ROOT / "tests" / "specs" / "aminmax.toml")
    output = warm.checked("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=PATH)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, output


# The library's warnings about sessions, each in its own process: the entries of the options, and
# the models loaded with them, by the domain of their node.
TOLD = program("native/told")
NOTHING = "my_add 0.1.0: this library for ONNX Runtime computed no node of a session"
UNREAD = "of a session's options is read by none of their registered libraries"


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("load({}, own, own)", []),
        ('load({key: "other"}, own, other)', []),
        nightly('load({f"{key}.2": "other", key: "a,b"}, own, other)', []),
        nightly('load({"session.of_the_caller": "1"}, own)', []),
        ("load({}, other)", [NOTHING]),
        nightly("load({}, other, own, other)", [NOTHING] * 2),
        nightly('load({}, other, other); load({key: "othr"}, other)', [NOTHING] * 3),
        ('load({f"{key}.3": "other"}, own); load({f"{key}.3": "other"}, own)', [UNREAD]),
        nightly(
            'load({key: "othr"}, other)',
            [f"{NOTHING}: its model was refused, or has no my_lib::my_add "],
        ),
        nightly("load({}, other); load({}, own)", [NOTHING]),
        nightly('load({"onnxop.domain.my_lib::my_add": "other"}, own)', [UNREAD]),
        nightly('load({"onnxop.domains.my_lib::my_ad": "other"}, own, own)', [UNREAD]),
        nightly('load({f"{key}.3": "other"}, own)', [UNREAD]),
        nightly(
            'load({key: ""}, own)',
            [
                "node of '', which is not a valid domain; set the entry \"onnxop.domains.my_lib::my_add\" to"
            ],
        ),
        ('load({key: "other,"}, own)', ["node of '', which is not a valid domain"]),
        nightly('load({}, model("my_lib", ("float", "double")))', ["must have the same dtype"]),
        nightly(
            'load({}, model("my_lib", ir=99))',
            ["IR version", f"{NOTHING}: its model was refused, or"],
        ),
    ],
)
def test_what_it_says_of_sessions(
    packages: Environment, tmp_path: Path, code: str, facts: list[str]
) -> None:
    """Check the warning about each session without a computed node, printed when its thread makes
    the next session; and the one about unread entries, printed once.
    """
    output = packages.run("-W", "ignore", "-c", TOLD + code, cwd=tmp_path).stdout
    assert "loading" in output or "not a valid domain" in output, output
    assert sum(output.count(fact) for fact in (NOTHING, UNREAD)) == sum(
        fact.startswith((NOTHING, UNREAD)) for fact in facts
    ), output
    for fact in facts:
        assert fact in output


@pytest.mark.usefixtures("packages")
def test_what_it_says_at_the_end(environment: Environment, tmp_path: Path) -> None:
    """Check the warning about the last session, at the end of the process. A library registered
    later may read an entry.
    """
    code = """
import asinh
options = onnxruntime.SessionOptions()
for package in (my_add, asinh):
    name = package.package.operators[0]
    options.add_session_config_entry(f"onnxop.domains.{name}", "other")
for package in (my_add, asinh, my_add):
    options.register_custom_ops_library(package.library_path())
onnxruntime.InferenceSession(other, options)
print("the end", file=sys.stderr, flush=True)
"""
    output = environment.checked("-W", "ignore", "-c", TOLD + code, cwd=tmp_path)
    said = "asinh 0.1.0: this library for ONNX Runtime computed no node of a session"
    assert output.index("the end") < output.index(said)
    assert NOTHING not in output
    assert UNREAD not in output


RAMP = """
[op]
schema = "my_lib::ramp(Tensor x, int steps=2) -> Tensor"
[onnx]
opset = 13
domain = "my_lib"
mapping = '''
y = x
for i in range(steps):
    y = y + x
return y
'''
[kernel]
elementwise = "x + x * steps"
"""
SINC = """
[op]
schema = "aten::sinc"
[onnx]
opset = 15
domain = "my_lib"
mapping = '''
z = self * 3.141592653589793
zero = op.Equal(self, 0.0)
result = op.Where(zero, op.CastLike(1.0, self), op.Sin(z) / op.Where(zero, op.CastLike(1.0, self), z))
return result
'''
[[samples]]
self = "float32[n=2, 7]"
"""
# An operator with a kernel and one without, each with nodes whose functions differ.
KINDS = program("native/kinds")


@pytest.mark.nightly
def test_kinds_of_nodes(environment: Environment, warm: Warm, tmp_path: Path) -> None:
    for name, text in (("ramp", RAMP), ("sinc", SINC)):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    specs = ["ramp.toml", "sinc.toml"]
    warm.checked("-m", "onnxop", "new", *specs, "--name", "kinds", "made", cwd=tmp_path)
    environment.install(tmp_path / "made")
    output = warm.checked("-W", "ignore", "-c", KINDS, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * 15, output
    assert "graph(" not in output  # the exporter's graphs, before our sentence
    assert "Custom opset domain" not in output  # an operator that the model does not use


@pytest.mark.nightly
def test_options_that_are_gone_leave_nothing(packages: Environment, tmp_path: Path) -> None:
    kept = packages.checked("-W", "ignore", "-c", KEPT, cwd=tmp_path)
    assert float(kept.splitlines()[0]) < 1
