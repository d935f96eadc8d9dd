"""Operators in the place of a model's own functions, while it is exported."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
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
    if not isinstance(replacements, Mapping):
        raise TypeError(f"replaced takes a dictionary, not {replacements!r}")
    calls: dict[str, int] = {}
    names: dict[Any, str] = {}
    instead: dict[Any, Any] = {}
    homes: list[tuple[Any, str, Any]] = []
    for target, replacement in replacements.items():
        name, function, home = _found(target)
        if not callable(replacement):
            raise TypeError(f"{name}: its replacement is no function, but {replacement!r}")
        if function in instead:
            raise ValueError(f"{name} is named twice")
        calls[name], names[function] = 0, name
        instead[function] = _counting(name, replacement, calls)
        homes += [(*home, function)] if home else []
    places = {(id(owner), word): (owner, word, f) for owner, word, f in (*homes, *_held(instead))}
    found = {function for *_, function in places.values()}
    if lost := [name for function, name in names.items() if function not in found]:
        raise ValueError(f"{lost[0]} is in no module that is imported; give its dotted name")
    with ExitStack() as stack:
        stack.callback(_forget, {counting: function for function, counting in instead.items()})
        for owner, word, function in places.values():
            before = vars(owner).get(word, _MISSING)
            stack.callback(_restore, owner, word, before)
            setattr(owner, word, _instead(owner, word, before, function, instead[function]))
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


def _forget(originals: Mapping[Any, Any]) -> None:
    """Put functions back where a module that was imported meanwhile took their replacements."""
    for owner, word, replacement in _held(originals):
        setattr(owner, word, originals[replacement])


def _restore(owner: Any, word: str, before: Any) -> None:
    if before is _MISSING:
        delattr(owner, word)
    else:
        setattr(owner, word, before)


def _found(target: Any) -> tuple[str, Any, tuple[Any, str] | None]:
    """Return the name of a function, itself, and what it is named in, where that is known."""
    home: tuple[Any, str] | None = None
    if isinstance(target, str):
        name, home = target, _named(target)
        function = getattr(*home)
    else:
        if not callable(target):
            raise TypeError(f"{target!r} is no function")
        function = target
        owner, word = getattr(target, "__self__", None), str(getattr(target, "__name__", ""))
        module = getattr(target, "__module__", None) or ""
        name = f"{module}.{getattr(target, '__qualname__', word)}" if word else repr(target)
        if isinstance(owner, type):  # Function.apply
            name, home = f"{owner.__module__}.{owner.__qualname__}.{word}", (owner, word)
    if isinstance(function, type) or not callable(function):
        raise TypeError(
            f"{name} is no function, but {function!r}; name what is called of it, as {name}.apply"
        )
    return name, function, home


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


def _held(functions: Collection[Any]) -> Iterator[tuple[Any, str, Any]]:
    """Yield each module and class that has one of the functions, by which name, and which: bound anew or as a
    static method, too. All are looked for at once: there may be many modules, and many functions.
    """
    kinds = {*map(type, functions)}
    for owner in [*_owners()]:
        for word, value in [*vars(owner).items()]:
            value = value.__func__ if isinstance(value, staticmethod) else value
            if type(value) in kinds and value in functions:
                yield owner, word, value


def _owners() -> Iterator[Any]:
    """Yield the modules that are imported, and the classes that they define."""
    for module in [*sys.modules.values()]:
        if not inspect.ismodule(module) or module.__name__.partition(".")[0] in LIBRARIES:
            continue
        yield module
        for value in [*vars(module).values()]:
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield value


LIBRARIES = frozenset(
    (*sys.stdlib_module_names, "torch", "numpy", "onnx", "onnxscript", "onnxruntime", "sympy")
)
"""What no model's own function is in."""
