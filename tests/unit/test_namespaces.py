"""Modules of others, in which everything that a look could run leaves a trace or raises."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import onnxop_runtime
from onnxop.errors import OnnxopError
from onnxop.scan.calls import own_functions
from onnxop.scan.model import target
from onnxop.starter.own_functions import of_function
from onnxop.trial.call import format_value
from onnxop_runtime.exporting.replacement import namespaces

RAN: list[str] = []


def runs(name: str) -> Callable[..., Any]:
    def run(*_: Any, **__: Any) -> Any:
        RAN.append(name)
        raise RuntimeError(name)

    return run


class Raising:
    """An object each of whose methods leaves a trace and raises."""

    __eq__ = runs("__eq__")
    __hash__ = runs("__hash__")
    __bool__ = runs("__bool__")
    __call__ = runs("__call__")
    __repr__ = runs("__repr__")
    __str__ = runs("__str__")
    __len__ = runs("__len__")
    __iter__ = runs("__iter__")
    __getattr__ = runs("__getattr__")
    __class__ = property(runs("__class__"))


class LazyModule(types.ModuleType):
    """A module whose attributes are loaded when they are asked for."""

    __getattribute__ = runs("a module's __getattribute__")


class Meta(type):
    """A metaclass whose classes cannot be compared, hashed or listed."""

    __eq__ = runs("a metaclass's __eq__")
    __hash__ = runs("a metaclass's __hash__")
    __subclasses__ = runs("__subclasses__")
    __getattribute__ = runs("a metaclass's __getattribute__")


class Proxy:
    """A proxy that says that it is a module."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        RAN.append("a proxy's __class__")
        return types.ModuleType

    def __getattr__(self, name: str) -> Any:
        RAN.append(f"a proxy's {name}")
        return runs(name)


class Text(str):
    """A name that runs code where a string does not."""

    partition = runs("partition")
    __eq__ = runs("a string's __eq__")
    __hash__ = str.__hash__


def named(name: object, **attributes: object) -> types.ModuleType:
    module = types.ModuleType("a_module")
    vars(module).update({"__name__": name, **attributes})
    return module


def hostile() -> dict[str, Any]:
    """Return modules by their names in sys.modules."""
    by_metaclass = type.__call__(Meta, "ByMetaclass", (), {})
    type.__setattr__(by_metaclass, "__module__", "h_values")
    values = {
        "raising": Raising(),
        "proxy": Proxy(),
        "by_metaclass": by_metaclass,
        "module_is_property": type("Odd", (), {"__module__": property(runs("__module__"))}),
        "module_is_object": type("Odd", (), {"__module__": Raising()}),
        "of_text": type("Odd", (), {"__module__": Text("h_values")}),
        "nameless": named(None),
        "of_another": named(Text("x")),
        "bound_builtin": [].append,
        "method": types.MethodType(Raising(), Raising()),
        "static": staticmethod(max),
    }
    lazy_attributes = named("h_getattr", __getattr__=runs("a module's __getattr__"))
    return {
        "h_values": named("h_values", **values, **{"not an identifier": 1}),
        "h_getattr": lazy_attributes,
        "h_lazy": LazyModule("h_lazy"),
        "h_proxy": Proxy(),
        "h_raising": Raising(),
        "h_none": None,
        "h_nameless": named(Raising()),
        "h_text": named(Text("h_text"), Held=type("Held", (), {})),
    }


@pytest.fixture
def modules() -> Iterator[dict[str, Any]]:
    """Import the modules, in which nothing has run."""
    added = hostile()
    sys.modules.update(added)
    RAN.clear()
    yield added
    for name in added:
        del sys.modules[name]


@pytest.mark.slow
@pytest.mark.usefixtures("modules")
def test_a_scan_runs_nothing_of_them() -> None:
    with own_functions.record_own_functions() as functions:
        torch.ones(2).relu()
    assert (RAN, functions) == ([], {})


