"""Calls of an operator → PyTorch's results, on fake and on real tensors, computed in another
process.

`torch_process` starts this module and sends it one question per line, so that PyTorch is imported
once. A fork with a CPU budget runs a spec's code, so that code that never ends is reported.
"""

from __future__ import annotations

import base64
import builtins
import importlib
import json
import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from onnxop_runtime import torch_internals
from onnxop_runtime.processes import Limits, allow_cpu_time, collect, raise_fence, reserve_stdout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .question import Encoded, Question

Answer = Mapping[str, object]
Kernel = Callable[..., object]

SECONDS, LONGER = map(int, sys.argv[1:])
_LIMITS = Limits(memory=3 << 30)
_OWN_NAMESPACES = {schema.name.partition("::")[0] for schema in torch_internals.all_schemas()}
"""The namespaces of PyTorch's own operators, which are there before any module is imported."""


def main() -> None:
    """Answer questions until there are no more. Output of imported modules goes to stderr."""
    answers = reserve_stdout()
    torch_internals.fake_mode()  # imports what the forks need
    for line in sys.stdin:
        question = json.loads(line)
        if question["models"]:
            importlib.import_module("onnxop_runtime.verification.comparison")
        for module in question["modules"]:
            importlib.import_module(module)
        print(json.dumps(_forked(_fenced(question))), file=answers, flush=True)


def _fenced(question: Question) -> Iterator[Answer]:
    """Give up this process's rights; yield those that it still has, and then the answers."""
    yield {"rights": raise_fence()}
    yield from _answers(question)


def _answers(question: Question) -> Iterator[Answer]:
    """Yield the results of each call, those of the fake kernel, if there is one, the comparison of
    each model, and whether each error case returns.
    """
    names: dict[str, Any] = {"torch": torch}
    exec(compile(question["code"], "kernel", "exec"), names)  # noqa: S102 - checked by the caller
    for path in question.get("paths", ()):
        if fact := forbidden(path):
            yield from ({"forbidden": fact} for _ in question["calls"])
            return
    function = names.get("kernel") or operator.attrgetter(question["operator"])(torch.ops)
    for call in question["calls"]:
        if question["code"]:
            allow_cpu_time(SECONDS)
        yield _without_values(function, call)
    if question["fake"]:
        for call in question["calls"]:
            allow_cpu_time(SECONDS)
            yield _of_fake_kernel(question["fake"], call)
    for call, models in zip(question["calls"], question["models"], strict=False):
        allow_cpu_time(LONGER)
        yield _with_values(question, function, names, call, models)
    for call, raises, pattern in question["errors"]:
        allow_cpu_time(SECONDS)
        yield _of_error_case(function, call, raises, pattern)


def _forked(answers: Iterator[Answer]) -> list[Answer]:
    """Return a fork's answers, up to the call that never ends, or ends the process."""
    received, died = collect(answers, _LIMITS)
    if died is not None:
        is_endless = died.is_out_of_cpu_time
        received.append({"never_ends": True} if is_endless else {"died": str(died)})
    return received


def forbidden(path: str) -> str:
    """Return why a kernel may not call an operator of another namespace than aten, or an empty
    string.
    """
    _, _, namespace, name, *_ = path.split(".")
    schemas = torch_internals.schemas_of(f"{namespace}::{name}")
    if not schemas or namespace in _OWN_NAMESPACES:
        return f"{path} is not an operator of the modules in requires; correct it"
    for schema in schemas:
        writes = any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments)
        if writes or not schema.returns or any(str(a.type) == "str" for a in schema.arguments):
            return f"{path} may have side effects; write an operator of tensors and numbers"
    return ""


def _arguments(call: Mapping[str, Encoded], seed: int | None = None) -> dict[str, object]:
    if seed is not None:
        torch.manual_seed(seed)
    return {name: _argument(value) for name, value in call.items()}


def _argument(spec: Encoded) -> object:
    """Return a Python literal's value, or a tensor with ``values`` or random values."""
    if isinstance(spec, list):
        return [_argument(item) for item in spec]
    if isinstance(spec, str):
        return eval(spec, {"torch": torch})
    drawn: dict[str, Any] = spec
    dtype, low, high = getattr(torch, drawn["dtype"]), drawn.get("low"), drawn.get("high")
    if "values" in drawn:
        return torch.tensor(eval(drawn["values"]), dtype=dtype)
    if dtype.is_floating_point and low is None and high is None:
        return torch.randn(drawn["shape"]).to(dtype)
    if dtype == torch.bool:
        return torch.rand(drawn["shape"]) > 0.5
    low, high = low if low is not None else 0, high if high is not None else 10
    return (torch.rand(drawn["shape"], dtype=torch.float64) * (high - low) + low).to(dtype)


