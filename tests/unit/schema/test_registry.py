"""Operators that other modules register, read from PyTorch in another process."""

import subprocess
import sys
from pathlib import Path

import pytest

from onnxop.schema import registry
from onnxop.schema import signature as schema
from onnxop_runtime.installer import pip_install
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from tests.programs import program

NOISY = program("registry/noisy")
MIXING = """
import contextlib, os
for descriptor in range(3, 100):
    with contextlib.suppress(OSError):
        os.write(descriptor, b'{"schemas"\\n')
"""
MODULES = {
    "mixing_ops": MIXING,
    "noisy_ops": NOISY,
    "leaving_ops": "import sys; sys.exit('gone')",
    "dying_ops": "import os, sys; print('last words', file=sys.stderr); os._exit(3)",
    "slow_ops": "import time; time.sleep(60)",
    "torn_ops": "import no_such_module_at_all",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    modules = tmp_path_factory.mktemp("modules")
    for name, text in MODULES.items():
        (modules / f"{name}.py").write_text(text)
    return modules


@pytest.fixture
def modules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(folder))


def parsed(text: str) -> tuple[OpSchema | None, list[str]]:
    problems = Problems()
    op = schema.parse(text, problems, ["noisy_ops"])
    return op, [problem.message for problem in problems]


@pytest.mark.usefixtures("modules")
@pytest.mark.slow
def test_a_required_module_s_operator_is_read() -> None:
    op, facts = parsed("noisy::scale")
    assert op is not None and not facts and op.exists
    assert [(a.name, a.type, a.default) for a in op.caller_arguments] == [
        ("x", "Tensor", None),
        ("by", "float[2]", (1.5, 1.5)),
    ]
    assert [a.name for a in op.arguments if a.is_always_none] == ["dtype"]
    assert parsed("noisy::scale(Tensor x,float[2] by=[1.5, 1.5],*,ScalarType? dtype=None)->Tensor")[
        0
    ] == (op)


@pytest.mark.usefixtures("modules")
@pytest.mark.slow
def test_existing_operators_may_be_views_and_take_tensors_by_keyword() -> None:
    op, _ = parsed("noisy::view")
    assert op is not None and op.arguments[0].type == "Tensor"
    op, _ = parsed("noisy::late")
    assert op is not None
    assert [a.name for a in op.arguments if a.keyword_only] == ["y", "n", "mode"]


@pytest.mark.slow
@pytest.mark.usefixtures("modules")
def test_an_operator_that_no_module_registers_is_refused() -> None:
    assert parsed("noisy::scal")[1] == [
        "noisy_ops registers no operator noisy::scal; did you mean scale?"
    ]
    assert parsed("noisy::add_")[1][0].startswith("the operator name 'add_' ends with")
    op, facts = parsed("mine::scale(Tensor x, int n=1) -> Tensor")
    assert op is not None and not facts and not op.exists


@pytest.mark.usefixtures("modules")
@pytest.mark.slow
def test_other_signature() -> None:
    assert parsed("noisy::scale(Tensor x) -> Tensor")[1][0].startswith(
        "the registered noisy::scale has another signature; write noisy::scale(Tensor x, float[2]"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("none_ops", f"no module none_ops is installed; run {pip_install()} none_ops"),
        ("leaving_ops", "leaving_ops cannot be imported: SystemExit: gone; fix it"),
        (
            "dying_ops",
            "dying_ops cannot be imported: the process ended with status 3: last words; fix it",
        ),
        (
            "mixing_ops",
            "mixing_ops cannot be imported: other output is mixed into the answer, as if the import",
        ),
        (
            "torn_ops",
            "torn_ops cannot be imported: ModuleNotFoundError: No module named 'no_such_module",
        ),
    ],
)
def test_not_importable(module: str, message: str) -> None:
    failure = registry.ask("noisy::scale", ("re", module))
    assert isinstance(failure, registry.Failure)
    assert failure.index == 1
    assert failure.message.startswith(message)


@pytest.mark.usefixtures("modules")
@pytest.mark.slow
def test_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "TIMEOUT", 4)
    failure = registry.ask("noisy::scale", ("slow_ops",))
    assert isinstance(failure, registry.Failure)
    assert failure.message.startswith("slow_ops cannot be imported: no result within 4 s")


def test_torch_is_not_imported_without_need() -> None:
    script = (
        "import sys; from onnxop.schema.signature import parse\n"
        "from onnxop_runtime.specs.problems import Problems\n"
        "parse('aten::logit', Problems())\n"
        "parse('torchvision::nms', Problems())\n"
        "parse('m::f(Tensor a, int[2] b=1) -> Tensor', Problems())\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.slow
def test_operators_that_torchgen_makes_of_others() -> None:
    problems = Problems()
    assert schema.parse(
        "aten::_native_batch_norm_legit_functional", problems, given_name="legit"
    ), list(problems)
