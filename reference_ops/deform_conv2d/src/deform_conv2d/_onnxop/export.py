"""Writes models that call the operators to ONNX, with either exporter, and checks what it wrote."""

from __future__ import annotations

import io
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from . import calls, nodes, opsets, optimizer, refusals, rules, ways
from .calls import Model
from .exporters import TORCH_TYPES, returned
from .functions import nodes_of
from .nodes import shared

DynamicAxes = Mapping[str, Mapping[int, str]] | Mapping[str, Sequence[int]]
DynamicShapes = dict[str, Any] | tuple[Any, ...] | list[Any]
Table = dict[Callable[..., Any], Callable[..., Any]]

Domain = str | Mapping[str, str]

# PyTorch 2.10 has none.
_EXPORTABLE: tuple[Any, ...] = (
    (torch.onnx.ExportableModule,) if hasattr(torch.onnx, "ExportableModule") else ()
)


def translation_table() -> Table:
    """The rules by operator, for ``torch.onnx.export(custom_translation_table=...)``.

    `export` passes them by itself; the TorchScript exporter needs nothing but the import.
    """
    return rules.translation_table()


shared["tables"][__name__] = translation_table


def export(
    model: Model,
    args: Tensor | tuple[Any, ...] = (),
    f: str | os.PathLike[str] | io.BytesIO | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: DynamicShapes | None = None,
    custom_translation_table: Table | None = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: str | os.PathLike[str] = ".",
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: DynamicAxes | None = None,
    training: torch.onnx.TrainingMode = torch.onnx.TrainingMode.EVAL,
    operator_export_type: torch.onnx.OperatorExportTypes = torch.onnx.OperatorExportTypes.ONNX,
    do_constant_folding: bool = True,
    custom_opsets: Mapping[str, int] | None = None,
    export_modules_as_functions: bool | Collection[type[torch.nn.Module]] = False,
    autograd_inlining: bool = True,
    domain: Domain | None = None,
    ir_version: int | None = None,
) -> torch.onnx.ONNXProgram | None:
    """`torch.onnx.export` for a model that calls the package's operators: its arguments, ``domain`` and
    ``ir_version``.

    A file appears once it has passed the checks.

    Args:
        model: the model, in the mode (``eval()``) in which it is to be exported; one of
            ``torch.jit`` with ``dynamo=False`` alone. It may call the operators of other packages
            that onnxop made, too.
        args: its positional arguments; a dictionary at the end holds keyword arguments, where
            ``kwargs`` has none. Tensors become the graph's inputs, anything else is fixed.
        f: the file to write; its folder must exist.
        kwargs: its keyword arguments, likewise.
        input_names: the names of the graph's inputs, in order; by default those of
            ``model.forward``.
        output_names: the names of the graph's outputs.
        opset_version: the opset of the default ONNX domain; by default 20, or the nearest at which
            the exporter can write the package's operator, if it has one alone.
        dynamo: True for the dynamo exporter, False for the TorchScript exporter.
        dynamic_shapes: the dimensions that stay open, as ``torch.export.export`` takes them; for
            the dynamo exporter alone, as in PyTorch. One that torch.export fixes at a size, or at
            near sizes of which PyTorch goes another way through the model, is refused, but for
            ``Dim.AUTO``.
        dynamic_axes: the same for either exporter, by the name of an input and the dimension:
            ``{"x": {0: "batch"}}`` or ``{"x": [0]}``.
        domain: "" for standard nodes; a name of your own for one node of that domain a call, with
            the mapping as its function body; a dictionary where the operators differ:
            ``{"my_lib::my_add": "my_lib"}``. By default what the specs say. The package's library
            serves the operators' own domains, and others that `session_options` is given.
        ir_version: the version of ONNX's file format; by default the lowest that the model needs, as
            older runtimes refuse what is above theirs.

    Every other argument means what it means to ``torch.onnx.export``.

    Returns:
        What ``torch.onnx.export`` returns: of the dynamo exporter a program, which is what is in
        the file; of the TorchScript exporter nothing.

    Raises:
        ValueError: the exporter cannot write the opset or the file, or names do not fit the inputs.
        TypeError: an argument is of a wrong type.
        RuntimeError: the exporter wrote another opset than asked for, or an invalid model.
    """
    options = dict(locals())
    for name in ("model", "args", "f", "kwargs", "domain", "ir_version"):
        del options[name]
    # Where these have been through torch.export, there is nothing left for TorchScript.
    dynamo = dynamo or isinstance(model, (torch.export.ExportedProgram, *_EXPORTABLE))
    if isinstance(model, _EXPORTABLE) and not args and not kwargs:
        args, kwargs = model.example_arguments()
        input_names = input_names or model.input_names()
        options["output_names"] = output_names or model.output_names()
        options["dynamic_shapes"] = dynamic_shapes or model.dynamic_shapes()
    _check_model_type(model, dynamo)
    _check_destination(f, dynamo)
    if dynamic_shapes and not dynamo:
        raise ValueError(
            "dynamic_shapes is for the dynamo exporter; with dynamo=False write "
            'dynamic_axes={"x": {0: "batch"}}'
        )
    domains = nodes.checked_domains(domain)
    opset = opsets.checked(dynamo, opset_version, domains)
    inputs = calls.input_tensors(model, args, kwargs, input_names)
    if dynamo and len(input_names or ()) > len(inputs):
        raise ValueError(
            f"input_names has {len(input_names or ())} names, but the inputs are {len(inputs)}; "
            "give one name for each"
        )
    call: Call = (model, *calls.split_arguments(args, kwargs))
    options |= {"dynamo": dynamo, "opset_version": opset, "input_names": list(inputs)}
    if isinstance(model, torch.export.ExportedProgram):
        if dynamic_axes:
            raise ValueError(
                "dynamic_axes comes too late for an ExportedProgram, whose axes are open or not; "
                "write torch.export.export(..., dynamic_shapes=...)"
            )
        options["input_names"] = input_names
    else:
        axes = calls.checked_axes(dynamic_axes or {}, inputs, output_names or ())
        bound = calls.bind(model, args, kwargs)
        call = (model, bound.args, bound.kwargs)
        if not dynamo and not calls.takes_tensors_only(bound):
            if calls.is_script(model):
                raise TypeError(
                    f"{opsets.NAMES[False]} makes inputs of the numbers of a {type(model).__name__}; "
                    "give it one that takes tensors alone"
                )
            call = (calls.TensorsOnly(model, bound), tuple(inputs.values()), {})
        options["dynamic_axes"] = None if dynamo else axes
        if not dynamo:
            options["input_names"] = [*inputs, *(input_names or ())[len(inputs) :]]  # of parameters
        elif axes and options["dynamic_shapes"] is None:
            options["dynamic_shapes"] = calls.dynamic_shapes(bound, iter(inputs), axes)
    with shared["lock"], _exported(dynamo, opset, domains), _folder_for(f) as folder:
        name = Path(f).name if isinstance(f, str | os.PathLike) else "model.onnx"
        program: torch.onnx.ONNXProgram | None = None
        if dynamo:
            program = _dynamo(call, Path(folder, name), options, ir_version)
        else:
            _torchscript(call, Path(folder, name), options, ir_version)
        _deliver(Path(folder), name, f)
    return program


