"""Calls of an operator → what PyTorch gives of them, without values and with: a process of its own.

`torch_process` starts this module, and hands it a question a line; PyTorch is imported once. What a spec
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

import torch
from torch._subclasses import fake_tensor

SECONDS, LONGER = map(int, sys.argv[1:])
_BYTES = 3 << 30
_UNKNOWN = (
    NotImplementedError,
    fake_tensor.DataDependentOutputException,
    fake_tensor.DynamicOutputShapeException,
    fake_tensor.UnsupportedFakeTensorException,
    fake_tensor.UnsupportedOperatorException,
)
"""What calls raise whose results depend on values."""


def main() -> None:
    """Answer until there are no more questions. What modules print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    fake_tensor.FakeTensorMode()  # and all that it imports
    for line in sys.stdin:
        question = json.loads(line)
        if question["models"]:
            importlib.import_module("onnxop_runtime.verification.verify")
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
    names: dict[str, Any] = {"torch": torch}
    exec(compile(question["code"], "kernel", "exec"), names)  # noqa: S102 - it was checked
    function = names.get("kernel") or operator.attrgetter(question["operator"])(torch.ops)
    for call in question["calls"]:
        if question["code"]:
            _allow(SECONDS)
        yield _without_values(function, call)
    for call, models in zip(question["calls"], question["models"], strict=False):
        _allow(LONGER)
        yield _with_values(question, function, names, call, models)
    for call in question["errors"]:
        _allow(SECONDS)
        try:
            function(**_arguments(call))
            yield {"returns": True}
        except Exception:  # noqa: BLE001 - as it must
            yield {"returns": False}


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


def _arguments(call: dict[str, Any], seed: int | None = None) -> dict[str, Any]:
    if seed is not None:
        torch.manual_seed(seed)
    return {name: _argument(value) for name, value in call.items()}


def _argument(given: Any) -> Any:
    """Return an argument: a text is Python's literal, a table a tensor, of the ``values`` that are written or
    drawn at random between ``low`` and ``high``.
    """
    if isinstance(given, list):
        return [_argument(item) for item in given]
    if isinstance(given, str):
        return eval(given, {"torch": torch})
    dtype, low, high = getattr(torch, given["dtype"]), given.get("low"), given.get("high")
    if "values" in given:
        return torch.tensor(eval(given["values"]), dtype=dtype)
    if dtype.is_floating_point and low is None and high is None:
        return torch.randn(given["shape"]).to(dtype)
    if dtype == torch.bool:
        return torch.rand(given["shape"]) > 0.5
    low, high = low if low is not None else 0, high if high is not None else 10
    return (torch.rand(given["shape"], dtype=torch.float64) * (high - low) + low).to(dtype)


def _without_values(function: Any, call: dict[str, Any]) -> dict[str, Any]:
    """Return what a call without values gives, or raises; nothing where that depends on values."""
    try:
        with fake_tensor.FakeTensorMode():
            return {"results": [*map(_type, _several(function(**_arguments(call))))]}
    except _UNKNOWN:
        return {}
    except Exception as error:  # noqa: BLE001 - it is the answer
        return _refusal(error)


def _several(found: Any) -> list[Any]:
    return [*found] if isinstance(found, tuple | list) else [found]


def _refusal(error: Exception) -> dict[str, Any]:
    return {"raises": f"{type(error).__name__}: {str(error).strip().split(chr(10))[0]}"}


def _type(result: Any) -> Any:
    """Return the dtype, the sizes and the device of a tensor; the type's name of what is none."""
    if not isinstance(result, torch.Tensor):
        return type(result).__name__
    return [str(result.dtype).removeprefix("torch."), [*result.shape], result.device.type]