@pytest.mark.slow
@pytest.mark.usefixtures("modules")
def test_nor_does_a_replacement() -> None:
    own = named("h_own", doubled=lambda x: x * 2)
    sys.modules["h_own"] = own
    try:
        with onnxop_runtime.replaced({"h_own.doubled": lambda x: x * 3}):
            assert own.doubled(1) == 3
        assert (RAN, own.doubled(1)) == ([], 2)
    finally:
        del sys.modules["h_own"]


def test_a_compiled_function_whose_module_is_no_name() -> None:
    """Functions of psutil have the module in the place of its name, and scan failed for it."""
    psutil = pytest.importorskip("psutil._psutil_linux")
    assert isinstance(psutil.net_if_mtu.__module__, types.ModuleType)
    assert namespaces.module_of_builtin(psutil.net_if_mtu, "psutil._psutil_linux") == (
        "psutil._psutil_linux"
    )
    names = {name for name, _, _ in own_functions._candidates()}
    assert "psutil._psutil_linux.net_if_mtu" in names


def test_what_a_compiled_function_may_say_of_its_module() -> None:
    RAN.clear()
    modules: list[tuple[Any, str]] = [(None, ""), ("", ""), ("torch.nn", "torch.nn")]
    modules += [(odd, "owner") for odd in (types.ModuleType("x"), 3, Text("x"), Raising())]
    for module, expected in modules:
        function: Any = types.SimpleNamespace(__module__=module)
        assert namespaces.module_of_builtin(function, "owner") == expected
    assert RAN == []


def test_functions_that_are_none() -> None:
    class Odd(torch.autograd.Function):
        __module__ = property(runs("__module__"))

    class Named(torch.autograd.Function):
        apply = Raising()

    RAN.clear()
    names = [name for name, _, _ in own_functions._candidates()]
    assert RAN == []
    assert not [name for name in names if "Named" in name or "Odd" in name]


def test_one_function_seen_twice() -> None:
    class Doubled(torch.autograd.Function):
        pass

    identity = namespaces.identity
    assert identity(Doubled.apply) == identity(namespaces.bound(Doubled, "apply"))
    assert f"{__name__}.{Doubled.__qualname__}.apply" in {
        name for name, _, _ in own_functions._candidates()
    }
    assert identity(Doubled.apply) != identity(torch.autograd.Function.apply)
    assert identity(torch.relu) == identity(torch.relu) != identity(torch.tanh)
    items: list[int] = []
    assert identity(items.append) == identity(items.append) != identity(items.remove)


def test_a_model_that_a_lazy_module_cannot_load(modules: dict[str, Any]) -> None:
    with pytest.raises(target.TargetError, match=r"h_getattr\.build raises RuntimeError: a mod"):
        target.load("h_getattr:build")
    modules["h_values"].biuld = test_functions_that_are_none
    with pytest.raises(target.TargetError, match="no function build; did you mean biuld"):
        target.load("h_values:build")


def test_the_text_of_a_docstring_does_not_run() -> None:
    class Compiled:
        __doc__ = "f(x: Tensor, by: float = print('ran'), n: int = 2) -> Tensor\n"
        __signature__ = "none"
        __call__ = runs("__call__")

    RAN.clear()
    text = of_function("m.f", Compiled(), (torch.ones(2), 1.5), {}, torch.ones(2)).text
    assert 'schema = "my_lib::f(Tensor x0, float x1) -> Tensor"' in text
    assert RAN == []


def test_arguments_that_cannot_be_printed() -> None:
    class Unprintable:
        __repr__ = runs("__repr__")

    assert format_value([Unprintable()]) == "[a value of type Unprintable]"
    with pytest.raises(OnnxopError, match="x1 is a value of type Unprintable, for which schemas"):
        of_function("f", max, (torch.ones(1), Unprintable()), {}, torch.ones(1))
