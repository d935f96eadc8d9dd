"""A name on the command line → a model and its example inputs, from a function or a ``.pt2`` file."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from onnxop_runtime import processes
from onnxop_runtime.exporting.replacement import namespaces
from onnxop_runtime.messages import did_you_mean, shown
from onnxop_runtime.specs.operator_lookup import MODULES
from onnxop_runtime.torch_internals import has_modes

from ...errors import OnnxopError
from ...trial import as_written, places
from ...trial.call import Call, Known
from ...trial.fresh import FreshProcess
from ...trial.outcome import Outcome
from .written_buffers import WrittenBuffers

_WANTED = (
    "return (model, args) or (model, args, kwargs), such as (model.eval(), (x,)); several sets of "
    "args are a list of tuples"
)


class TargetError(OnnxopError):
    """There is no model to scan; the text has the place, the fact and the remedy."""


@dataclass(frozen=True)
class Target:
    """A model or an exported program, its arguments, and the modules that it needs.

    ``others`` are the user's other sets of arguments, each ``(args, kwargs)``. `find_other_inputs`
    fills in the tensors of other ``values``, those of other ``sizes``, and the dynamic dimensions,
    ``axes``. ``process`` exports the model as it was before its first call. ``export_only`` are
    lines that the model runs in exports alone, with other results. ``beyond`` are inputs of sizes
    that torch.export's program refuses, if these are known. ``known`` are results of the model,
    and ``exact`` those in float64. ``written`` are the buffers that forward writes.
    """

    name: str
    model: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    others: tuple[tuple[tuple[Any, ...], Mapping[str, Any]], ...] = ()
    dynamic_shapes: Any = None
    values: tuple[tuple[Any, ...], ...] = ()
    sizes: tuple[tuple[Any, ...], ...] = ()
    axes: Mapping[int, Collection[int]] = field(default_factory=dict)
    process: FreshProcess | None = None
    export_only: tuple[places.Place, ...] = ()
    beyond: tuple[tuple[Any, ...], ...] | None = None
    known: tuple[Known, ...] = ()
    exact: tuple[Known, ...] = ()
    written: WrittenBuffers = field(default_factory=WrittenBuffers)

    @property
    def objects(self) -> list[object]:
        """The objects of the user: the model, and all its arguments."""
        return [self.model, self.args, self.kwargs, self.others, self.dynamic_shapes]

    def call(self, exporter: str) -> Call:
        """Return the call to try, at its own sizes."""
        model = self.module if exporter == "TorchScript" else self.model
        written = not self.is_program
        return Call(
            model,
            self.args,
            self.kwargs,
            others=self.values,
            is_as_written=written,
            known=self.known,
            exact=self.exact,
        )

    def dynamic(self, exporter: str) -> Call | None:
        """Return the call with dynamic dimensions, exported at other sizes and to be right at the
        first, too; None if PyTorch takes no other sizes.
        """
        if not self.sizes or not self.axes:
            return None
        first, (example, *others) = self.call(exporter), self.sizes
        axes = {} if first.is_program else self.axes
        sets = (tuple(first.tensors), *others)
        is_beyond = bool(axes) and not self.others and not self.dynamic_shapes
        if is_beyond and exporter == "TorchScript" and self.beyond is not None:
            sets, is_beyond = (*sets, *self.beyond), False  # torch.export need not run again
        return replace(first.with_tensors(example), axes=axes, others=sets, is_beyond=is_beyond)

    def with_known(self, outcomes: Collection[Outcome]) -> Target:
        """Return the target with what outcomes know: inputs of sizes beyond those that torch.export
        allows, and results in float64, unless each export changes what the model gives.
        """
        beyond = (outcome.beyond for outcome in outcomes if outcome.beyond is not None)
        complete = [outcome for outcome in outcomes if self.known and not outcome.dropped]
        exact = (*self.exact, *chain.from_iterable(outcome.exact for outcome in complete))
        return replace(self, beyond=next(beyond, self.beyond), exact=exact)

    def exported_for(self, exporter: str, outcome: Outcome) -> Call:
        """Return the call of which the file is an export that has this outcome: with dynamic
        dimensions if the sizes are the cause.
        """
        dynamic = self.dynamic(exporter) if outcome.fault == "sizes" else None
        return dynamic or self.call(exporter)

    def runs(self, place: places.Place) -> bool:
        """Return whether PyTorch alone runs the line as Python, for the example inputs."""
        file, line = place.innermost
        return (file, line) in places.lines_run(self.call("dynamo").returned, [file])

    @property
    def is_program(self) -> bool:
        """Return whether the model is an exported program, which has no Python code."""
        return not hasattr(self.model, "forward")

    @property
    def module(self) -> Any:
        """The model as a module."""
        if not self.is_program:
            return self.model
        module = self.model.module()
        # A program has no training mode, and raises when an exporter sets one.
        module.train = lambda mode=True: module
        return module

    @property
    def kinds_in_training(self) -> list[str]:
        """The types of its modules in training mode whose results depend on the mode."""
        if self.is_program:
            return []
        modules = (m for m in self.model.modules() if m.training and has_modes(m))
        return list(dict.fromkeys(type(m).__name__ for m in modules))

    @property
    def requires(self) -> tuple[str, ...]:
        """The modules whose import registers the model's operators, its own among them."""
        module = self.name.rpartition(":")[0]
        names = (*self.modules, *([module] if module else []))
        return tuple(Path(n).stem if n.endswith(".py") else n for n in names)

    @property
    def package(self) -> str:
        """The default name of a package of its ops."""
        stem = Path(self.name.partition(":")[0]).stem.partition(".")[0]
        name = "".join(c if c.isalnum() else "_" for c in stem).lower().strip("_")
        return f"{name or 'model'}_ops" if not name[:1].isdigit() else f"model_{name}_ops"


