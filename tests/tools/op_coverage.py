"""The part of PyTorch's op database that each exporter writes right, alone and with packages.

``poe coverage`` measures PyTorch alone, ``poe coverage --with gallery`` PyTorch with the gallery,
or another package; ``poe coverage --table`` writes the table of both into reference_ops/README.md.
An entry is right if its sample exports, ONNX Runtime runs the model, and the values are PyTorch's.
``--sweep`` looks for entries that are wrong in silence (`hostile`). Each entry runs in its own
process, forked from one that has imported torch. Results are kept in ``build/coverage`` at once, so
that a stopped run goes on.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import itertools
import json
import os
import re
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import onnxop_runtime
from onnxop_runtime.torch_internals import cache_exporter_tables
from onnxop_runtime.verification import comparison, runners
from tests import documents, hostile

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "runtime/onnxop_runtime/gallery/aten"
RESULTS = ROOT / "build/coverage"
PAGE = ROOT / "reference_ops/README.md"
BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"
OPSETS = {"dynamo": 20, "torchscript": 18}
ANY_OF_EQUALS = ("kthvalue", "median", "nanmedian", "mode", "topk")
"""Entries whose second result may be the index of any of equal values."""
UP_TO_SIGNS = {"linalg.eigh": {1: -2}, "linalg.svd": {0: -2, 2: -1}, "svd": {0: -2, 2: -2}}
"""Entries whose vectors may have either sign: their results, and the dimension along which a vector
lies.
"""
_SECONDS = 120  # for one entry


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--with", dest="package", default="", help="gallery, or a package of reference_ops"
    )
    parser.add_argument("--exporter", choices=[*OPSETS, "both"], default="both")
    parser.add_argument("--only", default="", help="a regular expression for the entries' names")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder of the results")
    parser.add_argument(
        "--samples",
        type=int,
        default=None,
        help="how many float32 samples of each; 0: all; by default 1, and all of a sweep",
    )
    parser.add_argument(
        "--dynamic",
        action="store_true",
        help="with dynamic axes, on other sizes, too; samples without sizes are static",
    )
    parser.add_argument(
        "--sweep",
        action="store_true",
        help="every float32 sample, on hostile values, and with dynamic axes",
    )
    parser.add_argument("--again", action="store_true", help="measure anew what is there already")
    parser.add_argument("--failed", action="store_true", help="measure anew what failed")
    parser.add_argument(
        "--changed",
        action="store_true",
        help="only what PyTorch alone gets wrong, and what the package has a rule of its name for",
    )
    parser.add_argument("--table", action="store_true", help="write the table into the documents")
    options = parser.parse_args(arguments)
    if options.samples is None:
        options.samples = 0 if options.sweep else 1
    if options.table:
        write_table()
        return
    for exporter in OPSETS if options.exporter == "both" else [options.exporter]:
        measure(exporter, options)


def measure(exporter: str, options: argparse.Namespace) -> None:
    """Measure the chosen entries, and print how many are right."""
    parts = [options.package or "stock", exporter]
    if options.samples != (0 if options.sweep else 1):
        parts.append(str(options.samples or "all"))
    parts += ["dynamic"] * options.dynamic
    parts += ["sweep"] * options.sweep
    file = options.results / f"{'-'.join(parts)}.json"
    results: dict[str, str] = {} if not file.exists() else json.loads(file.read_text())
    table, every = prepare(options.package), entries()
    gc.freeze()  # so that the collector of each process visits its own objects only
    is_gallery = options.package == "gallery"
    folder = GALLERY if is_gallery else ROOT / "reference_ops" / options.package / "ops"
    ops = list(folder.glob("*.toml"))
    alone = options.results / f"stock-{exporter}.json"
    without = json.loads(alone.read_text()) if options.changed and alone.exists() else {}
    for name, entry in every.items():
        if not re.search(options.only, name):
            continue
        if without.get(name) == "right" and not rules_of(entry) & {op.stem for op in ops}:
            results[name] = "right"  # as without the package, which has no rule for it
            continue
        has_rule = bool(rules_of(entry) & {op.stem for op in ops})
        if options.sweep and (not has_rule or name.startswith(hostile.RANDOM)):
            continue
        before = results.get(name)
        if before is not None and not (options.again or (options.failed and before != "right")):
            continue
        if options.sweep:
            work = partial(swept, entry, exporter, table, options.samples)
        else:
            work = partial(
                tried, entry, exporter, table, options.samples, is_dynamic=options.dynamic
            )
        is_long = options.sweep or options.samples != 1
        results[name] = forked(work, _SECONDS * (10 if is_long else 1))
        print(f"{exporter} {name}: {results[name][: 3000 if options.sweep else 200]}", flush=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(results, indent=1, sort_keys=True))
    print(f"{exporter}: {sum(why == 'right' for why in results.values())} of {len(results)} right")


def prepare(package: str) -> dict[Any, Any]:
    """Import what the entries' processes need; return the package's rules."""
    os.environ["PYTORCH_JIT_LOG_LEVEL"] = ""
    import torch

    torch.set_num_threads(1)
    for module in ("onnxruntime", "onnxscript"):
        importlib.import_module(module)

    cache_exporter_tables()
    with quiet():
        torch.onnx.export(torch.nn.Tanh(), (torch.ones(2),), dynamo=True, verbose=False)
        from torch.onnx._internal.exporter import _core  # noqa: F401
    if not package:
        return {}
    table: dict[Any, Any]
    if package == "gallery":
        importlib.import_module("onnxop_runtime.gallery")
        table = onnxop_runtime.translation_table()
    else:
        sys.path.insert(0, str(ROOT / "reference_ops" / package / "src"))
        table = importlib.import_module(package).translation_table()
    return table


def rules_of(entry: Any) -> set[str]:
    """Return the possible names of a rule for the entry."""
    names = {entry.name, entry.aten_name, *(alias.name for alias in entry.aliases)}
    return {name.replace(".", "_").removeprefix("nn_functional_") for name in names if name}


def entries() -> dict[str, Any]:
    """Return the entries of the op database, by name and variant."""
    with quiet():
        from torch.testing._internal.common_methods_invocations import op_db
    return {".".join(filter(None, (e.name, e.variant_test_name))): e for e in op_db}


def tried(
    entry: Any,
    exporter: str,
    table: dict[Any, Any],
    count: int,
    *,
    is_dynamic: bool = False,
) -> str:
    """Return ``right``, or what is wrong with the first ``count`` samples; 0: with all."""
    import torch

    torch.manual_seed(0)
    dtypes = entry.supported_dtypes("cpu")
    order = (torch.float32, torch.int64, torch.bool, *sorted(dtypes, key=str))
    dtype = next(kind for kind in order if kind in dtypes)
    samples = entry.sample_inputs("cpu", dtype, requires_grad=False)
    why = "no sample"
    for number, sample in enumerate(itertools.islice(samples, count or None)):
        call = Call(entry, sample)
        has_dynamic_axes = is_dynamic and any(hostile.axes(call.tensors).values())
        sizes = hostile.grown(entry.name, call.tensors) if has_dynamic_axes else ()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.onnx")
            why = call.exported(path, exporter, table, is_dynamic=has_dynamic_axes) or "right"
            if why == "right":
                wrong = call.compared(path, itertools.chain([("", call.tensors)], sizes))
                why = next((f"{label} {why}".lstrip() for label, why in wrong.items()), "right")
        if why != "right":
            return f"sample {number}: {why}" if count != 1 else why
    return why


def swept(entry: Any, exporter: str, table: dict[Any, Any], most: int) -> str:
    """Return ``right``, or what is wrong in silence. Try all float32 samples, or ``most``, with
    dynamic axes where the rule supports them and on hostile values; and the first samples of other
    dtypes.
    """
    import torch

    torch.manual_seed(0)
    wrong: dict[str, str] = {}
    count = 0
    for dtype in (torch.float32, *hostile.DTYPES):
        is_undefined = (
            hostile.is_undefined(entry.name, hostile.ITSELF, dtype) and dtype != torch.float32
        )
        if is_undefined or dtype not in entry.supported_dtypes("cpu"):
            continue
        samples = entry.sample_inputs("cpu", dtype, requires_grad=False)
        last = (most or None) if dtype == torch.float32 else 3
        for number, sample in enumerate(itertools.islice(samples, last)):
            if sample.kwargs.get("dropout_p"):
                continue  # is random
            call = Call(entry, sample)
            if exporter == "torchscript" and dtype == torch.float64 and call.is_scalar:
                continue  # stock PyTorch, too, converts a constant beside it to float32
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                for label, why in call.sweep(Path(folder), exporter, table):
                    is_aloud = why.startswith(("export", "run"))
                    if is_aloud and dtype != torch.float32:
                        continue
                    kind = str(dtype).removeprefix("torch.")
                    wrong.setdefault(f"{kind}, {label}", f"sample {number}: {why}")
    if not wrong:
        return "right" if count else "no sample"
    return " | ".join(f"{label}: {why}" for label, why in wrong.items())


class Call:
    """A sample's call as a model, whose inputs are its tensors."""

    def __init__(self, entry: Any, sample: Any) -> None:
        import torch
        from torch.utils import _pytree as pytree

        values = ((sample.input, *sample.args), dict(sample.kwargs))
        leaves, shape = pytree.tree_flatten(values)
        places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.tensors = tuple(leaves[place].detach().clone() for place in places)
        self.names = [f"x{number}" for number in range(len(places))]
        self._entry, self.name = entry, entry.name
        self._any_of_equals = entry.name in ANY_OF_EQUALS
        self._vectors = UP_TO_SIGNS.get(entry.name, {})

        class Model(torch.nn.Module):
            def forward(self, *tensors: Any) -> Any:
                values = list(leaves)
                for place, tensor in zip(places, tensors, strict=True):
                    values[place] = tensor
                args, kwargs = pytree.tree_unflatten(values, shape)
                return entry.op(*args, **kwargs)

        self.model = Model().eval()

    @property
    def is_by_item(self) -> bool:
        """Return whether each item of the result depends on one item of each tensor."""
        from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo

        return isinstance(self._entry, BinaryUfuncInfo | UnaryUfuncInfo)

    @property
    def is_scalar(self) -> bool:
        """Return whether one of the tensors has no dimensions."""
        return any(tensor.dim() == 0 for tensor in self.tensors)

    def wanted(self, tensors: tuple[Any, ...]) -> list[Any]:
        """Return PyTorch's results for the tensors."""
        import torch
        from torch.utils import _pytree as pytree

        with torch.no_grad():
            expected = self.model(*(tensor.clone() for tensor in tensors))
        outputs = [x for x in pytree.tree_leaves(expected) if x is not None]
        return [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in outputs]

    def exported(
        self, path: Path, exporter: str, table: dict[Any, Any], *, is_dynamic: bool = False
    ) -> str:
        """Write the model; return the exporter's error, if any."""
        import torch

        settings: dict[str, Any] = {"dynamo": False}
        axes = hostile.axes(self.tensors) if is_dynamic else {}
        if exporter == "dynamo":
            settings = {"dynamo": True, "custom_translation_table": table}
            auto = torch.export.Dim.AUTO
            shapes = tuple(dict.fromkeys(axes[place], auto) for place in axes)
            settings |= {"dynamic_shapes": {"tensors": shapes}} if is_dynamic else {}
        elif is_dynamic:
            settings["dynamic_axes"] = {self.names[place]: axes[place] for place in axes}
        try:
            torch.onnx.export(
                self.model,
                self.tensors,
                str(path),
                input_names=self.names,
                opset_version=OPSETS[exporter],
                verbose=False,
                **settings,
            )
        except Exception as error:  # noqa: BLE001 - whatever an exporter says is what is measured
            return f"export: {root_of(error)}"
        return ""

    def sweep(
        self, folder: Path, exporter: str, table: dict[Any, Any]
    ) -> Iterator[tuple[str, str]]:
        """Yield the label of values, and what is wrong on them."""
        path = folder / "dynamic.onnx"
        is_dynamic = not self.exported(path, exporter, table, is_dynamic=True)
        if not is_dynamic:
            path = folder / "static.onnx"
            if why := self.exported(path, exporter, table):
                yield "as it is", why
                return
        sizes = hostile.grown(self.name, self.tensors) if is_dynamic else ()
        variants = hostile.variants(self.name, self.tensors, is_by_item=self.is_by_item)
        cases = itertools.chain(variants, sizes)
        yield from self.compared(path, cases).items()

    def compared(self, path: Path, cases: Iterable[tuple[str, tuple[Any, ...]]]) -> dict[str, str]:
        """Return what is wrong with the model's values, by label of the case. The first case has
        the model's own inputs, and is the last if it is wrong.
        """
        import onnxruntime  # type: ignore[import-untyped]

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 4
        session = None
        wrong: dict[str, str] = {}
        for number, (label, tensors) in enumerate(cases):
            try:
                wanted = self.wanted(tensors)
            except Exception:
                if not number:
                    raise
                continue  # PyTorch does not support these values
            try:
                session = session or onnxruntime.InferenceSession(
                    path, settings, providers=["CPUExecutionProvider"]
                )
                named = dict(zip(self.names, tensors, strict=True))
                feeds = {port.name: named[port.name].numpy() for port in session.get_inputs()}
                tolerances = hostile.tolerances(self.name, label, tensors)
                why = self._differs(session.run(None, feeds), wanted, tensors, *tolerances)
            except Exception as error:  # noqa: BLE001
                why = f"run: {first_line(error)}"
            if why:
                wrong[label] = why
            if why and not number:
                break
        return wrong

    def _differs(
        self,
        outputs: list[Any],
        wanted: list[Any],
        tensors: tuple[Any, ...],
        rtol: float | None,
        atol: float | None,
    ) -> str:
        import torch

        if len(outputs) != len(wanted):
            return f"values: {len(outputs)} results, not {len(wanted)}"
        for place, (array, expected) in enumerate(zip(outputs, wanted, strict=True)):
            actual = torch.from_numpy(array)
            if place and self._any_of_equals and hostile.points_at(tensors[0], wanted[0], actual):
                continue
            expected = expected.resolve_conj().resolve_neg()
            if place in self._vectors and actual.shape == expected.shape:
                dimension = self._vectors[place]
                count = min(tensors[0].shape[-2:])
                actual, expected = hostile.determined(actual, expected, dimension, count)
                along = (actual * expected).sum(dimension, keepdim=True)
                actual = torch.where(along < 0, -actual, actual)
            arrays = runners.as_array(expected), runners.as_array(actual)
            for why in comparison.compare(arrays[:1], arrays[1:], rtol, atol)[1]:
                return f"values: {why}"
        return ""