def _without_values(function: Kernel, call: Mapping[str, Encoded]) -> Answer:
    """Return a call's results on fake tensors, or its error; {} if the results depend on values."""
    try:
        with torch_internals.fake_mode():
            arguments = _arguments(call)
            before = _versions(arguments)
            results = _several(function(**arguments))
            if _versions(arguments) != before:
                return {"changes": True}
            return {"results": [*map(_type, results)]}
    except Exception as error:  # noqa: BLE001 - it is the answer
        is_unknown = isinstance(error, NotImplementedError) or torch_internals.is_of_fakes(error)
        return {} if is_unknown else _refusal(error)


def _versions(arguments: Mapping[str, object]) -> list[int]:
    """Return how many times each tensor of the arguments has been modified."""
    return [*map(torch_internals.modifications_of, _tensors(arguments).values())]


def _of_error_case(
    function: Kernel, call: Mapping[str, Encoded], raises: str, pattern: str
) -> Answer:
    """Return whether a call returns; or what it raises, and whether its type and text are other
    ones.
    """
    try:
        function(**_arguments(call))
    except Exception as error:  # noqa: BLE001 - expected
        if not raises:
            return {"returns": False}
        is_other_exception = not isinstance(error, getattr(builtins, raises))
        lacks_pattern = re.search(pattern, str(error)) is None
        return {
            **_refusal(error),
            "is_other_exception": is_other_exception,
            "lacks_pattern": lacks_pattern,
        }
    return {"returns": True}


def _of_fake_kernel(code: str, call: Mapping[str, Encoded]) -> Answer:
    """Return the results of the fake kernel for a call, or its error."""
    mode, new_dynamic_size = torch_internals.fake_mode_with_sizes()
    names: dict[str, Any] = {"torch": torch, "new_dynamic_size": new_dynamic_size}
    exec(compile(code, "fake", "exec"), names)  # noqa: S102 - checked by the caller
    try:
        with mode:
            return {"results": [*map(_type, _several(names["kernel"](**_arguments(call))))]}
    except Exception as error:  # noqa: BLE001 - it is the answer
        return _refusal(error)


def _several(returned: object) -> list[Any]:
    return [*returned] if isinstance(returned, tuple | list) else [returned]


def _refusal(error: Exception) -> dict[str, str]:
    name, text = type(error).__name__, str(error).strip().split("\n")[0]
    return {"raises": f"{name}: {text}" if text else name}


def _type(result: object) -> object:
    """Return the dtype, sizes and device of a tensor, or the type's name of another value."""
    if not isinstance(result, torch.Tensor):
        return type(result).__name__
    sizes = [size if isinstance(size, int) else None for size in result.shape]
    return [str(result.dtype).removeprefix("torch."), sizes, result.device.type]


def _with_values(
    question: Question,
    function: Kernel,
    names: Mapping[str, object],
    call: Mapping[str, Encoded],
    models: list[tuple[int, str, list[str]]],
) -> Answer:
    """Compare models with PyTorch's results, and gradients with autograd's, within the tolerances
    of `onnxop_runtime.verification`. Return what differs.
    """
    arguments = _arguments(call, seed=0)
    try:
        results = _several(function(**arguments))
    except Exception as error:  # noqa: BLE001 - it is the answer
        return _refusal(error)
    answer: dict[str, Any] = {"results": [*map(_type, results)], "gradients": {}}
    if not all(isinstance(result, torch.Tensor) for result in results):
        return answer
    if question["code"] and (effect := _side_effect(function, call, arguments, results)):
        return {effect: True}
    for name, code in question["gradients"].items():
        if wrong := _wrong_gradient(name, code, question["outputs"], function, arguments, names):
            answer["gradients"][name] = wrong
    answer["nan_gradients"] = _nan_gradients(question["differentiated"], function, arguments)
    for index, (opset, model, outputs) in enumerate(models):
        if fault := _wrong_model(base64.b64decode(model), outputs, arguments, results):
            at = {"at": opset} if index else {}  # the first model has the spec's opset version
            return {**answer, **at, **fault}
    return answer


def _side_effect(
    function: Kernel,
    call: Mapping[str, Encoded],
    arguments: Mapping[str, object],
    results: Sequence[torch.Tensor],
) -> str:
    """Return what code does that no kernel may do: it ``draws`` random numbers, or ``changes`` its
    arguments; or "".
    """
    from onnxop_runtime.verification.comparison import compare
    from onnxop_runtime.verification.runners import as_array

    same_arguments = _arguments(call, seed=0)
    torch.manual_seed(1)
    again = _several(function(**same_arguments))
    if compare([*map(as_array, results)], [*map(as_array, again)], 0, 0)[1]:
        return "draws"
    untouched = _tensors(_arguments(call, seed=0)).values()
    after = _tensors(arguments).values()
    is_changed = compare([*map(as_array, untouched)], [*map(as_array, after)], 0, 0)[1]
    return "changes" if is_changed else ""


