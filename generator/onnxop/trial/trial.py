"""A model, or one call of an operator, through an exporter, the checker and ONNX Runtime."""

from __future__ import annotations

import importlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from onnxop_runtime.mapping import opsets
from onnxop_runtime.verification import runners

from . import forks, frozen
from .call import Call, are_written, has_complex, of_tensors, restore
from .compare import are_integers, difference, drawn, unlike, without_equals
from .outcome import NO_TENSORS, Outcome, named, outcome, said, short

EXPORTERS = {"dynamo": opsets.DYNAMO, "TorchScript": opsets.TORCHSCRIPT}
"""The opsets that each exporter writes."""

EMPTY = "every result is empty, so no value was compared; try other inputs"
_RUNTIME = ("onnxop_runtime.package", "onnxop_runtime.specs")
_PAIRS = "complex numbers are pairs of real ones, in a last dimension of 2"


@dataclass(frozen=True)
class Rules:
    """What an export goes by beside PyTorch's own rules.

    Attributes:
        package: an installed package that exports.
        specs: the texts of specs that are registered for the export.
    """

    package: str = ""
    specs: tuple[str, ...] = ()

    @contextmanager
    def export(self) -> Iterator[Any]:
        """Give what exports by them, in place of `torch.onnx.export`."""
        if self.package:
            yield importlib.import_module(self.package).export
        elif not self.specs:
            yield torch.onnx.export
        else:
            import onnxop_runtime
            from onnxop_runtime.specs import register_trusted

            operators = register_trusted(self.specs)
            try:
                yield onnxop_runtime.export
            finally:
                onnxop_runtime.unregister(operators)


STOCK = Rules()
"""PyTorch's own rules alone."""


@cache
def ready() -> None:
    """Imports in this process what the forked ones need, and lets the exporters warm up."""
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
    key = "CompositeImplicitAutograd"
    return len(torch._C._dispatch_get_registrations_for_dispatch_key(key))


def outcomes(
    works: Sequence[Callable[[], Any]], seconds: float = forks.SECONDS
) -> Iterator[tuple[int, Outcome]]:
    """What became of each piece of work, by its place, as they come."""
    for place, answer in forks.each(works, seconds=seconds, at_once=os.cpu_count() or 1):
        yield place, outcome(answer)


def tried(call: Call, exporter: str, opset: int, rules: Rules = STOCK) -> Outcome:
    """Try the call. It never raises, but may end the process."""
    before = call.buffers()
    with frozen.watched(len(call.tensors)) as kept:  # while TorchScript traces
        found = _tried(call, exporter, opset, rules)
    if are_written(before):
        restore(before)
    is_right_here = found.is_right and bool(kept)
    return replace(found, kind="frozen" if is_right_here else found.kind, frozen=tuple(kept))


def _tried(call: Call, exporter: str, opset: int, rules: Rules) -> Outcome:
    torch.manual_seed(0)
    try:
        expected = call.results()
    except Exception as error:  # noqa: BLE001 - the user's model, whatever it raises
        return Outcome("export", f"PyTorch itself raises {said(error)}")
    before = call.buffers()
    with tempfile.TemporaryDirectory(prefix="onnxop-trial-") as scratch:
        path = Path(scratch, "model.onnx")
        try:
            _export(call, path, exporter, opset, rules)
        except Exception as error:  # noqa: BLE001 - whatever an exporter says is its answer
            refusal = Outcome("export", said(_root(error)))
            return refusal if named(refusal) else _of_results(call) or refusal
        if are_written(
            before
        ):  # a trace runs the model, and writes the buffers as that leaves them
            expected = call.results()
        if why := _refused(path, opset):
            return Outcome("checker", why)
        try:
            found = _run(str(path), call)
        except Exception as error:  # noqa: BLE001
            return Outcome("runtime", short(str(error)))
    why = difference(found, expected)
    if not why:
        if not any(tensor.numel() for tensor in expected):
            return Outcome("right", EMPTY)
        has_pairs = exporter == "dynamo" and has_complex([*call.tensors, *expected])
        return Outcome("right", _PAIRS if has_pairs else "")
    if len(found) != len(expected):
        return Outcome("values", why)
    wrong = unlike(found, expected)
    random = drawn(call, found, expected)
    if random == {*wrong}:
        is_all = len(random) == len(expected)
        return Outcome("random", "" if is_all else f"result {', '.join(map(str, sorted(random)))}")
    is_order = are_integers([expected[at] for at in wrong])
    if is_order and (unequal := without_equals(call)) is not None:
        again_right = _tried(unequal, exporter, opset, rules).kind == "right"
        return Outcome("order" if again_right else "values", why)
    return Outcome("values", why)


def _of_results(call: Call) -> Outcome | None:
    """The refusal of a model that returns what is no tensor."""
    found = [x for x in call.returned() if x is not None and not isinstance(x, torch.Tensor)]
    if not found:
        return None
    words = ", ".join(dict.fromkeys(f"{x!r:.40}, of type {type(x).__name__}" for x in found))
    return Outcome("export", f"{NO_TENSORS} {words}: return tensors alone, which an exporter takes")


def _export(call: Call, path: Path, exporter: str, opset: int, rules: Rules) -> None:
    options: dict[str, Any] = {"opset_version": opset, "verbose": False}
    options["dynamo"] = exporter == "dynamo"
    given = tuple(tensor.detach().clone() for tensor in call.tensors)
    with rules.export() as export:
        if call.is_program:
            export(call.model, (), str(path), **options)
        else:
            names = [f"x{place}" for place in range(len(given))]
            export(of_tensors(call), given, str(path), input_names=names, **options)


def compared(model: Any, call: Call, feeds: Mapping[str, Any]) -> Outcome:
    """What ONNX Runtime makes of a model in memory, against the call in PyTorch."""
    model.ir_version = min(model.ir_version, 10)  # what every ONNX Runtime reads
    expected = call.results()
    try:
        found = _run(model.SerializeToString(), call, feeds)
    except Exception as error:  # noqa: BLE001
        return Outcome("runtime", short(str(error)))
    why = difference(found, expected)
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
        return short(str(error))
    return ""


def _run(model: str | bytes, call: Call, by_name: Mapping[str, Any] | None = None) -> list[Any]:
    """What ONNX Runtime computes of the call's tensors."""
    import onnxruntime  # type: ignore[import-untyped]

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    ports = session.get_inputs()
    by_name = by_name or {f"x{place}": tensor for place, tensor in enumerate(call.tensors)}
    if not all(port.name in by_name for port in ports):  # of a program, which has its own names
        by_name = dict(zip([port.name for port in ports], call.tensors, strict=False))
    feeds = {}
    for port in ports:
        tensor = by_name[port.name].detach().cpu().resolve_conj().contiguous()
        if tensor.is_complex() and "complex" not in port.type:
            tensor = torch.view_as_real(tensor)
        feeds[port.name] = runners.as_array(tensor)
    arrays = runners.runner(session)(feeds)
    return [_tensor(array) for array in arrays]


def _tensor(array: Any) -> torch.Tensor:
    if array.dtype.name == "bfloat16":  # of which neither NumPy nor PyTorch's reading of it has any
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error
