"""A model, or one call of an operator, through an exporter, the checker and ONNX Runtime."""

from __future__ import annotations

import importlib
import io
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from onnxop_runtime.mapping import opsets

from . import forks, frozen
from .places import Place

EXPORTERS = {"dynamo": opsets.DYNAMO, "TorchScript": opsets.TORCHSCRIPT}
"""The opsets that each exporter writes."""

_TOLERANCES = {"bfloat16": (5e-2, 2e-2), "float16": (1e-2, 1e-3), "float64": (1e-6, 1e-7)}
_TOLERANCE = 1e-3, 1e-4  # of float32: the relative and the absolute error that are allowed
_RUNTIME = ("onnxop_runtime.package", "onnxop_runtime.specs")
_DRAWS = 20  # until what is random is another
_EMPTY = "every result is empty, so no value was compared; try other inputs"
_PAIRS = "complex numbers are pairs of real ones, in a last dimension of 2"


@dataclass(frozen=True)
class Outcome:
    """What became of one export.

    Attributes:
        kind: ``right``; ``export``: the exporter refuses; ``checker``: onnx.checker refuses the
            model; ``runtime``: ONNX Runtime refuses it, or fails; ``values``: they differ from
            PyTorch's; ``order``: so do integers alone, and not where no two values are equal, as
            in sorting; ``random``: so do results that in PyTorch differ from call to call, too;
            ``frozen``: it would be right, but for other values is not; ``crash``: the process
            ended, or ran out of time.
        why: what was said.
        frozen: where the exporter keeps what values of the inputs decided, for all inputs.
    """

    kind: str
    why: str = ""
    frozen: tuple[Place, ...] = ()

    @property
    def is_right(self) -> bool:
        return self.kind in ("right", "order", "random")

    @property
    def is_right_here(self) -> bool:
        """Whether it is right for the values that it was tried with."""
        return self.is_right or self.kind == "frozen"


@dataclass(frozen=True)
class Call:
    """A call to try: a model and its arguments.

    ``fixed`` are the tensors that are no inputs, such as weights; by identity.
    """

    model: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """What an export goes by beside PyTorch's own rules.

    Attributes:
        package: an installed package that exports.
        specs: the texts of specs that are registered for the export, in its process alone.
    """

    package: str = ""
    specs: tuple[str, ...] = ()

    def export(self) -> Any:
        """Return what exports by them, in place of `torch.onnx.export`."""
        if self.package:
            return importlib.import_module(self.package).export
        if not self.specs:
            return importlib.import_module("torch").onnx.export
        import onnxop_runtime
        from onnxop_runtime.specs import register_trusted

        register_trusted(self.specs)
        return onnxop_runtime.export


STOCK = Rules()
"""PyTorch's own rules alone."""


@cache
def ready() -> None:
    """Imports in this process what the forked ones need, and lets the exporters warm up."""
    import torch

    torch.set_num_threads(1)  # a process that is forked has none of the others
    with forks.quiet():
        for module in ("onnx", "onnxruntime", "onnxscript", *_RUNTIME):
            importlib.import_module(module)
        read_tables_once()
        for is_dynamo in (True, False):
            f: Any = io.BytesIO()
            torch.onnx.export(torch.nn.Tanh(), (torch.ones(2),), f, dynamo=is_dynamo, verbose=False)


def read_tables_once() -> None:
    """From now on, this process and its forks keep what the dynamo exporter makes anew for each model,
    most of the time of a small one: onnxscript's functions, parsed from their source, their
    signatures, and a look at every operator that is composed of others. Where a release of PyTorch
    has them elsewhere, they take their time.
    """
    from torch._export import utils
    from torch.onnx._internal.exporter import _registration

    modules: Any = {
        "get_torchlib_ops": getattr(_registration, "onnxscript_apis", None),
        "op_signature_from_function": getattr(_registration, "_schemas", None),
    }
    for name, module in modules.items():
        if hasattr(module, name):
            setattr(module, name, cache(getattr(module, name)))
    if hasattr(utils, "_materialize_cpp_cia_ops"):
        look = utils._materialize_cpp_cia_ops
        looked = cache(lambda composites: look())
        utils._materialize_cpp_cia_ops = lambda: looked(_composites())


