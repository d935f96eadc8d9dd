"""Operators in the place of a model's own functions, while it is exported."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import MethodType
from typing import Any

_MISSING: Any = object()


@contextmanager
def replaced(replacements: Mapping[Any, Callable[..., Any]]) -> Iterator[None]:
    """Call operators instead of a model's own functions, without an edit of the model.

    What no exporter looks into, a ``torch.autograd.Function`` or a function of a compiled extension, is
    replaced in its module or class, and in every module and class that has it by another name::

        with onnxop_runtime.replaced({"detector.ops.MSDeformAttn.apply": my_ops.ms_deform_attn}):
            onnxop_runtime.export(model, args, "model.onnx")

    A replacement is given the same arguments; that of a method is given the module first. It holds for
    the whole process until the block ends, and is undone then.

    Args:
        replacements: what is called instead, by the dotted name of a function, or by the function
            itself: ``"package.module.Function.apply"`` or ``Function.apply``.

    Raises:
        ValueError: there is no such function, or nothing called it in the block.
        TypeError: a replacement, or what is to be replaced, cannot be called.
    """
    with in_place(replacements) as calls:
        yield
    if unused := [name for name, count in calls.items() if not count]:
        raise ValueError(
            f"nothing called {' or '.join(unused)} in this block; name the function as it is called, "
            "with the class that it is called on, as in package.module.Function.apply"
        )


@contextmanager
def in_place(replacements: Mapping[Any, Callable[..., Any]]) -> Iterator[dict[str, int]]:
    """Do the same, and yield how often each was called, by its dotted name."""
    calls: dict[str, int] = {}
    if not isinstance(replacements, Mapping):
        raise TypeError(f"replaced takes a dictionary, not {replacements!r}")
    with ExitStack() as stack:
        for target, replacement in replacements.items():
            name, function, places = _found(target)
            if not callable(replacement):
                raise TypeError(f"{name}: its replacement is no function, but {replacement!r}")
            calls[name] = 0
            counting = _counting(name, replacement, calls)
            stack.callback(_forget, counting, function)
            for owner, word in places:
                before = vars(owner).get(word, _MISSING)
                stack.callback(_restore, owner, word, before)
                setattr(owner, word, _instead(owner, word, before, function, counting))
        yield calls


def _counting(name: str, replacement: Callable[..., Any], calls: dict[str, int]) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        return replacement(*args, **kwargs)

    return call


def _instead(owner: Any, word: str, before: Any, function: Any, counting: Any) -> Any:
    """Return what a module or class has instead: called on a class, that of this class alone."""
    if not isinstance(owner, type):
        return counting
    if getattr(function, "__self__", None) is owner:

        def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if cls is owner:
                return counting(*args, **kwargs)
            is_inherited = before is _MISSING
            own = getattr(super(owner, cls), word) if is_inherited else before.__get__(None, cls)
            return own(*args, **kwargs)

        return classmethod(call)
    held = inspect.getattr_static(owner, word)
    is_bound = isinstance(held, staticmethod | MethodType) or not hasattr(held, "__get__")
    return staticmethod(counting) if is_bound else counting


def _forget(counting: Any, function: Any) -> None:
    """Put the function back where a module that was imported meanwhile took its replacement."""
    for owner in _owners():
        for word, value in [*vars(owner).items()]:
            if value is counting:
                setattr(owner, word, function)


def _restore(owner: Any, word: str, before: Any) -> None:
    if before is _MISSING:
        delattr(owner, word)
    else:
        setattr(owner, word, before)


def _found(target: Any) -> tuple[str, Any, list[tuple[Any, str]]]:
    """Return the name of a function, itself, and each module and class that has it, and by which name."""
    if isinstance(target, str):
        name, (owner, word) = target, _named(target)
        function = getattr(owner, word)
        places = {(id(owner), word): (owner, word)}
    else:
        if not callable(target):
            raise TypeError(f"{target!r} is no function")
        function, places = target, {}
        home, word = getattr(target, "__self__", None), str(getattr(target, "__name__", ""))
        module = getattr(target, "__module__", None) or ""
        name = f"{module}.{getattr(target, '__qualname__', word)}" if word else repr(target)
        if isinstance(home, type):  # Function.apply
            name = f"{home.__module__}.{home.__qualname__}.{word}"
            places[id(home), word] = home, word
    if isinstance(function, type) or not callable(function):
        raise TypeError(
            f"{name} is no function, but {function!r}; name what is called of it, as {name}.apply"
        )
    for owner in _owners():
        for word, value in [*vars(owner).items()]:
            if _is_same(value, function):
                places.setdefault((id(owner), word), (owner, word))
    if not places:
        raise ValueError(f"{name} is in no module that is imported; give its dotted name")
    return name, function, [*places.values()]


def _named(name: str) -> tuple[Any, str]:
    """Return what has the function of a dotted name, and the last word of it."""
    *path, word = name.split(".")
    if not all(part.isidentifier() for part in (*path, word)) or path[:1] == ["builtins"]:
        raise ValueError(
            f"{name}: write the dotted name of a function, as in package.module.function"
        )
    for end in range(len(path), 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(path[:end]))
        except ModuleNotFoundError as error:
            if ".".join(path[:end]).startswith(str(error.name)):
                continue
            raise
        break
    else:
        raise ValueError(f"{name}: there is no module {(path or [name])[0]!r}")
    for each in (*path[end:], word):
        if not hasattr(owner, each):
            known = getattr(owner, "__qualname__", None) or owner.__name__
            raise ValueError(f"{name}: {known} has no {each}")
        owner, before = getattr(owner, each), owner
    return before, word


def _owners() -> Iterator[Any]:
    """Yield the modules that are imported, and the classes that they define."""
    for module in [*sys.modules.values()]:
        if not inspect.ismodule(module) or module.__name__.partition(".")[0] in _LIBRARIES:
            continue
        yield module
        for value in [*vars(module).values()]:
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield value


_LIBRARIES = {
    *sys.stdlib_module_names,
    "torch",
    "numpy",
    "onnx",
    "onnxscript",
    "onnxruntime",
    "sympy",
}


def _is_same(value: Any, function: Any) -> bool:
    """Return whether a value is the function, bound anew or as a static method, too."""
    value = value.__func__ if isinstance(value, staticmethod) else value
    return value is function or (type(value) is type(function) and bool(value == function))
