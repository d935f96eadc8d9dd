"""Writes models that call the operators to ONNX, with either exporter, and checks what it wrote."""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from . import nodes, opsets, rules
from .nodes import shared
from .operator import OPERATORS

DynamicAxes = Mapping[str, Mapping[int, str]]
Table = dict[Callable[..., Any], Callable[..., Any]]

Domain = str | Mapping[str, str]


def translation_table() -> Table:
    """The rules by operator, for ``torch.onnx.export(custom_translation_table=...)``.

    `export` passes them by itself; the TorchScript exporter needs nothing but the import.
    """
    return {
        overload: rules.translation(operator)
        for operator in OPERATORS
        for overload in operator.overloads
    }


shared["tables"][__name__] = translation_table


def export(
    model: torch.nn.Module,
    args: Tensor | tuple[Any, ...],
    path: str | os.PathLike[str],
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamo: bool = True,
    opset: int | None = None,
    domain: Domain | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    dynamic_axes: DynamicAxes | None = None,
    **options: Any,
) -> Path:
    """Exports a model that calls the package's operators. The file appears once it has passed the checks.

    Args:
        model: the model, in the mode (``eval()``) in which it is to be exported. It may call the
            operators of other packages that onnxop made, too.
        args: its positional arguments. Tensors become the graph's inputs, anything else is fixed.
        path: the file to write; its folder must exist.
        kwargs: its keyword arguments, likewise.
        dynamo: True for the dynamo exporter, False for the TorchScript exporter.
        opset: the opset of the default ONNX domain; by default 20, or the nearest that the
            exporter can write.
        domain: "" for standard nodes; a name of your own for one node of that domain a call, with
            the mapping as its function body; a dictionary where the operators differ:
            ``{"my_lib::my_add": "my_lib"}``. By default what the specs say. The package's library
            serves the operators' own domains, and others that `session_options` is given.
        input_names: the names of the graph's inputs; by default those of ``model.forward``.
        output_names: the names of the graph's outputs.
        dynamic_axes: the dimensions that stay open, by input name and dimension:
            ``{"x": {0: "batch"}}``.
        options: passed on to ``torch.onnx.export``.

    Returns:
        The path of the file.

    Raises:
        ValueError: the exporter cannot write the opset or the path, or names do not fit the inputs.
        TypeError: an argument is of a wrong type.
        RuntimeError: the exporter wrote another opset than asked for, or an invalid model.
    """
    path = Path(path)
    _check_path(path)
    domains = nodes.checked_domains(domain)
    opset = opsets.checked(dynamo, opset, domains)
    inputs = named_tensors(model, args, kwargs)
    names = _checked_names([name for name, _ in inputs], input_names)
    tensors = dict(zip(names, (tensor for _, tensor in inputs), strict=True))
    axes = _checked_axes(dynamic_axes or {}, tensors)
    bound = _bind(model, args, kwargs)
    called, positional, keywords = model, bound.args, bound.kwargs
    if dynamo:
        tables = [table() for table in shared["tables"].values()]
        given = options.get("custom_translation_table", {})
        options["custom_translation_table"] = {k: v for t in (*tables, given) for k, v in t.items()}
        if axes:
            options["dynamic_shapes"] = _dynamic_shapes(bound, iter(names), axes)
        if not keywords and positional and isinstance(positional[-1], dict):
            positional = (*positional, {})  # torch takes a dictionary at the end for the keywords
    else:
        if not _takes_tensors_only(model, bound):
            called, positional, keywords = _TensorsOnly(model, bound), tuple(tensors.values()), {}
        if axes:
            options["dynamic_axes"] = axes
    with (
        shared["lock"],
        _exported(dynamo, opset, domains),
        tempfile.TemporaryDirectory(dir=path.parent, prefix=".onnxop-") as folder,
    ):
        written = Path(folder, path.name)
        own = {name() for name, _ in shared["nodes"].values()} - {""}
        if not dynamo and own:
            # Where a node is called like the operator, torch looks for a symbolic of this version.
            versions = dict.fromkeys(own, opset)
            options["custom_opsets"] = {**options.get("custom_opsets", {}), **versions}
        torch.onnx.export(
            called,
            positional,
            str(written),
            kwargs=keywords,
            dynamo=dynamo,
            opset_version=opset,
            input_names=names,
            output_names=list(output_names) if output_names is not None else None,
            **{"verbose": False, "external_data": _is_large(model), **options},
        )
        _add_bodies(written, opset)
        _check_model(written, opset, dynamo)
        for file in sorted(Path(folder).iterdir(), key=lambda file: file == written):
            os.replace(file, path.parent / file.name)
    return path


@contextmanager
def _exported(dynamo: bool, opset: int, domains: Mapping[str, str]) -> Iterator[None]:
    """While it lasts, the operators are exported in these domains, at this opset.

    Raises:
        ValueError: the model calls an operator that the exporter cannot write there; it says more
            than what the exporter makes of it.
    """
    new = [
        operator
        for operator in OPERATORS
        if domains[str(operator)] and not dynamo and opset not in operator.torchscript
    ]
    before = {key: shared.get(key) for key in ("target", "refused")}
    shared.update(target=(dynamo, opset), refused=[])
    try:
        with nodes.exported_in(domains):
            for operator in new:
                rules.register_at(operator, opset)
            try:
                yield
            finally:
                for operator in new:
                    rules.unregister_at(operator, opset)
    except Exception:
        if shared["refused"]:
            raise shared["refused"][0] from None
        raise
    finally:
        shared.update(before)