def _composites() -> int:
    """How many operators PyTorch composes of others: more, once one is registered."""
    import torch

    key = "CompositeImplicitAutograd"
    return len(torch._C._dispatch_get_registrations_for_dispatch_key(key))


def tried(call: Call, exporter: str, opset: int, rules: Rules = STOCK) -> Outcome:
    """Try the call. It never raises, but may end the process, in which specs stay registered."""
    with frozen.watched(len(tensors(call))) as kept:  # while TorchScript traces
        found = _tried(call, exporter, opset, rules)
    is_right_here = found.is_right and bool(kept)
    return replace(found, kind="frozen" if is_right_here else found.kind, frozen=tuple(kept))


def _tried(call: Call, exporter: str, opset: int, rules: Rules) -> Outcome:
    import torch

    torch.manual_seed(0)
    with torch.no_grad():
        try:
            expected = _results(call)
        except Exception as error:  # noqa: BLE001 - the user's model, whatever it raises
            return Outcome("export", f"PyTorch itself raises {said(error)}")
    state = _state(call.model)
    with tempfile.TemporaryDirectory(prefix="onnxop-trial-") as scratch:
        path = Path(scratch, "model.onnx")
        try:
            _export(call, path, exporter, opset, rules)
        except Exception as error:  # noqa: BLE001 - whatever an exporter says is its answer
            refusal = Outcome("export", said(_root(error)))
            return refusal if named(refusal) else _of_results(call) or refusal
        if _is_moved(state):  # a trace runs the model, and writes the buffers as that leaves them
            with torch.no_grad():
                expected = _results(call)
        if why := _refused(path, opset):
            return Outcome("checker", why)
        try:
            found = _run(path, call)
        except Exception as error:  # noqa: BLE001
            return Outcome("runtime", _short(str(error)))
    why = _difference(found, expected)
    if not why:
        if not any(tensor.numel() for tensor in expected):
            return Outcome("right", _EMPTY)
        has_pairs = exporter == "dynamo" and _has_complex([*tensors(call), *expected])
        return Outcome("right", _PAIRS if has_pairs else "")
    drawn = _drawn(call, found, expected)
    if drawn and not _difference(found, expected, drawn):
        is_all = len(drawn) == len(expected)
        return Outcome("random", "" if is_all else f"result {', '.join(map(str, sorted(drawn)))}")
    if _is_order(found, expected) and (unlike := _without_equals(call)) is not None:
        again_right = _tried(unlike, exporter, opset, rules).kind == "right"
        return Outcome("order" if again_right else "values", why)
    return Outcome("values", why)


NO_TENSORS = "the model returns"


def _of_results(call: Call) -> Outcome | None:
    """The refusal of a model that returns what is no tensor."""
    import torch

    with torch.no_grad():
        found = [x for x in returned(call) if x is not None and not isinstance(x, torch.Tensor)]
    if not found:
        return None
    words = ", ".join(dict.fromkeys(f"{x!r:.40}, of type {type(x).__name__}" for x in found))
    return Outcome("export", f"{NO_TENSORS} {words}: return tensors alone, which an exporter takes")


def _state(model: Any) -> dict[Any, tuple[Any, int]]:
    """The buffers, as they are now."""
    import torch

    is_program = isinstance(model, torch.export.ExportedProgram)
    held = model.state_dict.values() if is_program else model.buffers()
    return {
        t: (t.detach().clone(), t._version) for t in held if not isinstance(t, torch.nn.Parameter)
    }


def _is_moved(state: Mapping[Any, tuple[Any, int]]) -> bool:
    """Whether the model has written to its buffers since."""
    return any(
        buffer._version != version and not buffer.equal(before)
        for buffer, (before, version) in state.items()
    )