def root_of(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return first_line(error)


def first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines)[:400]}"


def forked(work: Callable[[], str], seconds: float = _SECONDS) -> str:
    """Return the answer of work in its own process, also if that crashes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            with quiet():
                text = work()
        except BaseException as error:  # noqa: BLE001
            text = f"sample: {first_line(error)}"
        os.write(writing, text.encode()[:60_000])
        os._exit(0)
    os.close(writing)
    answer = b""
    end = time.monotonic() + seconds
    while select.select([reading], [], [], max(end - time.monotonic(), 0))[0]:
        part = os.read(reading, 65536)
        if not part:
            break
        answer += part
    else:
        os.kill(child, signal.SIGKILL)
        answer = b"crash: it takes too long"
    os.close(reading)
    os.waitpid(child, 0)
    return answer.decode() or "crash: the process ended"


class quiet:
    """Suppress output and warnings."""

    def __enter__(self) -> None:
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("ignore")
        sys.stdout.flush()
        self._kept = os.dup(1), os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.close(nowhere)

    def __exit__(self, *_: object) -> None:
        self._warnings.__exit__(None, None, None)
        for number, kept in enumerate(self._kept, 1):
            os.dup2(kept, number)
            os.close(kept)


def write_table() -> None:
    """Write the measurements into the document, between two marks."""
    rows = ["| exporter | | samples | right | of |", "| --- | --- | --- | --- | --- |"]
    for exporter, opset in OPSETS.items():
        for who, title in (("stock", "PyTorch alone"), ("gallery", "with the gallery")):
            for count, ending in (("1", ""), ("up to 6", "-6")):
                file = RESULTS / f"{who}-{exporter}{ending}.json"
                if file.exists():
                    results = json.loads(file.read_text())
                    right = sum(why == "right" for why in results.values())
                    bar = "█" * round(40 * right / len(results))
                    name = f"{exporter}, opset {opset} | {title} | {count}"
                    rows.append(f"| {name} | {right} {bar} | {len(results)} |")
    documents.write_between(PAGE, BEGIN, END, "\n".join(rows))


if __name__ == "__main__":
    main()
