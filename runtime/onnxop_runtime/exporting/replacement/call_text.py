"""Replacements of functions as text, such as ``"my_ops.scale(x, 2 * factor)"`` → the function to
call instead.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ... import messages


def replacement_of(
    name: str, text: str, function: object, named: Callable[[str], Any]
) -> tuple[Any, bool]:
    """Return the function that a text names, or a function that computes the call that the text is;
    and whether the text is a call.

    Args:
        name: the dotted name of the function to replace.
        text: the dotted name of a function, or a call of it: Python over the parameters of the
            function that is replaced.
        function: the function that is replaced.
        named: returns the object of a dotted name.

    Raises:
        ValueError: the text is neither, or it uses a name that is no parameter.
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise _refused(name, text, f"is not Python ({error.msg})") from None
    function_name = call.func if isinstance(call, ast.Call) else call
    if not _is_dotted(function_name):
        raise _refused(name, text, "is neither a dotted name nor a call of one")
    replacement = named(ast.unparse(function_name))
    if not isinstance(call, ast.Call):
        return replacement, False
    signature = parameters_of(name, function)
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    _check_names(name, text, parts, [*signature.parameters])
    call.func = ast.Name(_CALLED, ast.Load())
    return _calling(name, signature, ast.unparse(call), replacement), True


_CALLED, _DEFAULTS = "onnxop_replacement", "onnxop_defaults"


def _calling(
    name: str, signature: inspect.Signature, call: str, replacement: object
) -> Callable[..., Any]:
    """Return a function with this signature that calls the replacement. It is Python code, which
    torch.compile and torch.export trace.
    """
    defaults: dict[str, object] = {}
    parameters = []
    for key, parameter in signature.parameters.items():
        if parameter.default is not parameter.empty:
            defaults[key] = parameter.default
            parameter = parameter.replace(default=_Default(key))
        parameters.append(parameter.replace(annotation=parameter.empty))
    plain = str(inspect.Signature(parameters)).removeprefix("(").removesuffix(")")
    code = compile(f"lambda {plain}: {call}", f"<the replacement of {name}>", "eval")
    function: Callable[..., Any] = eval(code, {_CALLED: replacement, _DEFAULTS: defaults})
    return function


@dataclass(frozen=True)
class _Default:
    """The default of a parameter, as code."""

    name: str

    def __repr__(self) -> str:
        return f"{_DEFAULTS}[{self.name!r}]"


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _check_names(
    name: str, text: str, parts: Sequence[ast.expr], parameters: Sequence[str]
) -> None:
    """Raise ValueError for names that are neither a parameter nor Python's own."""
    used = [node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)]
    for unknown in used:
        if unknown not in parameters and not hasattr(builtins, unknown):
            near = messages.did_you_mean(unknown, parameters)
            names = messages.join_words(parameters)
            raise ValueError(
                f"{name}: {text!r} uses {unknown}, but the parameters of {name} are {names}{near}"
            )


def _refused(name: str, text: str, problem: str) -> ValueError:
    return ValueError(
        f"{name}: the replacement {text!r} {problem}; write the dotted name of a function, as in "
        "my_ops.scale, or a call of it with the parameters of the original, as in my_ops.scale(x, "
        "factor)"
    )


def parameters_of(name: str, function: Any) -> inspect.Signature:
    """Return the signature of a function of a model; of ``Function.apply`` that of ``forward``,
    without ``ctx``.

    Raises:
        ValueError: it has none, because it is compiled.
    """
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, torch.autograd.Function):
        return _of_autograd(owner)
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} is compiled, and its parameters have no names here; name the replacement "
            "without a call"
        ) from None


def _of_autograd(cls: Any) -> inspect.Signature:
    signature = inspect.signature(cls.forward)
    if cls.setup_context is not torch.autograd.Function.setup_context:
        return signature  # forward takes no ctx
    return signature.replace(parameters=[*signature.parameters.values()][1:])


def function_of_class(name: str, cls: type) -> tuple[str, bool]:
    """Return the name of the function to replace for a class, and whether a replacement that is a
    function gets the arguments without the module: ``forward`` of a module, ``apply`` of a
    `torch.autograd.Function`.

    Raises:
        TypeError: the class is neither.
    """
    if issubclass(cls, torch.autograd.Function):
        return "apply", False
    if issubclass(cls, torch.nn.Module):
        return "forward", True
    raise TypeError(
        f"{name} is {cls!r}, which is neither a torch.nn.Module nor a torch.autograd.Function; "
        f"name the function to replace, such as {name}.method"
    )