def load(name: str, requires: Sequence[str] = (), *, is_trusted: bool = False) -> Target:
    """Return the target of the command line: ``package.module:function``,
    ``path/to/file.py:function``, or the path of a ``.pt2`` file. The function's module is imported,
    which runs its code, and those that are required before it. ``is_trusted``: what a ``.pt2`` file
    holds may run.

    Raises:
        TargetError: the name is no target, or its code fails.
    """
    with redirect_stdout(sys.stderr):
        for module in requires:
            _imported(f"--requires {module}", module)
    if name.endswith(".pt2"):
        return _program(name, tuple(requires), is_trusted=is_trusted)
    module, colon, function = name.rpartition(":")
    if not colon or not module or not function.isidentifier():
        raise TargetError(
            f"{name}: is not a function; write package.module:function, file.py:function, or the "
            "path of a .pt2 file"
        )
    with redirect_stdout(sys.stderr):
        imported = _imported(name, module)
        try:
            build = getattr(imported, function, None)
        except (Exception, SystemExit) as error:  # of the module's own __getattr__
            raise TargetError(
                f"{name}: {module}.{function} raises {_format_error_with_line(error)}"
            ) from error
        if not callable(build):
            attributes = namespaces.attributes(imported)
            callables = [attribute for attribute, value in attributes.items() if callable(value)]
            hint = did_you_mean(function, callables) or f"; define it: {_WANTED}"
            raise TargetError(f"{name}: {module} has no function {function}{hint}")
        try:
            returned = build()
        except (Exception, SystemExit) as error:
            raise TargetError(
                f"{name}: {function}() raises {_format_error_with_line(error)}"
            ) from error
    return replace(_checked(name, returned), modules=tuple(requires))