Call = tuple[Any, tuple[Any, ...], dict[str, Any]]


def _dynamo(
    call: Call, path: Path, options: dict[str, Any], ir_version: int | None
) -> torch.onnx.ONNXProgram:
    model, args, kwargs = call
    tables = [table() for table in shared["tables"].values()]
    given = options["custom_translation_table"] or {}
    options["custom_translation_table"] = {k: v for t in (*tables, given) for k, v in t.items()}
    if not kwargs and args and isinstance(args[-1], dict):
        args = (*args, {})  # torch takes a dictionary at the end for the keywords
    is_verified = options["verify"] and bool(_domains())  # without their bodies, nodes do not run
    if is_verified:
        options["verify"] = False
    try:
        with optimizer.exact(), optimizer.sparing(), optimizer.quick():
            program = torch.onnx.export(model, args, kwargs=kwargs, **options)
    except torch.onnx.errors.OnnxExporterError as error:
        if told := refusals.retold(error, calls.parameters(model)):
            raise told from error
        raise
    if program is None:
        raise RuntimeError("the dynamo exporter returned no program")
    program.model.graph.sort()  # onnxscript's optimizer puts nodes before what they take, at times
    nodes.check_left_out(program.model)
    _cast_results(program)
    _name_inputs(program.model.graph, options["input_names"] or [])
    _fix_sizes(program)
    if options["dynamic_shapes"] and not isinstance(model, torch.export.ExportedProgram):
        bound = calls.bind(model, args, kwargs)
        shapes = options["dynamic_shapes"]
        axes = list(calls.open_axes(bound, shapes, iter(options["input_names"])))
        _check_open(program.model.graph, axes)
        names = [str(value.name) for value in program.model.graph.inputs]
        for way in ways.others(program.exported_program, (model, args, kwargs), names, shapes):
            if way[:2] in axes:
                raise ValueError(refusals.other_way(*way))
    if not options["output_names"]:
        _name_results(program.model.graph)
    _complete(program, options["opset_version"], options["custom_opsets"] or {}, ir_version)
    if is_verified:
        _verify(program)
    whole = path if options["export_params"] else path.with_name(f"whole_{path.name}")
    as_inputs, external = options["keep_initializers_as_inputs"], options["external_data"]
    program.save(whole, keep_initializers_as_inputs=as_inputs, external_data=external)
    _check_model(whole, options["opset_version"], dynamo=True)
    if whole != path:  # the checks take a model that lacks its weights for an invalid one
        for file in path.parent.iterdir():
            file.unlink()
        program.save(
            path,
            include_initializers=False,
            keep_initializers_as_inputs=as_inputs,
            external_data=external,
        )
    return program


