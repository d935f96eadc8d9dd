"""Calls of an operator → what PyTorch gives of them, without values: a process of its own.

`results` starts this file, and hands it one question a line; PyTorch is imported once. What a spec
says is called by a fork with a budget, so that a kernel that never ends is told.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
from typing import Any

SECONDS = 5
_BYTES = 8 << 30


def main() -> None:
    """Answers until there are no more questions. What modules print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from torch._subclasses.fake_tensor import FakeTensorMode

    FakeTensorMode()  # and all that it imports
    for line in sys.stdin:
        question = json.loads(line)
        for module in question["modules"]:
            importlib.import_module(module)
        found = _of_kernel(question) if question["code"] else _of_operator(question)
        answers.write(json.dumps(found) + "\n")
        answers.flush()


def _of_operator(question: dict[str, Any]) -> list[dict[str, Any]]:
    """What each call gives."""
    import torch

    function: Any = torch.ops
    for word in question["operator"].split("."):
        function = getattr(function, word)
    return [_call(function, call) for call in question["calls"]]


def _of_kernel(question: dict[str, Any]) -> list[dict[str, Any]]:
    """What each call gives, but for the call that takes too long, and those behind it."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, _BYTES))
            names: dict[str, Any] = {}
            exec(compile(question["code"], "kernel", "exec"), names)  # noqa: S102 - it was checked
            with os.fdopen(writer, "w") as told:
                for call in question["calls"]:
                    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
                    limits = used + SECONDS, resource.RLIM_INFINITY
                    resource.setrlimit(resource.RLIMIT_CPU, limits)
                    told.write(json.dumps(_call(names["kernel"], call)) + "\n")
                    told.flush()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        found = [json.loads(each) for each in told if each.endswith("\n")]
    os.waitpid(child, 0)
    return found


def _call(function: Any, call: dict[str, Any]) -> dict[str, Any]:
    """What the call gives, raises, or has in it that no kernel can have."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    unfit: list[str] = []
    with FakeTensorMode():
        given = {name: _value(value) for name, value in call.items()}
        with _watching(unfit):
            answer = _answered(function, given)
    return answer | ({"unfit": unfit[0]} if unfit else {})


def _watching(unfit: list[str]) -> Any:
    """A mode that notes operators which draw random numbers, or compute on another device."""
    import torch
    from torch.utils import _python_dispatch

    mode: Any = _python_dispatch.TorchDispatchMode

    class Watching(mode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            found = func(*args, **(kwargs or {}))
            names = [argument.name for argument in func._schema.arguments]
            values = {a.name: a.default_value for a in func._schema.arguments}
            values |= dict(zip(names, args, strict=False)) | (kwargs or {})
            is_off = any(not values.get(name, True) for name in ("dropout_p", "train", "training"))
            if torch.Tag.nondeterministic_seeded in func.tags and not is_off:
                unfit.append(
                    f"draws random numbers ({func._schema.name}) for {{}}, which no mapping gives "
                    "again; take them as an argument"
                )
            for each in found if isinstance(found, tuple | list) else [found]:
                if isinstance(each, torch.Tensor) and each.device.type != "cpu":
                    unfit.append(
                        f"computes on {each.device} for {{}}, where no argument is; leave the device "
                        "to these: x.to(y.device), or device=x.device"
                    )
            return found

    return Watching()


def _answered(function: Any, given: dict[str, Any]) -> dict[str, Any]:
    from torch._subclasses import fake_tensor

    unknown = (
        NotImplementedError,
        fake_tensor.DataDependentOutputException,
        fake_tensor.DynamicOutputShapeException,
        fake_tensor.UnsupportedFakeTensorException,
        fake_tensor.UnsupportedOperatorException,
    )
    try:
        return {"results": _results(function(**given))}
    except unknown:
        return {}  # it depends on values
    except Exception as error:  # noqa: BLE001 - it is the answer
        lines = str(error).strip().split("\n")
        return {"raises": f"{type(error).__name__}: {lines[0]}"}


def _value(given: Any) -> Any:
    """``["float32", shape]`` is a tensor, a list of such many, a text Python's literal."""
    import torch

    match given:
        case [str(dtype), list(shape)]:
            return torch.empty(shape, dtype=getattr(torch, dtype))
        case list():
            return [_value(item) for item in given]
        case _:
            return eval(given, {"torch": torch})


def _results(result: Any) -> list[Any]:
    import torch

    found: list[Any] = []
    for each in result if isinstance(result, tuple | list) else [result]:
        if isinstance(each, torch.Tensor):
            found.append([str(each.dtype).removeprefix("torch."), [*each.shape]])
        else:
            found.append(type(each).__name__)
    return found


if __name__ == "__main__":
    main()
