"""Replacement of a model's own functions by operators."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from onnxop_runtime import replaced
from onnxop_runtime.exporting.replacement import replaced as module


def double(x: float) -> float:
    return 2 * x


alias = double


class Scaling:
    factor = 3

    @classmethod
    def of(cls, x: float) -> float:
        return cls.factor * x

    @staticmethod
    def plain(x: float) -> float:
        return 5 * x

    def scale(self, x: float) -> float:
        return self.factor * x


class Doubling(Scaling):
    factor = 2


HERE = __name__


def test_a_function_by_name_in_every_module_that_holds_it() -> None:
    with replaced({f"{HERE}.double": lambda x: -x}):
        assert (double(1.0), alias(1.0)) == (-1.0, -1.0)
    assert (double(1.0), alias(1.0)) == (2.0, 2.0)


def test_a_function_itself() -> None:
    with replaced({double: lambda x: -x}):
        assert double(1.0) == -1.0


def test_a_method_gets_the_object_first() -> None:
    with replaced({f"{HERE}.Scaling.scale": lambda self, x: (type(self).__name__, x)}):
        assert Doubling().scale(1.0) == ("Doubling", 1.0)  # type: ignore[comparison-overlap]
    assert Doubling().scale(1.0) == 2.0


def test_a_class_method_for_its_class_only() -> None:
    with replaced({f"{HERE}.Scaling.of": lambda x: -x}):
        assert (Scaling.of(1.0), Doubling.of(1.0)) == (-1.0, 2.0)
    assert Scaling.of(1.0) == 3.0


@pytest.mark.slow
def test_a_static_method() -> None:
    with replaced({f"{HERE}.Scaling.plain": lambda x: -x}):
        assert (Scaling.plain(1.0), Scaling().plain(1.0)) == (-1.0, -1.0)
    assert Scaling.plain(1.0) == 5.0


@pytest.mark.slow
def test_originals_return_after_an_error() -> None:
    with pytest.raises(KeyError), replaced({f"{HERE}.double": lambda x: -x}):
        raise KeyError
    assert double(1.0) == 2.0


@pytest.mark.slow
def test_calls_are_counted() -> None:
    with module.in_place({f"{HERE}.double": lambda x: -x}) as calls:
        double(1.0)
        double(2.0)
    assert calls == {f"{HERE}.double": 2}


@pytest.mark.parametrize(
    ("target", "error", "match"),
    [
        ("__main__.no_such", ValueError, "has no no_such yet, as a script defines it when it runs"),
        ("no_such_module.f", ValueError, "there is no module 'no_such_module'"),
        (f"{HERE}.missing", ValueError, "has no missing"),
        (f"{HERE}.Scaling", TypeError, "name the function to replace, such as"),
        ("not a name", ValueError, "write the dotted name of a function"),
        ("builtins.abs", ValueError, "write the dotted name of a function"),
        (3, TypeError, "3 is not a function"),
        ((lambda x: x), ValueError, "is not in an imported module; give its dotted name"),
    ],
    ids=["module", "script", "attribute", "class", "text", "builtin", "number", "lambda"],
)
def test_wrong_targets(target: object, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match), replaced({target: lambda x: x}):
        pass


@pytest.mark.slow
def test_a_replacement_that_nothing_calls() -> None:
    with (
        pytest.raises(
            ValueError, match=r"nothing called .*\.double in this block; name the function"
        ),
        replaced({f"{HERE}.double": lambda x: -x}),
    ):
        pass


def test_wrong_replacements() -> None:
    wrong: list[tuple[Any, type[Exception], str]] = [
        ({f"{HERE}.double": 3}, TypeError, "the replacement is not a function, but 3"),
        ({f"{HERE}.double": abs, double: abs}, ValueError, "double is named twice"),
        ([double], TypeError, "replaced takes a dictionary, not"),
    ]
    for replacements, error, match in wrong:
        with pytest.raises(error, match=match), replaced(replacements):
            pass


def shifted(x: torch.Tensor, step: float = 1.0, *, sign: int = 1) -> torch.Tensor:
    return x + sign * step


class Shift(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - 1


class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x / 2


class Shifts(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift = Shift()

    def forward(self, x: torch.Tensor) -> object:
        return Half.apply(self.shift(shifted(x, sign=-1)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:While compiling, we found certain side effects")
@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize(
    ("original", "instead", "operator"),
    [
        ("shifted", lambda x, step=1.0, *, sign=1: x * sign, "mul"),
        ("shifted", "torch.pow(x, sign + step)", "pow"),
        ("Shift", torch.neg, "neg"),
        ("Shift", "torch.neg(x)", "neg"),
    ],
)
def test_calls_of_both_traces_count(
    original: str, instead: Any, operator: str, is_strict: bool
) -> None:
    torch._dynamo.reset()
    with replaced({f"{HERE}.{original}": instead}):
        program = torch.export.export(Shifts(), (torch.ones(3),), strict=is_strict)
    assert operator in program.graph_module.code


@pytest.mark.slow
def test_a_function_of_autograd_in_a_strict_trace() -> None:
    """PyTorch traces its forward, without calling its apply."""
    names = {f"{HERE}.Half": torch.neg}
    with pytest.raises(ValueError, match="export with strict=False"), replaced(names):
        torch.export.export(Shifts(), (torch.ones(3),), strict=True)