def _with_values(
    question: dict[str, Any],
    function: Any,
    names: dict[str, Any],
    call: dict[str, Any],
    models: list[tuple[int, str, list[str]]],
) -> dict[str, Any]:
    """Return how models at some opsets compare with what PyTorch computes, and gradients with autograd's: by
    what `onnxop_runtime.verification` takes for right.
    """
    from onnxop_runtime.verification.runners import as_array
    from onnxop_runtime.verification.verify import compare

    given = _arguments(call, seed=0)
    try:
        wanted = _several(function(**given))
    except Exception as error:  # noqa: BLE001 - it is the answer
        return _refusal(error)
    answer: dict[str, Any] = {"results": [*map(_type, wanted)], "gradients": {}}
    if not all(isinstance(each, torch.Tensor) for each in wanted):
        return answer
    if question["code"]:
        other, untouched = _arguments(call, seed=0), _arguments(call, seed=0)
        torch.manual_seed(1)
        again = _several(function(**other))
        if compare([*map(as_array, wanted)], [*map(as_array, again)], 0, 0)[1]:
            return {"draws": True}
        before, after = ([*map(as_array, _tensors(each).values())] for each in (untouched, given))
        if compare(before, after, 0, 0)[1]:
            return {"changes": True}
    for name, code in question["gradients"].items():
        if found := _wrong_gradient(name, code, question["outputs"], function, given, names):
            answer["gradients"][name] = found
    for place, (opset, model, outputs) in enumerate(models):
        at = {"at": opset} if place else {}  # the first is at the opset that the spec names
        try:
            results = _run(base64.b64decode(model), given)
        except NotImplementedError:
            continue
        except Exception as error:  # noqa: BLE001 - it is the answer
            words = str(error).split("\n")[0]
            words = re.sub(r"^.*?(Status Message|: ?FAIL ?): ?", "", words.rpartition("Name:")[2])
            why = re.sub(r"^/\S+:\d+ .*?\) (?=\S)", "", words)[:300]
            return {**answer, **at, "refused": why}
        kept = [as_array(w) for w, name in zip(wanted, outputs, strict=False) if name]
        worst, failures = compare(kept, results)
        if failures:
            return {**answer, **at, "differs": [worst, failures]}
    return answer


def _tensors(given: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return the tensors of the arguments, those of lists by their places."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        is_list = isinstance(value, list)
        found |= {f"{name}[{i}]": v for i, v in enumerate(value)} if is_list else {name: value}
    return {name: value for name, value in found.items() if isinstance(value, torch.Tensor)}


def _run(model: bytes, given: dict[str, Any]) -> list[Any]:
    """Return what ONNX Runtime computes. Raises NotImplementedError where it has no kernel of a node."""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    from onnxop_runtime.verification.runners import as_array, runner

    feeds = _tensors(given)
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" in str(error) or "not supported" in str(error):
            raise NotImplementedError from error
        raise
    known = [port.name for port in session.get_inputs()]
    return list(runner(session)({name: as_array(feeds[name]) for name in known}))


def _wrong_gradient(
    name: str,
    code: str,
    outputs: list[str],
    function: Any,
    given: dict[str, Any],
    names: dict[str, Any],
) -> tuple[float, list[str]] | None:
    """Return how the gradient of a tensor by its formula differs from autograd's through the reference: both
    computed in float64, and compared in the tensor's own dtype; None where it does not.
    """
    from onnxop_runtime.verification.runners import as_array
    from onnxop_runtime.verification.verify import compare

    values = {n: _double(v) for n, v in given.items()}
    try:
        values[name] = values[name].requires_grad_()
        results = _several(function(**values))
        grads = [torch.randn_like(each) if each.requires_grad else each * 0 for each in results]
        of = [i for i, each in enumerate(results) if each.requires_grad]
        called = [results[i] for i in of], values[name], [grads[i] for i in of]
        (wanted,) = torch.autograd.grad(*called)
    except Exception:  # noqa: BLE001 - no tensor is given, or it has no gradient there
        return None
    values |= {"grad": grads[0], "grads": grads, **dict(zip(outputs, results, strict=True))}
    try:
        with torch.no_grad():
            found = eval(code, {**names, **values}).sum_to_size(wanted.shape)
    except Exception as error:  # noqa: BLE001 - it is the answer
        return float("inf"), [_refusal(error)["raises"]]
    dtype = given[name].dtype
    answer = compare([as_array(wanted.to(dtype))], [as_array(found.to(dtype))])
    return answer if answer[1] else None


def _double(value: Any) -> Any:
    if isinstance(value, list):
        return [*map(_double, value)]
    is_floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if is_floating else value


if __name__ == "__main__":
    main()