def _torchscript(call: Call, path: Path, options: dict[str, Any], ir_version: int | None) -> None:
    import onnx

    model, args, kwargs = call
    opset, given = options["opset_version"], options["custom_opsets"] or {}
    # Where a node is called like the operator, torch looks for a symbolic of this version. Which domains
    # the model uses shows while it is exported: torch prints a line for any other.
    options["custom_opsets"] = shared["imports"]
    options["custom_opsets"].update(given)
    torch.onnx.export(model, args, str(path), kwargs=kwargs or None, **options)
    written = onnx.load(path, load_external_data=False)
    _add_bodies(written, opset, given)
    if not options["output_names"]:
        _name_outputs(written.graph)
    onnx.helper.set_model_props(written, _metadata(written))
    written.ir_version = opsets.ir_version(written, ir_version)
    onnx.save(written, path)
    try:
        _check_model(path, opset, dynamo=False)
    except RuntimeError as error:
        if not isinstance(error.__cause__, onnx.shape_inference.InferenceError):
            raise
        onnx.save(_with_inferred_sizes(written), path)
        with suppress(RuntimeError):
            _check_model(path, opset, dynamo=False)
            return
        raise


def _with_inferred_sizes(model: Any) -> Any:
    """The model with the sizes that ONNX infers in place of the exporter's, which are wrong where tensors
    have no elements.
    """
    import onnx

    bare = type(model)()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        output.type.tensor_type.ClearField("shape")
    found = onnx.shape_inference.infer_shapes(bare)
    for output, given in zip(found.graph.output, model.graph.output, strict=True):
        if not output.type.tensor_type.HasField("shape"):
            output.CopyFrom(given)
    return found


def _domains() -> set[str]:
    """The domains other than the default one that operators are exported in at the moment."""
    return {domain() for domain, _ in shared["nodes"].values()} - {""}


def _metadata(model: Any) -> dict[str, str]:
    """The model's metadata, with what wrote the operators."""
    found = {entry.key: entry.value for entry in model.metadata_props}
    return found | dict(sorted(shared["written"].items()))


def _name_outputs(graph: Any) -> None:
    """Gives outputs that torch calls by a number, or by a name with a number, names that can be read."""
    nodes_here = nodes_of(graph)
    given = {entry.name for entry in (*graph.input, *graph.initializer)}  # by the caller
    taken = given | {name for node in nodes_here for name in node.output}
    words: dict[str, str] = {}
    for position, entry in enumerate(graph.output):
        found = re.fullmatch(r"(?:(\w+)\.)?\d+", entry.name)
        if found and entry.name not in given | words.keys():
            number = "" if len(graph.output) == 1 else f"_{position}"
            words[entry.name] = _free(found[1] or f"output{number}", taken)
    for entry in (*graph.output, *graph.value_info):
        entry.name = words.get(entry.name, entry.name)
    for node in nodes_here:
        node.input[:] = [words.get(name, name) for name in node.input]
        node.output[:] = [words.get(name, name) for name in node.output]


def _free(name: str, taken: set[str]) -> str:
    """The name, or the first with a number behind it that is not taken; it is from then on."""
    numbered = (f"{name}_{number}" for number in count(1))
    found = next(word for word in chain([name], numbered) if word not in taken)
    taken.add(found)
    return found