def _wrong_model(
    model: bytes,
    outputs: list[str],
    arguments: Mapping[str, object],
    expected: Sequence[torch.Tensor],
) -> Answer:
    """Run a model; return why ONNX Runtime refuses it, or how its results differ; nothing if they
    do not.
    """
    from onnxop_runtime.verification.comparison import compare
    from onnxop_runtime.verification.runners import as_array

    try:
        results = _run(model, arguments)
    except NotImplementedError:
        return {}
    except Exception as error:  # noqa: BLE001 - it is the answer
        text = str(error).split("\n")[0].rpartition("Name:")[2]
        text = re.sub(r"^.*?(Status Message|: ?FAIL ?): ?", "", text)
        return {"refused": re.sub(r"^/\S+:\d+ .*?\) (?=\S)", "", text)[:300]}
    kept = [as_array(tensor) for tensor, name in zip(expected, outputs, strict=False) if name]
    worst, failures = compare(kept, results)
    return {"differs": [worst, failures]} if failures else {}


def _tensors(arguments: Mapping[str, object]) -> dict[str, torch.Tensor]:
    """Return the arguments' tensors by name; names of tensors in lists have an index."""
    values: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, list):
            values |= {f"{name}[{index}]": item for index, item in enumerate(value)}
        else:
            values[name] = value
    return {name: value for name, value in values.items() if isinstance(value, torch.Tensor)}


def _run(model: bytes, arguments: Mapping[str, object]) -> list[NDArray[Any]]:
    """Return ONNX Runtime's results. Raise NotImplementedError if it has no kernel of a node."""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    from onnxop_runtime.verification.runners import as_array, runner

    feeds = _tensors(arguments)
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" in str(error) or "not supported" in str(error):
            raise NotImplementedError from error
        raise
    input_names = [port.name for port in session.get_inputs()]
    return list(runner(session)({name: as_array(feeds[name]) for name in input_names}))


def _wrong_gradient(
    name: str,
    code: str,
    outputs: Sequence[str],
    function: Kernel,
    arguments: Mapping[str, object],
    names: Mapping[str, object],
) -> tuple[float, list[str]] | None:
    """Return how a formula's gradient differs from autograd's through the reference, or None. Both
    are computed in float64, and compared in the tensor's dtype.
    """
    from onnxop_runtime.verification.comparison import compare
    from onnxop_runtime.verification.runners import as_array

    values = {n: _double(v) for n, v in arguments.items()}
    try:
        values[name] = values[name].requires_grad_()
        results = _several(function(**values))
        grads = [torch.randn_like(r) if r.requires_grad else r * 0 for r in results]
        by_autograd = _gradient_by_autograd(results, values[name], grads)
    except Exception:  # noqa: BLE001 - no tensor, or no gradient
        return None
    values |= {"grad": grads[0], "grads": grads, **dict(zip(outputs, results, strict=True))}
    try:
        with torch.no_grad():
            by_formula = eval(code, {**names, **values}).sum_to_size(by_autograd.shape)
    except Exception as error:  # noqa: BLE001 - it is the answer
        return float("inf"), [_refusal(error)["raises"]]
    tensor = arguments[name]
    assert isinstance(tensor, torch.Tensor)
    expected, actual = by_autograd.to(tensor.dtype), by_formula.to(tensor.dtype)
    answer = compare([as_array(expected)], [as_array(actual)])
    return answer if answer[1] else None


def _gradient_by_autograd(
    results: Sequence[torch.Tensor], tensor: torch.Tensor, grads: Sequence[torch.Tensor]
) -> torch.Tensor:
    """Return the gradient of a tensor from those of the results, of which some may have none."""
    pairs = [(r, grad) for r, grad in zip(results, grads, strict=True) if r.requires_grad]
    (gradient,) = torch.autograd.grad([r for r, _ in pairs], tensor, [grad for _, grad in pairs])
    return gradient


def _nan_gradients(
    names: Sequence[str], function: Kernel, arguments: Mapping[str, object]
) -> list[str]:
    """Return the tensors whose gradient has a NaN, if all arguments and results are finite."""
    tensors = {name: _tensors(arguments).get(name) for name in names}
    inputs = {
        name: tensor.double().clone().requires_grad_()
        for name, tensor in tensors.items()
        if tensor is not None and tensor.is_floating_point()
    }
    if not inputs:
        return []
    others = {name: _double(value) for name, value in arguments.items()}
    results = _several(function(**{**others, **inputs}))
    are_finite = all(tensor.isfinite().all() for tensor in [*inputs.values(), *results])
    if not are_finite or not results[0].requires_grad:
        return []
    ones = [torch.ones_like(result) for result in results]
    gradients = torch.autograd.grad(results, [*inputs.values()], ones, allow_unused=True)
    pairs = zip(inputs, gradients, strict=True)
    return [name for name, gradient in pairs if gradient is not None and gradient.isnan().any()]


def _double(value: object) -> Any:
    if isinstance(value, list):
        return [*map(_double, value)]
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    return value


if __name__ == "__main__":
    main()
