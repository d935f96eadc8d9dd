"""Calls of an operator → what PyTorch gives of them, without values and with: a process of its own.

`results` starts this file, and hands it one question a line; PyTorch is imported once. What a spec
says is called by a fork with a budget, so that a kernel that never ends is told.
"""

from __future__ import annotations

import base64
import importlib
import json
import operator
import os
import re
import resource
import sys
from collections.abc import Iterator
from typing import Any

SECONDS = 5
_BYTES = 8 << 30


def main() -> None:
    """Answer until there are no more questions. What modules print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from torch._subclasses.fake_tensor import FakeTensorMode

    FakeTensorMode()  # and all that it imports
    for line in sys.stdin:
        question = json.loads(line)
        for module in question["modules"]:
            importlib.import_module(module)
        is_safe = not (question["code"] or question["models"] or question["errors"])
        found = [*_answers(question)] if is_safe else _forked(_answers(question))
        answers.write(json.dumps(found) + "\n")
        answers.flush()


def _answers(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what each call gives without values; then how each model compares with its call; then which
    error cases return.
    """
    import torch

    names: dict[str, Any] = {"torch": torch}
    exec(compile(question["code"], "kernel", "exec"), names)  # noqa: S102 - it was checked
    function = names.get("kernel") or operator.attrgetter(question["operator"])(torch.ops)
    for call in question["calls"]:
        if question["code"]:
            _allow(SECONDS)
        yield _call(function, call)
    for call, model in zip(question["calls"], question["models"], strict=False):
        _allow(4 * SECONDS)
        yield _compared(question, function, names, call, model)
    for call in question["errors"]:
        _allow(SECONDS)
        yield {"returns": _returns(function, call)}


def _allow(seconds: int) -> None:
    """End this process once it has computed for so long from now."""
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))


def _forked(answers: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a fork answers, up to the call that takes too long."""
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


def _returns(function: Any, call: dict[str, Any]) -> bool:
    """Return whether a call raises nothing."""
    try:
        function(**{name: _tensors(value, is_drawn=True) for name, value in call.items()})
    except Exception:  # noqa: BLE001 - as it must
        return False
    return True


def _compared(
    question: dict[str, Any], function: Any, names: dict[str, Any], call: dict[str, Any], model: str
) -> dict[str, Any]:
    """Return the worst error of a model against what PyTorch computes, and of gradients against autograd's."""
    import torch

    torch.manual_seed(0)
    given = {name: _tensors(value, is_drawn=True) for name, value in call.items()}
    try:
        wanted = function(**given)
    except Exception:  # noqa: BLE001 - which is told elsewhere
        return {}
    wanted = list(wanted) if isinstance(wanted, tuple | list) else [wanted]
    answer = {"gradients": _gradients(question["gradients"], function, given, names)}
    try:
        found = _run(base64.b64decode(model), given)
    except NotImplementedError:
        return answer
    except Exception as error:  # noqa: BLE001 - it is the answer
        words = str(error).split("\n")[0]
        return {**answer, "refused": re.sub(r"^.*?: ?FAIL ?: ?", "", words)[:300]}
    kept = [w for w, name in zip(wanted, question["results"], strict=False) if name]
    worst = [_error(one, other) for one, other in zip(found, kept, strict=False)]
    return {**answer, "worst": max((each for each in worst if each is not None), default=None)}


def _tensors(given: Any, *, is_drawn: bool) -> Any:
    """Return an argument: a text is Python's literal, a table a tensor, of the ``values`` that are written or
    drawn at random between ``low`` and ``high``; or without values.
    """
    import torch

    if isinstance(given, list):
        return [_tensors(item, is_drawn=is_drawn) for item in given]
    if isinstance(given, str):
        return eval(given, {"torch": torch})
    dtype = getattr(torch, given["dtype"])
    if not is_drawn:
        return torch.empty(given["shape"], dtype=dtype)
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
    """Return what ONNX Runtime, or else onnx.reference, computes. Raises NotImplementedError where neither can."""
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
    """Return the worst error, in parts of what is tolerated; None where the two cannot be compared."""
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
) -> dict[str, float]:
    """Return the tensors whose gradient by a formula is not that of autograd through the reference."""
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
    return wrong


def _call(function: Any, call: dict[str, Any]) -> dict[str, Any]:
    """Return what a call without values gives, raises, or has in it that no kernel can have."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    unfit: list[str] = []
    with FakeTensorMode():
        given = {name: _tensors(value, is_drawn=False) for name, value in call.items()}
        with _watching(unfit):
            answer = _answered(function, given)
    return answer | ({"unfit": unfit[0]} if unfit else {})


def _watching(unfit: list[str]) -> Any:
    """Return a mode that notes operators which draw random numbers, or compute on another device."""
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