def _add_bodies(path: Path, opset: int) -> None:
    """Adds the function bodies of all operators that were exported as nodes of a domain."""
    import onnx

    nodes = [(domain(), add) for domain, add in shared["nodes"].values() if domain()]
    if not nodes:
        return
    model = onnx.load(path, load_external_data=False)
    domains = {name for name, _ in nodes}
    imports = [entry for entry in model.opset_import if entry.domain in domains]
    for entry in imports:
        entry.version = 1
    for name, add in nodes:
        add(model, name, opset)
    if imports:
        onnx.save(model, path)


def named_tensors(
    model: torch.nn.Module, args: Tensor | tuple[Any, ...], kwargs: Mapping[str, Any] | None = None
) -> list[tuple[str, Tensor]]:
    """The tensors among a model's arguments, in order, by the names of ``forward``'s parameters.

    A tensor in a container has its place behind the name: ``states_0``.
    """
    bound = _bind(model, args, kwargs)
    return [pair for name, value in bound.arguments.items() for pair in _tensors(name, value)]


def _bind(
    model: torch.nn.Module, args: Tensor | tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> inspect.BoundArguments:
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model must be a torch.nn.Module, but it is a {type(model).__name__}")
    args = args if isinstance(args, tuple) else (args,)
    return inspect.signature(model.forward).bind(*args, **(kwargs or {}))


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _tensors(f"{name}_{position}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tensors(f"{name}_{key}", item)


def _with_tensors(value: Any, replace: Callable[[Tensor], Any], otherwise: Any = ...) -> Any:
    """The value with its tensors replaced; what else it holds becomes ``otherwise``, if given."""
    if isinstance(value, Tensor):
        return replace(value)
    if isinstance(value, list | tuple):
        items = [_with_tensors(item, replace, otherwise) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _with_tensors(item, replace, otherwise) for key, item in value.items()}
    return value if otherwise is ... else otherwise


class _TensorsOnly(torch.nn.Module):
    """A model as a function of its tensors: the TorchScript exporter makes inputs of numbers."""

    def __init__(self, model: torch.nn.Module, bound: inspect.BoundArguments) -> None:
        super().__init__()
        self.model, self.bound = model, bound
        self.training = model.training

    def forward(self, *tensors: Tensor) -> Any:
        feed = iter(tensors)
        args = _with_tensors(self.bound.args, lambda _: next(feed))
        kwargs = _with_tensors(self.bound.kwargs, lambda _: next(feed))
        return self.model(*args, **kwargs)


def _takes_tensors_only(model: torch.nn.Module, bound: inspect.BoundArguments) -> bool:
    parameters = inspect.signature(model.forward).parameters.values()
    given = [
        value
        for parameter in parameters
        for value in (
            bound.arguments.get(parameter.name, ())
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL
            else [bound.arguments.get(parameter.name)]
        )
    ]
    return not bound.kwargs and all(isinstance(value, Tensor) for value in given)


def _dynamic_shapes(
    bound: inspect.BoundArguments, names: Iterator[str], axes: dict[str, dict[int, str]]
) -> dict[str, Any]:
    """The dynamic axes as ``torch.export`` wants them: in the shape of the arguments."""
    parameters = bound.signature.parameters
    shapes: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        shape = _with_tensors(value, lambda _: axes.get(next(names)), otherwise=None)
        if parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            shapes |= shape
        else:
            shapes[name] = shape
    return shapes


def _check_path(path: Path) -> None:
    if path.is_dir() or not path.name:
        raise ValueError(f"cannot write {path}: it is a folder; give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: the folder {path.parent} does not exist")


def _checked_names(found: list[str], given: Sequence[str] | None) -> list[str]:
    """The names of the inputs; those of ``forward`` unless others are given."""
    if given is None:
        return found
    names = list(given)
    if len(names) != len(found):
        raise ValueError(f"input_names has {len(names)} names, but the inputs are {found}")
    if len(set(names)) < len(names):
        raise ValueError(f"input_names has a name twice: {names}")
    return names


def _checked_axes(axes: DynamicAxes, tensors: dict[str, Tensor]) -> dict[str, dict[int, str]]:
    """The dynamic axes, dimensions counted from the front."""
    checked: dict[str, dict[int, str]] = {}
    for name, dimensions in axes.items():
        if name not in tensors:
            raise ValueError(f"dynamic_axes names {name!r}, but the inputs are {list(tensors)}")
        if not isinstance(dimensions, Mapping):
            example = '{"x": {0: "batch"}}'
            raise TypeError(f"dynamic_axes wants a dictionary by dimension: {example}")
        rank = tensors[name].dim()
        for dimension in dimensions:
            if not -rank <= dimension < rank:
                raise ValueError(f"dynamic_axes: {name} has no dimension {dimension}, only {rank}")
        checked[name] = {d % rank: str(axis) for d, axis in dimensions.items()}
    return checked


def _is_large(model: torch.nn.Module) -> bool:
    """Whether the weights may not fit into one protobuf file, which ends at 2 GB."""
    tensors = [*model.parameters(), *model.buffers()]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) > 1_500_000_000


def _check_model(path: Path, opset: int, dynamo: bool) -> None:
    """Raises RuntimeError unless the file is a valid model of the opset asked for."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    found = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if found != [opset]:
        raise RuntimeError(
            f"{opsets.NAMES[dynamo]} wrote opset {found} though {opset} was asked for: an operator "
            "of the model cannot be converted; ask for another opset"
        )
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise RuntimeError(f"{opsets.NAMES[dynamo]} wrote an invalid model: {error}") from error
