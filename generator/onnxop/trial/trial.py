"""A model, or one call of an operator, through an exporter, the checker and ONNX Runtime."""

from __future__ import annotations

import importlib
import io
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

from onnxop_runtime.exporting.replaced import replaced
from onnxop_runtime.mapping import opsets
from onnxop_runtime.torch_internals import keep_tables_of_exporter
from onnxop_runtime.verification import runners

from . import forks
from .call import Call, has_complex, of_tensors, words_of
from .compare import difference, drawn, unlike, without_equals
from .outcome import WORDS, Outcome, outcome, said, short

EXPORTERS = {"dynamo": opsets.DYNAMO, "TorchScript": opsets.TORCHSCRIPT}
"""The opsets that each exporter writes."""

EMPTY = "every result is empty, so no value was compared; try other inputs"
_RUNTIME = ("onnxop_runtime.package", "onnxop_runtime.specs")
_NO_VALUES = re.compile("data is not allocated yet|data-dependent|FakeTensor")
_PAIRS = "complex numbers are pairs of real ones, in a last dimension of 2"


@dataclass(frozen=True)
class Rules:
    """What an export goes by beside PyTorch's own rules.

    Attributes:
        package: an installed package that exports.
        specs: the texts of specs that are registered for the export.
        replaced: the package's ops in the place of a model's own functions, by the dotted names of these.
    """

    package: str = ""
    specs: tuple[str, ...] = ()
    replaced: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def export(self) -> Iterator[Any]:
        """Yield what exports by them, in place of `torch.onnx.export`."""
        if self.package:
            package: Any = importlib.import_module(self.package)
            with replaced({name: getattr(package, op) for name, op in self.replaced.items()}):
                yield package.export
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
    """Import in this process what the forked ones need, and let the exporters warm up."""
    torch.set_num_threads(1)  # a process that is forked has none of the others
    with forks.quiet():
        for module in ("onnx", "onnxruntime", "onnxscript", *_RUNTIME):
            importlib.import_module(module)
        keep_tables_of_exporter()
        for is_dynamo in (True, False):
            f: Any = io.BytesIO()
            torch.onnx.export(torch.nn.Tanh(), (torch.ones(2),), f, dynamo=is_dynamo, verbose=False)


def outcomes(
    works: Sequence[Callable[[], Any]], seconds: float = forks.SECONDS
) -> Iterator[tuple[int, Outcome]]:
    """Yield what became of each piece of work, by its place, as they come."""
    for place, answer in forks.each(works, seconds=seconds, at_once=os.cpu_count() or 1):
        yield place, outcome(answer)


def tried(call: Call, exporter: str, opset: int, rules: Rules = STOCK) -> Outcome:
    """Try the call. It never raises, but may end the process."""
    torch.manual_seed(0)
    with call.kept_buffers(), tempfile.TemporaryDirectory(prefix="onnxop-trial-") as scratch:
        path = Path(scratch, "model.onnx")
        try:
            _export(call, path, exporter, opset, rules)
        except Exception as error:  # noqa: BLE001 - whatever an exporter says is its answer
            return _refusal(call, error)
        expected = call.results()  # after a trace, which runs the model, and so writes its buffers
        if why := _refused(path, opset):
            return Outcome("checker", why)
        try:
            session = _session(path, rules)
            found = _compared(call, session, expected)
        except Exception as error:  # noqa: BLE001
            return Outcome("runtime", short(str(error)))
        for tensors in call.others if found.is_right else ():
            other = call.given(tensors)
            try:
                again = _compared(other, session, other.results())
            except Exception as error:  # noqa: BLE001
                again = Outcome("runtime", short(str(error)))
            if not again.is_right:
                return Outcome(
                    "first", f"{WORDS[again.kind]} for {words_of(tensors, {})}: {again.why}"
                )
    has_pairs = exporter == "dynamo" and has_complex([*call.tensors, *expected])
    return Outcome("right", _PAIRS) if has_pairs and found == Outcome("right") else found


def _compared(call: Call, session: Any, expected: list[torch.Tensor]) -> Outcome:
    """What ONNX Runtime computes against PyTorch's results. Raises what it raises."""
    found = _run(session, call)
    if not (why := difference(found, expected)):
        return Outcome("right", "" if any(tensor.numel() for tensor in expected) else EMPTY)
    wrong = unlike(found, expected)
    random = drawn(call, found, expected)
    if wrong and random == wrong:
        is_all = len(random) == len(expected)
        return Outcome("random", "" if is_all else f"result {', '.join(map(str, sorted(random)))}")
    kinds = [expected[at].dtype for at in wrong]
    is_order = wrong and not any(kind.is_floating_point or kind.is_complex for kind in kinds)
    if is_order and (unequal := without_equals(call)) is not None:
        again = _compared(unequal, session, unequal.results())
        return Outcome("order" if again.kind == "right" else "values", why)
    return Outcome("values", why)


def _refusal(call: Call, error: BaseException) -> Outcome:
    """The exporter's, or why PyTorch itself, or any exporter, does not take the call."""
    while error.__cause__ is not None:
        error = error.__cause__
    needs_values = _NO_VALUES.search(str(error)) is not None
    words = "torch.export traces it without values, and it needs some: " * needs_values
    refusal = Outcome("export", f"{words}{said(error)}")
    if refusal.named:
        return refusal
    try:
        found = call.returned()
    except Exception as own:  # noqa: BLE001 - the user's model, whatever it raises
        return Outcome("export", f"PyTorch itself raises {said(own)}")
    others = [x for x in found if x is not None and not isinstance(x, torch.Tensor)]
    if not others:
        return refusal
    words = ", ".join(dict.fromkeys(f"{x!r:.40}, of type {type(x).__name__}" for x in others))
    why = f"the model returns {words}: return tensors alone, which an exporter takes"
    return Outcome("export", why)


def _export(call: Call, path: Path, exporter: str, opset: int, rules: Rules) -> None:
    options: dict[str, Any] = {"opset_version": opset, "verbose": False}
    options["dynamo"] = exporter == "dynamo"
    given = tuple(tensor.detach().clone() for tensor in call.tensors)
    if call.axes and exporter == "dynamo":
        options["dynamic_shapes"] = call.dynamic_shapes
    elif call.axes:
        options["dynamic_axes"] = {f"x{at}": [*dims] for at, dims in call.axes.items()}
    with rules.export() as export:
        if call.is_program:
            export(call.model, (), str(path), **options)
        else:
            names = [f"x{place}" for place in range(len(given))]
            export(of_tensors(call), given, str(path), input_names=names, **options)


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


def _session(path: Path, rules: Rules) -> Any:
    import onnxruntime  # type: ignore[import-untyped]

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    if rules.package and (
        add := vars(importlib.import_module(rules.package)).get("session_options")
    ):
        settings = add(settings)  # with the package's library
    return onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])


def _run(session: Any, call: Call) -> list[Any]:
    """What ONNX Runtime computes of the call's tensors."""
    ports = session.get_inputs()
    by_name = {f"x{place}": tensor for place, tensor in enumerate(call.tensors)}
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
