"""Calls of an operator → what PyTorch gives of them, without values: a process of its own.

`results` starts this file, and hands it one question a line; PyTorch is imported once. What a spec
says is called by a fork with a budget, so that a kernel that never ends is told.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import resource
import sys
from collections.abc import Iterator
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
        if "models" in question:
            found = _forked(_of_models(question))
        elif question["code"]:
            found = _forked(_of_kernel(question))
        else:
            found = _of_operator(question)
        answers.write(json.dumps(found) + "\n")
        answers.flush()


def _function(question: dict[str, Any], names: dict[str, Any]) -> Any:
    """The function of the question's code, which leaves its names in ``names``, or else the operator."""
    import torch

    if question["code"]:
        exec(compile(question["code"], "kernel", "exec"), names)  # noqa: S102 - it was checked
        return names["kernel"]
    function: Any = torch.ops
    for word in question["operator"].split("."):
        function = getattr(function, word)
    return function


def _of_operator(question: dict[str, Any]) -> list[dict[str, Any]]:
    """What each call gives."""
    function = _function(question, {})
    return [_call(function, call) for call in question["calls"]]


def _of_kernel(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What each call gives, within its budget."""
    function = _function(question, {})
    for call in question["calls"]:
        _allow(SECONDS)
        yield _call(function, call)


def _of_models(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """How each model and its call compare, within their budget."""
    for place in range(len(question["models"])):
        _allow(4 * SECONDS)
        yield _compared(question, place)


def _allow(seconds: int) -> None:
    """Ends this process once it has computed for so long from now."""
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))


def _forked(answers: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a fork answers, but for the call that takes too long, and those behind it."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, _BYTES))
            with os.fdopen(writer, "w") as told:
                for answer in answers:
                    told.write(json.dumps(answer) + "\n")
                    told.flush()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        found = [json.loads(each) for each in told if each.endswith("\n")]
    os.waitpid(child, 0)
    return found


def _compared(question: dict[str, Any], place: int) -> dict[str, Any]:
    """The worst error of a model against what PyTorch computes, and of gradients against autograd's."""
    import torch

    torch.manual_seed(0)
    call, names = question["calls"][place], dict[str, Any](torch=torch)
    given = {name: _drawn(value) for name, value in call.items()}
    function = _function(question, names)
    try:
        wanted = function(**given)
    except Exception:  # noqa: BLE001 - which is told elsewhere
        return {}
    wanted = list(wanted) if isinstance(wanted, tuple | list) else [wanted]
    answer = _gradients(question["gradients"], function, given, names)
    try:
        found = _run(base64.b64decode(question["models"][place]), given)
    except NotImplementedError:
        return answer
    except Exception as error:  # noqa: BLE001 - it is the answer
        words = str(error).split("\n")[0]
        return {**answer, "refused": re.sub(r"^.*?: ?FAIL ?: ?", "", words)[:300]}
    kept = [w for w, name in zip(wanted, question["results"], strict=False) if name]
    worst = [_error(one, other) for one, other in zip(found, kept, strict=False)]
    return {**answer, "worst": max((each for each in worst if each is not None), default=None)}


def _drawn(given: Any) -> Any:
    """``{"dtype", "shape", "low", "high"}`` is a tensor drawn at random, ``{"dtype", "values"}`` one that
    is written.
    """
    import torch

    if isinstance(given, list):
        return [_drawn(item) for item in given]
    if not isinstance(given, dict):
        return eval(given, {"torch": torch})
    dtype = getattr(torch, given["dtype"])
    if "values" in given:
        return torch.tensor(eval(given["values"]), dtype=dtype)
    low, high = given["low"], given["high"]
    if dtype.is_floating_point and low is None and high is None:
        return torch.randn(given["shape"]).to(dtype)
    if dtype == torch.bool:
        return torch.rand(given["shape"]) > 0.5
    low, high = low if low is not None else 0, high if high is not None else 10
    drawn = torch.rand(given["shape"], dtype=torch.float64) * (high - low) + low
    return drawn.to(dtype)


def _run(model: bytes, given: dict[str, Any]) -> list[Any]:
    """What ONNX Runtime, or else onnx.reference, computes; NotImplementedError where neither can."""
    import onnx
    import torch

    feeds: dict[str, Any] = {}
    for name, value in given.items():
        items = value if isinstance(value, list) else [value]
        words = [f"{name}[{i}]" for i in range(len(items))] if isinstance(value, list) else [name]
        feeds |= {w: i for w, i in zip(words, items, strict=True) if isinstance(i, torch.Tensor)}
    if any(each.dtype == torch.bfloat16 for each in feeds.values()):
        raise NotImplementedError
    arrays = {name: value.detach().numpy() for name, value in feeds.items()}
    try:
        import onnxruntime  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return list(
            onnx.reference.ReferenceEvaluator(onnx.load_from_string(model)).run(None, arrays)
        )
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" in str(error) or "not supported" in str(error):
            raise NotImplementedError from error
        raise
    known = {port.name for port in session.get_inputs()}
    return list(session.run(None, {name: each for name, each in arrays.items() if name in known}))


def _error(found: Any, wanted: Any) -> float | None:
    """The worst error, in parts of what is tolerated; None where the two cannot be compared."""
    import torch

    found = torch.as_tensor(found)
    if found.dtype != wanted.dtype or found.is_complex():
        return None
    if found.shape != wanted.shape:
        return float("inf")
    if not found.is_floating_point():
        return None if torch.equal(found, wanted) else float("inf")
    tolerance = 1e-3 if found.dtype in (torch.float32, torch.float64) else 2e-2
    one, other = found.double(), wanted.detach().double()
    same = (one == other) | (one.isnan() & other.isnan())
    size = other.abs().where(other.isfinite(), torch.zeros_like(other))
    scale = 1 + size.amax() if size.numel() else 1
    error = ((one - other).abs() / scale).where(~same, torch.zeros_like(one)).nan_to_num(nan=1e9)
    worst = float(error.max()) if error.numel() else 0.0
    return worst if worst > tolerance else None


def _gradients(
    formulas: dict[str, str], function: Any, given: dict[str, Any], names: dict[str, Any]
) -> dict[str, Any]:
    """The tensors whose gradient by a formula is not that of autograd through the reference."""
    import torch

    wrong: dict[str, float] = {}
    for name, code in formulas.items():
        own = given.get(name)
        if not isinstance(own, torch.Tensor) or not own.is_floating_point():
            continue
        values = {
            n: v.double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v
            for n, v in given.items()
        }
        values[name] = values[name].requires_grad_()
        try:
            result = function(**values)
            grad = torch.randn_like(result)
            (wanted,) = torch.autograd.grad(result, values[name], grad)
            with torch.no_grad():
                found = eval(code, {**names, **values, "grad": grad, "result": result})
                found = found.sum_to_size(wanted.shape)
        except Exception:  # noqa: BLE001, S112 - it has no gradient there
            continue
        error = _error(found.detach(), wanted)
        if error is not None:
            wrong[name] = error
    return {"gradients": wrong}


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