def _drawn(call: Call, found: Sequence[Any], expected: Sequence[Any]) -> set[int]:
    """The results that are not as expected, and in PyTorch neither, where it is called again. What is
    drawn from a few may come out the same several times.
    """
    import torch

    if len(found) != len(expected):
        return set()
    places = range(len(expected))
    wrong = {at for at in places if _difference([found[at]], [expected[at]])}
    drawn: set[int] = set()
    for _ in range(_DRAWS):
        with torch.no_grad():
            again = _results(call)
        if len(again) != len(expected):
            return set()
        for at in wrong:
            one, other, anew = found[at], expected[at], again[at]
            is_alike = one.shape == other.shape or anew.shape != other.shape
            if one.dtype == other.dtype and is_alike and _difference([anew], [other]):
                drawn.add(at)
        unused = torch.Generator().manual_seed(torch.initial_seed())
        if drawn == wrong or torch.equal(unused.get_state(), torch.get_rng_state()):
            break
    return drawn


def _is_order(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether results that differ are integers, among floats that do not."""
    if len(found) != len(expected):
        return False
    wrong = [
        other for one, other in zip(found, expected, strict=True) if _difference([one], [other])
    ]
    return all(not other.dtype.is_floating_point and not other.dtype.is_complex for other in wrong)


def _without_equals(call: Call) -> Call | None:
    """The call with floats of which no two are equal; None where it has none that are, or more than
    their dtype has.
    """
    import torch

    def other(value: Any) -> Any:
        if not _is_float(value):
            return value
        return (torch.randperm(value.numel()) / value.numel()).view(value.shape).to(value)

    if not _has_equals(call):
        return None
    args, kwargs = torch.utils._pytree.tree_map(other, (call.args, dict(call.kwargs)))
    unlike = Call(call.model, args, kwargs)
    return None if _has_equals(unlike) else unlike


def _has_equals(call: Call) -> bool:
    floats = [tensor for tensor in tensors(call) if _is_float(tensor)]
    return any(tensor.unique().numel() < tensor.numel() for tensor in floats)


def _is_float(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.is_floating_point()


def tensors(call: Call) -> list[Any]:
    """The tensors that the model is given, in order."""
    import torch

    leaves = torch.utils._pytree.tree_leaves((call.args, dict(call.kwargs)))
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def is_complex(call: Call) -> bool:
    """Whether it takes complex numbers, or gives them."""
    import torch

    with torch.no_grad():
        return _has_complex([*tensors(call), *_results(call)])


def is_empty(call: Call) -> bool:
    """Whether all that it gives are tensors without values."""
    import torch

    with torch.no_grad():
        return not any(tensor.numel() for tensor in _results(call))


def _has_complex(found: Sequence[Any]) -> bool:
    return any(tensor.is_complex() for tensor in found)


def returned(call: Call) -> list[Any]:
    """All that the model returns. What it writes to its buffers is taken back."""
    import torch

    args, kwargs = torch.utils._pytree.tree_map_only(
        torch.Tensor, lambda t: t.detach().clone(), (call.args, dict(call.kwargs))
    )
    torch.manual_seed(torch.seed() % 2**31)
    is_program = isinstance(call.model, torch.export.ExportedProgram)
    model = call.model.module() if is_program else call.model
    state = _state(call.model)
    leaves = torch.utils._pytree.tree_leaves(model(*args, **kwargs))
    if _is_moved(state):
        leaves = [x.clone() if isinstance(x, torch.Tensor) else x for x in leaves]
        for buffer, (before, _) in state.items():
            buffer.copy_(before)
    return leaves


def _results(call: Call) -> list[Any]:
    """The results that are tensors, or numbers."""
    import torch

    numbers = bool, int, float, complex, torch.Tensor
    leaves = [leaf for leaf in returned(call) if isinstance(leaf, numbers)]
    return [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in leaves]


def of_tensors(call: Call) -> Any:
    """A module that calls the model with its tensors alone; what else there is, it holds."""
    import torch

    leaves, shape = torch.utils._pytree.tree_flatten((call.args, dict(call.kwargs)))
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    if not call.kwargs and all(isinstance(value, torch.Tensor) for value in call.args):
        return call.model

    class OfTensors(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = call.model

        def forward(self, *tensors: Any) -> Any:
            values = list(leaves)
            for place, tensor in zip(places, tensors, strict=True):
                values[place] = tensor
            args, kwargs = torch.utils._pytree.tree_unflatten(values, shape)
            return self.model(*args, **kwargs)

    return OfTensors().train(getattr(call.model, "training", False))


def _export(call: Call, path: Path, exporter: str, opset: int, rules: Rules) -> None:
    import torch

    is_program = isinstance(call.model, torch.export.ExportedProgram)
    model = call.model if is_program else of_tensors(call)
    given = tuple(tensor.detach().clone() for tensor in tensors(call))
    names = [f"x{place}" for place in range(len(given))]
    options: dict[str, Any] = {"opset_version": opset, "verbose": False}
    options |= {"dynamo": exporter == "dynamo"}
    if not is_program:
        options["input_names"] = names
    export = rules.export()
    if is_program:
        export(model, (), str(path), **options)
    else:
        export(model, given, str(path), **options)


def compared(model: Any, call: Call, feeds: Mapping[str, Any]) -> Outcome:
    """What ONNX Runtime makes of a model in memory, against the call in PyTorch."""
    import onnxruntime  # type: ignore[import-untyped]
    import torch

    model.ir_version = min(model.ir_version, 10)  # what every ONNX Runtime reads
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    with torch.no_grad():
        expected = _results(call)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), settings, providers=["CPUExecutionProvider"]
        )
        given = {port.name: feeds[port.name].numpy() for port in session.get_inputs()}
        found = [torch.from_numpy(array) for array in session.run(None, given)]
    except Exception as error:  # noqa: BLE001
        return Outcome("runtime", _short(str(error)))
    why = _difference(found, expected)
    return Outcome("values", why) if why else Outcome("right")


def _refused(path: Path, opset: int) -> str:
    """What the checker refuses of the file; or that it has another opset than was asked for."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    written = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if written and written != [opset]:
        return f"asked for opset {opset}, it wrote {written[0]}"
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except Exception as error:  # noqa: BLE001 - several classes, none of them public
        return _short(str(error))
    return ""


def _run(path: Path, call: Call) -> list[Any]:
    import onnxruntime
    import torch

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    ports = session.get_inputs()
    given = tensors(call)
    by_name = {f"x{place}": tensor for place, tensor in enumerate(given)}
    if not all(port.name in by_name for port in ports):  # of a program, which has its own names
        by_name = dict(zip([port.name for port in ports], given, strict=False))
    feeds = {}
    for port in ports:
        tensor = by_name[port.name].detach().cpu().resolve_conj().resolve_neg().contiguous()
        if tensor.is_complex() and "complex" not in port.type:
            tensor = torch.view_as_real(tensor)
        if tensor.dtype == torch.bfloat16:
            feeds[port.name] = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                tensor.view(torch.int16).numpy(), 16
            )
        else:
            feeds[port.name] = tensor.numpy()
    names = [port.name for port in session.get_outputs()]
    types = [port.type for port in (*ports, *session.get_outputs())]
    if "tensor(bfloat16)" in types:  # of which NumPy has none
        whole = {
            name: value
            if isinstance(value, onnxruntime.OrtValue)
            else onnxruntime.OrtValue.ortvalue_from_numpy(value)
            for name, value in feeds.items()
        }
        results = session.run_with_ort_values(names, whole)
        return [torch.utils.dlpack.from_dlpack(value._get_c_value()) for value in results]
    return [torch.from_numpy(array) for array in session.run(names, feeds)]


