"""Modules and classes of others → their attributes, read without running any of their code.

``getattr``, ``vars``, ``isinstance`` and ``==`` run what a module, a class or an object defines: a
module's ``__getattr__``, a lazy loader, a property ``__class__`` of a proxy, a ``__hash__`` that
raises. The functions here ask CPython's own types instead, and take no attribute for a string that
is not one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any, TypeGuard

_MODULE_DICT = vars(ModuleType)["__dict__"]
_CLASS_DICT = vars(type)["__dict__"]
_CLASS_MODULE = vars(type)["__module__"]
_CLASS_QUALNAME = vars(type)["__qualname__"]
_CLASS_MRO = vars(type)["__mro__"]


def is_module(value: object) -> TypeGuard[ModuleType]:
    """Return whether the value is a module; a proxy of one is not."""
    return issubclass(type(value), ModuleType)


def is_class(value: object) -> TypeGuard[type]:
    """Return whether the value is a class; a proxy of one is not."""
    return issubclass(type(value), type)


def attributes(owner: object) -> dict[str, object]:
    """Return the attributes that a module or a class itself holds, as a new dict; of anything else,
    none.
    """
    if is_module(owner):
        namespace = _MODULE_DICT.__get__(owner)
    elif is_class(owner):
        namespace = _CLASS_DICT.__get__(owner)
    else:
        return {}
    return {key: value for key, value in [*namespace.items()] if type(key) is str}


def module_name(module: ModuleType) -> str:
    """Return the name of a module; empty if it is not a plain string."""
    first, value = next(iter(_MODULE_DICT.__get__(module).items()), (None, None))
    if type(first) is str and first == "__name__":  # as in nearly every module, without a copy
        return _text(value)
    return _text(attributes(module).get("__name__"))


def class_name(cls: type) -> tuple[str, str]:
    """Return the module and the qualified name of a class; empty where they are not plain
    strings.
    """
    return _text(_CLASS_MODULE.__get__(cls)), _text(_CLASS_QUALNAME.__get__(cls))


def inherited(cls: type, name: str) -> object:
    """Return the attribute of a class or of the first of its bases that has it, as it is stored, or
    None.
    """
    for base in _CLASS_MRO.__get__(cls):
        held = attributes(base)
        if name in held:
            return held[name]
    return None


def bound(cls: type, name: str) -> Callable[..., Any] | None:
    """Return a class method bound to the class, or a static method; None if the attribute is
    neither.
    """
    stored = inherited(cls, name)
    if (
        type(stored) is ClassMethodDescriptorType
    ):  # of a class in C, as torch.autograd.Function.apply
        method: Callable[..., Any] = stored.__get__(None, cls)
        return method
    if type(stored) is FunctionType:
        return stored
    if type(stored) not in (classmethod, staticmethod):
        return None
    function = stored.__func__  # type: ignore[attr-defined]
    if type(function) is not FunctionType:
        return None
    return MethodType(function, cls) if type(stored) is classmethod else function


def subclasses(cls: type) -> Iterator[type]:
    """Yield all direct and indirect subclasses of a class."""
    pending: list[type] = type.__subclasses__(cls)
    while pending:
        subclass = pending.pop()
        pending += type.__subclasses__(subclass)
        yield subclass


def module_of_builtin(function: BuiltinFunctionType, owner: str) -> str:
    """Return the name of the module of a compiled function: what the function says or, if that is
    no string (the functions of psutil have the module itself), the ``owner`` that holds it. Return
    "" for a method of an object, which belongs to no module.
    """
    module: object = function.__module__
    if module is None:
        return ""
    return module if type(module) is str else owner


def identity(function: object) -> tuple[object, ...]:
    """Return a key that is the same for each look at a function: a bound method is a new object
    each time.
    """
    if type(function) is MethodType:
        return id(function.__self__), id(function.__func__)
    if type(function) is BuiltinFunctionType:
        owner = function.__self__
        if owner is not None and not is_module(owner):
            return id(owner), function.__name__
    return (id(function),)


def imported() -> Iterator[tuple[str, ModuleType]]:
    """Yield the imported modules that have a name."""
    for module in [*sys.modules.values()]:
        if is_module(module) and (name := module_name(module)):
            yield name, module


def _text(value: object) -> str:
    return value if type(value) is str else ""