def _add_bodies(model: Any, opset: int, versions: Mapping[str, int]) -> None:
    """Adds the function bodies of all operators that were exported as nodes of a domain."""
    domains = _domains()
    for entry in model.opset_import:
        if entry.domain in domains:
            entry.version = versions.get(entry.domain, nodes.version_of(entry.domain))
    for domain, add in shared["nodes"].values():
        if domain():
            add(model, domain(), opset)
    for function in model.functions:  # of modules, where torch was asked for these
        known = {entry.domain for entry in function.opset_import}
        for domain in {node.domain for node in function.node} & (domains - known):
            version = versions.get(domain, nodes.version_of(domain))
            function.opset_import.add(domain=domain, version=version)


def _complete(
    program: torch.onnx.ONNXProgram,
    opset: int,
    versions: Mapping[str, int],
    ir_version: int | None,
) -> None:
    """Adds function bodies and metadata to a program, whose weights stay where they are."""
    import onnx
    from onnxscript import ir

    graph = program.model.graph
    _rename_doubles(graph)
    weights = dict(graph.initializers)
    graph.initializers.clear()
    try:
        model = ir.to_proto(program.model)
    finally:
        graph.initializers.update(weights)
    model.graph.value_info.extend(
        onnx.helper.make_tensor_value_info(name, int(value.dtype), None)
        for name, value in weights.items()
        if value.dtype is not None
    )
    _add_bodies(model, opset, versions)
    for proto in model.functions:
        function = ir.from_proto(proto)
        program.model.functions.setdefault(function.identifier(), function)
    for node, written in zip(graph.all_nodes(), nodes_of(model.graph), strict=True):
        node.op_type = written.op_type
        for attribute in written.attribute:
            if attribute.name not in node.attributes:
                node.attributes.add(ir.from_proto(attribute))
        node.resize_inputs(len(written.input))
    graph.opset_imports.update({entry.domain: entry.version for entry in model.opset_import})
    program.model.metadata_props.update(_metadata(model))
    program.model.ir_version = opsets.ir_version(model, ir_version)


def _name_inputs(graph: Any, names: Sequence[str]) -> None:
    """Calls an input that is a result, too, as was asked for: PyTorch 2.10 adds ``_orig``."""
    for value, name in zip(graph.inputs, names, strict=False):
        if value.name == f"{name}_orig":
            value.name = name


def _cast_results(program: torch.onnx.ONNXProgram) -> None:
    """Has outputs cast to what they are in PyTorch: where its exporter computes one in float32 and casts it
    to float16, it returns what it has not cast yet, by the name that the result had before.
    """
    from onnxscript import ir

    pairs = returned(program.exported_program)
    graph: Any = program.model.graph
    if len(pairs) != len(graph.outputs):  # a result may be several values
        return
    for place, (argument, node) in enumerate(pairs):
        if argument.name == node.name:
            continue
        value, name = graph.outputs[place], graph.outputs[place].name
        dtype = node.meta["val"].dtype
        kind = next(ir.DataType[word] for word, each in TORCH_TYPES.items() if each == dtype)
        if value.dtype != kind:
            cast = ir.node("Cast", [value], {"to": kind})
            (made,) = cast.outputs
            made.dtype, made.shape, value.name, made.name = (
                kind,
                value.shape,
                f"{name}_uncast",
                name,
            )
            graph.append(cast)
            graph.outputs[place] = made


def _fix_sizes(program: torch.onnx.ONNXProgram) -> None:
    """Says of an axis that torch.export has at one size, that it is of that size: it may stand as open."""
    ranges = getattr(program.exported_program, "range_constraints", {})
    sizes = {str(word): int(each.lower) for word, each in ranges.items() if each.is_singleton()}
    for value in (*program.model.graph.inputs, *program.model.graph.outputs):
        shape: Any = value.shape or ()
        for d, size in enumerate(shape):
            word = str(getattr(size, "value", size))
            shape[d] = sizes.get(word, size)


def _check_open(graph: Any, wanted: Sequence[tuple[str, int]]) -> None:
    """Raises ValueError where an axis that was to be open is not."""
    shapes = {value.name: value.shape for value in graph.inputs}
    fixed = [(name, d, shapes[name][d]) for name, d in wanted if isinstance(shapes[name][d], int)]
    if fixed:
        raise ValueError(refusals.not_open(fixed))


def _name_results(graph: Any) -> None:
    """Calls outputs as the operators call their results, where torch has a number for them."""
    taken = {value.name for node in graph.all_nodes() for value in node.outputs}
    taken |= {value.name for value in graph.inputs} | {*graph.initializers}
    for output in graph.outputs:
        result = output.meta.get(rules.RESULT)
        if result is not None and re.fullmatch(r"getitem(_\d+)?", output.name or ""):
            output.name = _free(result, taken)