def _difference(
    found: Sequence[Any], expected: Sequence[Any], besides: Collection[int] = ()
) -> str:
    """How the results differ from those expected, those at some places left out; empty where they are
    the same. Complex numbers may be pairs of real ones, as the dynamo exporter writes them.
    """
    import torch

    if len(found) != len(expected):
        return f"{len(found)} results instead of {len(expected)}"
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        if place in besides:
            continue
        other = other.detach().cpu().resolve_conj().resolve_neg()
        if other.is_complex() and not one.is_complex():
            other = torch.view_as_real(other)
        which = f"result {place}: " if len(expected) > 1 else ""
        if tuple(one.shape) != tuple(other.shape):
            return f"{which}shape {list(one.shape)} instead of {list(other.shape)}"
        if one.dtype != other.dtype:
            kinds = [str(x.dtype).removeprefix("torch.") for x in (one, other)]
            return f"{which}{kinds[0]} instead of {kinds[1]}"
        rtol, atol = _TOLERANCES.get(str(other.dtype).removeprefix("torch."), _TOLERANCE)
        if other.dtype.is_floating_point or other.dtype.is_complex:
            scale = other[other.isfinite()].abs().max().item() if other.isfinite().any() else 0.0
            atol = max(atol, 5e-5 * scale)
            same = torch.isclose(one, other, rtol=rtol, atol=atol, equal_nan=True)
        else:
            same = one == other
        if not bool(same.all()):
            count = int((~same).sum())
            where = f"{which}{count} of {same.numel()} values differ"
            apart = (one.double() - other.double()).abs()[~same] if not one.is_complex() else None
            worst = f", by {float(apart.max()):.2g} at most" if apart is not None else ""
            return f"{where}{worst}"
    return ""