def check_runs(target: Target) -> list[Any]:
    """Run the model, and return all its results. Raises TargetError if PyTorch itself cannot run it,
    or it returns nothing.
    """
    try:
        with processes.quiet():
            results = Call(target.model, target.args, target.kwargs).returned()
    except (Exception, SystemExit) as error:
        raise TargetError(
            f"{target.name}: the model itself raises {_format_error_with_line(error)}"
        ) from error
    if all(result is None for result in results):
        raise TargetError(
            f"{target.name}: the model returns nothing; return tensors from forward()"
        )
    return results


def _imported(name: str, module: str) -> Any:
    _look_in(Path.cwd())
    try:
        if module.endswith(".py"):
            return _file(Path(module))
        return importlib.import_module(module)
    except TargetError:
        raise
    except (Exception, SystemExit) as error:
        lacking = error.name if isinstance(error, ModuleNotFoundError) else ""
        if lacking and f"{module}.".startswith(f"{lacking}."):
            raise TargetError(
                f"{name}: no module {lacking} can be imported from {Path.cwd()}; write the name of "
                f"one that can, or a file: path/to/{module.rpartition('.')[2]}.py"
            ) from error
        raise TargetError(
            f"{name}: importing {module} raises {_format_error_with_line(error)}"
        ) from error


def _look_in(folder: Path) -> None:
    """Let this process, and those that it starts, import modules of the folder."""
    sys.path.insert(0, str(folder))
    others = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{others}" if others else str(folder)


def _file(path: Path) -> Any:
    if not path.is_file():
        raise TargetError(f"{path}: no such file")
    _look_in(path.resolve().parent)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _format_error_with_line(error: BaseException) -> str:
    """Return the exception as text, with the innermost line of the user's code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if places.is_users(frame.filename)]
    where = f", at {own[-1].filename}:{own[-1].lineno}" if own else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}{where}"


def _checked(name: str, returned: Any) -> Target:
    shapes = None
    match returned:
        case (model, dict() as kwargs):
            args: Any = ()
        case (model, args):
            kwargs = {}
        case (model, args, dict() as kwargs):
            pass
        case (model, args, dict() as kwargs, shapes):
            pass
        case _:
            raise TargetError(f"{name}: returns {shown(type(returned))}; {_WANTED}")
    if not isinstance(model, torch.nn.Module | torch.export.ExportedProgram):
        raise TargetError(f"{name}: the first returned value is no torch.nn.Module; {_WANTED}")
    others: list[Any] = []
    if isinstance(args, list) and len(args) > 1 and all(isinstance(item, tuple) for item in args):
        args, *others = args
    args = tuple(args) if isinstance(args, tuple | list) else (args,)
    if isinstance(model, torch.nn.Module):
        kwargs = as_written.in_order(model, kwargs)
    return Target(name, model, args, kwargs, (), tuple((other, kwargs) for other in others), shapes)


def _program(name: str, modules: tuple[str, ...], *, is_trusted: bool) -> Target:
    """Return the program in a file; import the modules that register its operators, as torchvision."""
    if not Path(name).is_file():
        raise TargetError(f"{name}: no such file")
    if not is_trusted:
        raise TargetError(
            f"{name}: loading it can run any code as you; give --trust if you trust its author"
        )
    for module in MODULES.values():
        with suppress(ImportError):
            importlib.import_module(module)
    try:
        with processes.quiet():
            program = torch.export.load(name)
    except Exception as error:
        raise TargetError(
            f"{name}: torch.export.load raises {_format_error_with_line(error)}; save it again "
            "with torch.export.save, or name the module that registers its operators with "
            "--requires MODULE"
        ) from error
    match program.example_inputs:
        case (tuple() | list() as args, dict() as kwargs) if args or kwargs:
            return Target(name, program, tuple(args), kwargs, modules)
        case None if not program.graph_signature.user_inputs:
            return Target(name, program, (), {}, modules)
    raise TargetError(
        f"{name}: has no example inputs (args, kwargs); save the program that torch.export.export "
        "returns"
    )