def _rename_doubles(graph: Any) -> None:
    """Renames what nodes give where an input is called the same, as the result of a model that
    returns its input is: torch gives inputs their names last.
    """
    inputs = {value.name for value in graph.inputs}
    results = [result for node in graph.all_nodes() for result in node.outputs]
    taken = inputs | {result.name for result in results} | {*graph.initializers}
    for result in results:
        if result.name in inputs:
            name = f"{result.name}_output"
            while name in taken:
                name += "_"
            taken.add(name)
            result.name = name


def _verify(program: torch.onnx.ONNXProgram) -> None:
    """Says where ONNX Runtime is far from PyTorch, by the measure of ``torch.onnx.export``."""
    import torch.onnx.testing

    try:
        torch.onnx.testing.assert_onnx_program(program, rtol=1e-1, atol=5e-3)
    except Exception as error:  # noqa: BLE001 - a runtime that refuses the model is worth a word, too
        warnings.warn(f"verify: ONNX Runtime and PyTorch differ: {error}", stacklevel=4)
    finally:
        program.release()


def _folder_for(f: Any) -> tempfile.TemporaryDirectory[str]:
    """A folder to write in, on the disk where the file is to be."""
    parent = Path(f).parent if isinstance(f, str | os.PathLike) else None
    return tempfile.TemporaryDirectory(dir=parent, prefix=".onnxop-")


def _deliver(folder: Path, name: str, f: Any) -> None:
    """Puts what was written where it was asked for, the model itself last."""
    if isinstance(f, io.BytesIO):
        f.write(Path(folder, name).read_bytes())
    elif f is not None:
        for file in sorted(folder.iterdir(), key=lambda file: file.name == name):
            os.replace(file, Path(f).parent / file.name)


@contextmanager
def _exported(dynamo: bool, opset: int, domains: Mapping[str, str]) -> Iterator[None]:
    """While it lasts, the operators are exported in these domains, at this opset.

    Raises:
        ValueError: the model calls an operator that the exporter cannot write there; it says more
            than what the exporter makes of it.
    """
    before = {key: shared.get(key) for key in ("target", "refused", "written", "imports")}
    shared.update(target=(dynamo, opset), refused=[], written={}, imports={})
    is_logged = torch._C._jit_is_onnx_log_enabled()
    try:
        with nodes.exported_in(domains), nullcontext() if dynamo else rules.asked_at(opset):
            yield
    except Exception:
        if shared["refused"]:
            raise shared["refused"][0] from None
        raise
    finally:
        shared.update(before)
        torch._C._jit_set_onnx_log_enabled(is_logged)


def _check_model_type(model: Any, dynamo: bool) -> None:
    if not (
        isinstance(model, torch.nn.Module | torch.export.ExportedProgram) or calls.is_script(model)
    ):
        raise TypeError(
            f"model must be a torch.nn.Module, but it is a {type(model).__name__}; call it from a "
            "module's forward"
        )
    if dynamo and calls.is_script(model):
        raise TypeError(
            f"{opsets.NAMES[True]} takes no {type(model).__name__} of torch.jit; give the module that it "
            "was made of, or dynamo=False"
        )


def _check_destination(f: Any, dynamo: bool) -> None:
    if f is None and not dynamo:
        raise ValueError(
            f"f is missing: {opsets.NAMES[False]} returns nothing; give the path of a file"
        )
    if f is None or isinstance(f, io.BytesIO):
        return
    path = Path(f)
    if path.is_dir() or not path.name:
        raise ValueError(f"cannot write {path}: it is a folder; give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: the folder {path.parent} does not exist")


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
        what = _misfit(str(error), opset) or error
        raise RuntimeError(f"{opsets.NAMES[dynamo]} wrote an invalid model: {what}") from error


def _misfit(error: str, opset: int) -> str:
    """What is to be done where a node is given a tensor of a type that it does not take; else nothing."""
    found = re.search(
        r"\(op_type:(\w+)[^()]*\): \w+ typestr: .* unsupported type: tensor\((\w+)\)", error
    )
    if not found or not shared["written"]:
        return ""
    callees = " or ".join(key.removeprefix("onnxop.") for key in shared["written"])
    op_type, kind = found.groups()
    return (
        f"ONNX's {op_type} takes no {kind} at opset {opset}; give {callees} tensors of another dtype, or, "
        "in a spec of your own, write the mapping with a Cast"
    )
