"""Replacement of a model's own functions by operators, during its export."""

from __future__ import annotations

import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import MethodType, ModuleType
from typing import Any

from ... import torch_internals
from ...operator import originals
from . import call_text, namespaces

_MISSING: Any = object()


Replacements = Mapping[Any, Callable[..., Any] | str]
"""What to call instead, by the dotted name of a function or class, or by the function or class
itself.
"""


@contextmanager
def replaced(replacements: Replacements) -> Iterator[None]:
    """Call operators instead of a model's own functions, without editing the model.

    Use it for functions that exporters cannot trace, such as a ``torch.autograd.Function`` or one
    of a compiled extension. They are replaced in every module and class that holds them::

        with onnxop_runtime.replaced({"detector.ops.MSDeformAttn.apply": my_ops.ms_deform_attn}):
            onnxop_runtime.export(model, args, "model.onnx")

    A replacement gets the same arguments; that of a method gets the module first, that of a class
    of modules does not. Where the operator takes others, write the call as text, over the
    parameters of the original, ``self`` among them::

        {"detector.ops.DeformAttn": "my_ops.ms_deform_attn(value, shapes, locations=locations)"}

    The replacement holds in all threads until the block ends. Kernels and reference implementations
    of packages call the originals, and a replacement that calls the function that it replaces calls
    the original.

    Args:
        replacements: the functions to call instead, or their calls as text, by the dotted name of
            the original, or by the original itself: ``"package.module.Function.apply"`` or
            ``Function.apply``. A class stands for its ``forward`` (of a module) or ``apply`` (of a
            `torch.autograd.Function`).

    Raises:
        ValueError: there is no such function, nothing called it in the block, or a text is no call.
        TypeError: a replacement or an original cannot be called.
    """
    with in_place(replacements) as calls:
        yield
    if unused := [name for name, count in calls.items() if not count]:
        raise ValueError(
            f"nothing called {' or '.join(unused)} in this block; name the function as the model "
            f"calls it, with its class, as in package.module.Function.apply{_hint(unused)}"
        )


def _hint(unused: Sequence[str]) -> str:
    """Return what else may be the reason why functions were not called."""
    if not any(name.endswith(".apply") for name in unused):
        return ""
    return (
        "; torch.compile and torch.export.export(strict=True) trace the forward of a "
        "torch.autograd.Function, and not its apply: export with strict=False, which is the default"
    )


@contextmanager
def in_place(by_original: Replacements) -> Iterator[dict[str, int]]:
    """Replace functions as `replaced` does; yield the number of calls of each by dotted name."""
    if not isinstance(by_original, Mapping):
        raise TypeError(f"replaced takes a dictionary, not {by_original!r}")
    calls: dict[str, int] = {}
    instead: dict[_Identity, _Replaced] = {}
    homes: list[tuple[Any, str, _Identity]] = []
    for target, replacement in by_original.items():
        original = _resolved(target)
        name, function = original.name, original.function
        identity = namespaces.identity(function)
        if identity in instead:
            raise ValueError(f"{name} is named twice")
        calls[name] = 0
        counting = _counted(name, function, _replacement(original, replacement), calls)
        instead[identity] = _Replaced(name, function, counting)
        if original.home is not None:
            homes.append((*original.home, identity))
    holders = {(id(owner), key): (owner, key, f) for owner, key, f in (*homes, *_holders(instead))}
    located = {identity for *_, identity in holders.values()}
    for identity, function in instead.items():
        if identity not in located:
            raise ValueError(f"{function.name} is not in an imported module; give its dotted name")
    with ExitStack() as stack:
        stack.callback(_forget, [*instead.values()])
        for owner, key, identity in holders.values():
            before = namespaces.attributes(owner).get(key, _MISSING)
            stack.callback(_restore, owner, key, before)
            setattr(owner, key, _attribute_to_set(owner, key, before, instead[identity]))
        yield calls


_Identity = tuple[object, ...]


@dataclass(frozen=True)
class _Replaced:
    """A function of a model, by its dotted name, and the one that counts its calls and replaces
    it.
    """

    name: str
    original: Any
    counting: Any


@dataclass(frozen=True)
class _Original:
    """A function to replace: its dotted name, and the module or class and attribute that hold it,
    if known.
    """

    name: str
    function: Any
    home: tuple[Any, str] | None = None
    is_forward: bool = False
    """Whether a class of modules was named, so that a function that replaces it gets the arguments
    without the module.
    """


def _replacement(original: _Original, replacement: Any) -> Callable[..., Any]:
    """Return the function to call instead. Raise TypeError or ValueError if it is none."""
    name, takes_module = original.name, not original.is_forward
    if isinstance(replacement, str):
        named = lambda name: getattr(*_named(name))
        text, function = replacement, original.function
        replacement, is_call = call_text.replacement_of(name, text, function, named)
        takes_module = takes_module or is_call
    if not callable(replacement):
        raise TypeError(f"{name}: the replacement is not a function, but {replacement!r}")
    if takes_module:
        return replacement  # type: ignore[no-any-return]
    return lambda module, *args, **kwargs: replacement(*args, **kwargs)


class _Running(threading.local):
    """Whether a thread is in a replacement."""

    is_replacement = False


def _counted(
    name: str, original: Any, replacement: Callable[..., Any], calls: dict[str, int]
) -> object:
    """Return a function that calls the replacement, and counts this. What the replacement calls by
    the same name is the original.
    """
    running = _Running()

    @torch_internals.run_while_traced
    def count() -> bool:
        calls[name] += 1
        return True  # a constant of the trace

    def call(*args: Any, **kwargs: Any) -> object:
        if originals.are_restored() or running.is_replacement:
            return original(*args, **kwargs)
        count()
        running.is_replacement = True
        try:
            return replacement(*args, **kwargs)
        finally:
            running.is_replacement = False

    return call