_NAMED = re.compile(
    r"OpOverload\(op='(?P<space>\w+)\.(?P<name>\w+)', overload='(?P<overload>\w+)'"
    r"|'(?P<op>\w+::\w+)'"
    r"|Occurred when translating (?P<rule>\w+)"
)


def named(outcome: Outcome) -> list[tuple[str, str]]:
    """The operators that an exporter's refusal names: ``namespace::name``, and the overload, which only
    the dynamo exporter says.
    """
    found = []
    for name in _NAMED.finditer(outcome.why):
        op = name["op"] or f"{name['space'] or 'aten'}::{name['name'] or name['rule']}"
        found.append((op, name["overload"] or ""))
    return list(dict.fromkeys(found))


def said(error: BaseException) -> str:
    """The exception in one line."""
    return f"{type(error).__name__}: {_short(str(error))}"


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _short(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    if "Traceback of TorchScript" in text:
        lines = [line for line in lines if line][-1:]
    words = " ".join(line for line in lines if line and not line.startswith(("File ", "^")))
    if len(words) > 300 and "\n\n" in text.strip():
        return _short(text.strip().partition("\n\n")[0])
    return words if len(words) <= 300 else f"{words[:297]}..."


def one_call(
    overload: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    fixed: Collection[int] = (),
    used: Collection[int] | None = None,
) -> Call:
    """A module that calls an overload, and what it is given: the tensors, but for those of ``fixed``,
    by identity, which are its buffers. What else there is, it holds. It returns the results ``used``,
    or all.
    """
    import torch

    leaves, shape = torch.utils._pytree.tree_flatten((tuple(args), dict(kwargs)))
    is_tensor = [isinstance(leaf, torch.Tensor) for leaf in leaves]
    places = [at for at, leaf in enumerate(leaves) if is_tensor[at] and id(leaf) not in fixed]
    held = [at for at in range(len(leaves)) if is_tensor[at] and at not in places]
    given = tuple(leaves[place] for place in places)
    others = [None if found else leaf for leaf, found in zip(leaves, is_tensor, strict=True)]
    is_mutable = overload._schema.is_mutable

    class OneCall(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for place in held:
                self.register_buffer(f"held{place}", leaves[place].detach())

        def forward(self, *tensors: Any) -> Any:
            values = list(others)
            for place in held:
                values[place] = getattr(self, f"held{place}")
            for place, tensor in zip(places, tensors, strict=True):
                values[place] = tensor.clone() if is_mutable else tensor
            args, kwargs = torch.utils._pytree.tree_unflatten(values, shape)
            found = overload(*args, **kwargs)
            return found if used is None else tuple(found[place] for place in sorted(used))

    return Call(OneCall().eval(), given)


def together(calls: Sequence[Call]) -> Call:
    """One model that makes calls of tensors alone, as `one_call` has them, and gives all their results."""
    import torch

    class Together(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.models = torch.nn.ModuleList([call.model for call in calls])

        def forward(self, *tensors: Any) -> Any:
            found: list[Any] = []
            rest = [*tensors]
            for call, model in zip(calls, self.models, strict=True):
                given, rest = rest[: len(call.args)], rest[len(call.args) :]
                found += torch.utils._pytree.tree_leaves(model(*given))
            return tuple(found)

    if len(calls) == 1:
        return calls[0]
    return Call(Together().eval(), tuple(value for call in calls for value in call.args))


def outcome(answer: Any) -> Outcome:
    """What a forked process answered."""
    if isinstance(answer, Outcome):
        return answer
    return Outcome("crash", str(answer) if isinstance(answer, forks.Died) else said(answer))