def _attribute_to_set(owner: Any, key: str, before: Any, function: _Replaced) -> Any:
    """Return the attribute to set on a module or class. A class method is replaced for this class
    only.
    """
    counted = function.counting
    if not namespaces.is_class(owner):
        return counted
    if getattr(function.original, "__self__", None) is owner:

        def call(cls: Any, *args: Any, **kwargs: Any) -> object:
            if cls is owner:
                return counted(*args, **kwargs)
            if before is _MISSING:  # the class inherits the method
                return getattr(super(owner, cls), key)(*args, **kwargs)
            return before.__get__(None, cls)(*args, **kwargs)

        return classmethod(call)
    attribute = inspect.getattr_static(owner, key)
    is_bound = isinstance(attribute, staticmethod | MethodType) or not hasattr(attribute, "__get__")
    return staticmethod(counted) if is_bound else counted


def _forget(functions: Sequence[_Replaced]) -> None:
    """Restore the originals in modules that were imported meanwhile and took the replacements."""
    originals = {namespaces.identity(f.counting): f.original for f in functions}
    for owner, key, replacement in _holders(originals):
        setattr(owner, key, originals[replacement])


def _restore(owner: object, key: str, before: object) -> None:
    if before is _MISSING:
        delattr(owner, key)
    else:
        setattr(owner, key, before)


def _resolved(target: object) -> _Original:
    """Return the function to replace, from its dotted name, from itself, or from a class that
    stands for it.
    """
    if isinstance(target, str):
        original = _of_name(target)
    elif callable(target):
        original = _of_function(target)
    else:
        raise TypeError(f"{target!r} is not a function")
    function = original.function
    if isinstance(function, type):
        key, is_forward = call_text.function_of_class(original.name, function)
        name = f"{original.name}.{key}"
        return _Original(name, getattr(function, key), (function, key), is_forward)
    if not callable(function):
        raise TypeError(
            f"{original.name} is {function!r}, not a function; name the function to replace, such "
            f"as {original.name}.apply"
        )
    return original


def _of_name(name: str) -> _Original:
    home = _named(name)
    return _Original(name, getattr(*home), home)


def _of_function(function: object) -> _Original:
    owner, key = getattr(function, "__self__", None), str(getattr(function, "__name__", ""))
    if isinstance(owner, type):  # Function.apply
        name = f"{owner.__module__}.{owner.__qualname__}.{key}"
        return _Original(name, function, (owner, key))
    module = getattr(function, "__module__", None) or ""
    name = f"{module}.{getattr(function, '__qualname__', key)}" if key else repr(function)
    return _Original(name, function)


def module_of(name: str) -> str:
    """Return the name of the module, in the dotted name of a function or class; import it. Raise
    ValueError if there is no such module or function.
    """
    _named(name)
    return _imported(name).__name__


def _named(name: str) -> tuple[Any, str]:
    """Return the module or class that holds the function of a dotted name, and the attribute's
    name.
    """
    *path, last = name.split(".")
    if not all(part.isidentifier() for part in (*path, last)) or path[:1] == ["builtins"]:
        raise ValueError(
            f"{name}: write the dotted name of a function, as in package.module.function"
        )
    module = _imported(name)
    owner: Any = module
    depth = len(module.__name__.split("."))
    for key in (*path[depth:], last):
        if not hasattr(owner, key):
            owner_name = getattr(owner, "__qualname__", None) or owner.__name__
            remedy = _OF_A_SCRIPT if module.__name__ == "__main__" else ""
            raise ValueError(f"{name}: {owner_name} has no {key}{remedy}")
        owner, before = getattr(owner, key), owner
    return before, last


_OF_A_SCRIPT = (
    " yet, as a script defines it when it runs; move it to a module that the script imports, or have "
    "the script call onnxop_runtime.replaced"
)


def _imported(name: str) -> ModuleType:
    """Import and return the module of a dotted name, whose last parts are attributes."""
    path = name.split(".")[:-1]
    for end in range(len(path), 0, -1):
        module = ".".join(path[:end])
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not module.startswith(str(error.name)):
                raise
    raise ValueError(f"{name}: there is no module {(path or [name])[0]!r}")


def _holders(identities: Container[_Identity]) -> Iterator[tuple[Any, str, _Identity]]:
    """Yield modules and classes that hold one of the functions, with the attribute and the
    function's identity.
    """
    for _, owner in [*owners()]:
        for key, value in namespaces.attributes(owner).items():
            function = value.__func__ if type(value) is staticmethod else value
            identity = namespaces.identity(function)
            if identity in identities:
                yield owner, key, identity


def owners() -> Iterator[tuple[str, Any]]:
    """Yield the imported modules, the classes that they define, and the modules that they alone
    hold, as `torch.utils.cpp_extension.load` returns them, with their dotted names. None of their
    code runs.
    """
    for name, module in namespaces.imported():
        if name.partition(".")[0] in LIBRARIES:
            continue
        yield name, module
        for key, value in namespaces.attributes(module).items():
            if _belongs_to(name, value):
                yield f"{name}.{key}", value


def _belongs_to(module: str, value: object) -> bool:
    """Return whether a value of a module is a class that it defines, or a module that is not
    imported.
    """
    if namespaces.is_class(value):
        return namespaces.class_name(value)[0] == module
    return namespaces.is_module(value) and namespaces.module_name(value) not in sys.modules


LIBRARIES = frozenset(
    (*sys.stdlib_module_names, "torch", "numpy", "onnx", "onnxscript", "onnxruntime", "sympy")
)
"""Top-level modules that hold no functions of a model."""
