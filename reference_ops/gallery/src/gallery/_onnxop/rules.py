"""A mapping as both exporters want it: TorchScript's symbolic, and dynamo's translation."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from functools import cache, wraps
from importlib import metadata
from typing import Any

import onnx
import torch
from torch.onnx import errors
from torch.onnx import symbolic_helper as _symbolic_helper
from torch.onnx._internal.torchscript_exporter import registration as _registration

from . import decomposed, nodes, opsets
from .operator import MEANINGLESS, OPERATORS, PACKAGE, Argument, Operator
from .optimizer import is_mistaken
from .writer import UNKNOWN_RANK, Body, Writer, as_written, check_integer, first, results_of

symbolic_helper: Any = _symbolic_helper
registry: Any = _registration.registry

TORCH_TYPES = {
    "FLOAT": torch.float32,
    "DOUBLE": torch.float64,
    "FLOAT16": torch.float16,
    "BFLOAT16": torch.bfloat16,
    "BOOL": torch.bool,
    "INT8": torch.int8,
    "INT16": torch.int16,
    "INT32": torch.int32,
    "INT64": torch.int64,
    "UINT8": torch.uint8,
    "UINT16": torch.uint16,
    "UINT32": torch.uint32,
    "UINT64": torch.uint64,
}
"""PyTorch's element types by ONNX's names."""


_CONSTANTS = {
    "value_float": torch.float32,
    "value_floats": torch.float32,
    "value_int": torch.int64,
    "value_ints": torch.int64,
}
_FIRST_ALLOWZERO = 14
_PROMOTED = frozenset(
    "Add Concat Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Pow Sub Where".split()
)
"""The nodes whose inputs the TorchScript exporter gives one type, as PyTorch would."""


class TorchScriptWriter(Writer):
    """Nodes by ``g.op``, at the opset that is exported."""

    def __init__(self, g: Any, opset: int) -> None:
        self._g, self._opset = g, opset

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        if op_type == "Constant" and attributes.keys() <= _CONSTANTS.keys():
            [(name, value)] = attributes.items()  # the exporter knows constants by tensors alone
            return self._g.op("Constant", value_t=torch.tensor(value, dtype=_CONSTANTS[name]))
        inputs, attributes = self._spelt_out(op_type, inputs, attributes)
        if op_type in _PROMOTED:
            inputs = self._of_their_type(inputs)
        named = {
            f"{name}_{_suffix(op_type, name, self._opset)}": value
            for name, value in attributes.items()
            if value is not None
        }
        if _outputs > 1:
            named["outputs"] = _outputs
        return self._g.op(op_type, *(nodes.given(self._g, value) for value in inputs), **named)

    def nesting(
        self,
        op_type: str,
        inputs: Sequence[Any],
        bodies: Mapping[str, Body],
        parameters: Sequence[Any],
        outputs: int,
    ) -> Any:
        scalars = [isinstance(each, str) for each in parameters]
        given = itertools.zip_longest(inputs, scalars)
        inputs = [self._as_scalar(value) if scalar else value for value, scalar in given]
        found = self._g.op(op_type, *inputs, outputs=outputs)
        node = (found[0] if outputs > 1 else found).node()
        tensor = torch._C.TensorType.get()
        kinds = [
            tensor.with_dtype(TORCH_TYPES[each]).with_sizes([])
            if isinstance(each, str)
            else tensor.with_dtype(each.type().dtype())
            for each in parameters
        ]
        outer = self._g
        for body in bodies.values():
            block = node.addBlock()
            self._g = dataclasses.replace(outer, block=block)
            values = [block.addInputToBlock() for _ in kinds]
            for value, kind in zip(values, kinds, strict=True):
                value.setType(kind)
            try:
                results = results_of(body, *values)
            finally:
                self._g = outer
            for result in results:
                block.registerOutput(result)
        own = len(results) - outputs  # a Loop's condition, which is no output
        for output, result in zip(node.outputs(), results[own:], strict=True):
            output.setType(tensor.with_dtype(result.type().dtype()))
        return found

    def _as_scalar(self, value: Any) -> Any:
        """A tensor of one element without dimensions: a Loop's, whose own the exporter's inference gives
        to the number of the round.
        """
        if value.type().varyingSizes() == []:
            return value
        return self._g.op("Reshape", value, self.constant([], like="INT64"))

    def _spelt_out(
        self, op_type: str, inputs: tuple[Any, ...], attributes: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A node with what ONNX lets it be without, where the exporter's inference of shapes ends the
        export for the lack of it.
        """
        if op_type == "Transpose" and attributes.get("perm") is None:
            return inputs, {"perm": list(reversed(range(self.rank(inputs[0]))))}
        if op_type == "Slice" and len(inputs) > 2 and inputs[3:4] in ((), (None,)):
            starts = inputs[1]
            axes = self.constant(list(range(self.size(starts, 0))), like=starts)
            return (*inputs[:3], axes, *inputs[4:]), attributes
        if op_type == "Reshape" and not attributes.get("allowzero"):
            return self._reshaped(*inputs, **attributes)
        return inputs, attributes

    def _reshaped(
        self, tensor: Any, wanted: Any, **attributes: Any
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What a Reshape that copies a size of 0 is given: the exporter's inference divides by that."""
        known, sizes = symbolic_helper._maybe_get_const(wanted, "is"), tensor.type().varyingSizes()
        if not isinstance(known, list) or sizes is None:
            return (tensor, wanted), attributes
        pairs = itertools.zip_longest(known, sizes[: len(known)])
        copied = [had if size == 0 else size for size, had in pairs]
        if 0 not in copied:
            return (tensor, wanted), attributes
        if -1 in copied or None in copied or self._opset < _FIRST_ALLOWZERO:
            raise ValueError(
                f"a tensor of sizes {sizes}, without any elements, is reshaped to {known} within the "
                "operator, which ONNX cannot say; export it with a tensor that has elements"
            )
        return (tensor, self.constant(copied, like="INT64")), {"allowzero": 1}

    def _of_their_type(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs of a node that the exporter converts to float32 where they are numbers, be they
        float64 by right: so none of them is one that it knows.
        """
        kinds: list[Any] = [None if value is None else value.type() for value in inputs]
        if any(kind is None or kind.dim() != 0 for kind in kinds):
            return inputs
        for place, value in enumerate(inputs):
            if kinds[place].dtype() == torch.float64 and value.node().kind() != "onnx::Constant":
                same = self._g.op("Identity", value)
                same.setType(torch._C.TensorType.get().with_dtype(torch.float64))
                return (*inputs[:place], same, *inputs[place + 1 :])
        return inputs

    def sizes(self, tensor: Any) -> Sequence[Any]:
        sizes: Sequence[Any] | None = tensor.type().varyingSizes()
        if sizes is None:
            raise ValueError(UNKNOWN_RANK)
        return sizes

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        like = first(like)
        dtype = TORCH_TYPES[like] if isinstance(like, str) else like.type().dtype()
        if dtype is None:
            raise ValueError(f"the element type of {like} is not known to the exporter")
        if not dtype.is_floating_point and not dtype.is_complex:
            check_integer(value, str(dtype), is_number=is_number)
        return self._g.op("Constant", value_t=torch.tensor(value, dtype=dtype))


class OnnxscriptWriter(Writer):
    """Nodes by onnxscript's opset, as the dynamo exporter traces them."""

    def __init__(self, opset: int) -> None:
        from onnxscript import values

        self._op = values.Opset("", opset)
        self._graphs = 0  # that nodes of this writer hold

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        if op_type == "Constant" and "value_float" in attributes:
            return self.constant(attributes["value_float"], like="FLOAT")
        found = getattr(self._op, op_type)(*inputs, **attributes)
        if not isinstance(found, list | tuple):
            return found
        # onnxscript gives every output that the op can have.
        return found[0] if _outputs == 1 else found[:_outputs]

    def nesting(
        self,
        op_type: str,
        inputs: Sequence[Any],
        bodies: Mapping[str, Body],
        parameters: Sequence[Any],
        outputs: int,
    ) -> Any:
        from onnxscript import evaluator, ir

        recorder: Any = evaluator.default()
        attributes = []
        for name, body in bodies.items():
            self._graphs += 1
            word = f"{name}_{self._graphs}"
            values = [
                ir.Value(type=ir.TensorType(ir.DataType[each]), shape=ir.Shape([]))
                if isinstance(each, str)
                else ir.Value(type=each.type)
                for each in parameters
            ]
            for place, value in enumerate(values):
                value.name = f"{word}_{place}"
            outer = recorder.nodes, recorder.constant_farm
            recorder.nodes, recorder.constant_farm = [], dict(recorder.constant_farm)
            try:
                results = results_of(body, *values)
            finally:
                written = recorder.nodes
                recorder.nodes, recorder.constant_farm = outer
            for place, value in enumerate(v for node in written for v in node.outputs):
                value.name = value.name or f"{word}_val_{place}"
            graph = ir.Graph(values, results, nodes=written, name=name)
            attributes.append(ir.AttrGraph(name, graph))
        version = self._op.version
        node = ir.Node("", op_type, inputs, attributes, num_outputs=outputs, version=version)
        recorder.nodes.append(node)
        return node.outputs if outputs > 1 else node.outputs[0]

    def sizes(self, tensor: Any) -> Sequence[Any]:
        if tensor.shape is None:
            raise ValueError(UNKNOWN_RANK)
        sizes: Sequence[Any] = tuple(tensor.shape)
        return sizes

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        from onnxscript import ir

        like = first(like)
        dtype = ir.DataType[like] if isinstance(like, str) else like.dtype
        if dtype is not None and dtype.is_integer():
            check_integer(value, dtype.name, is_number=is_number)
        if isinstance(value, float) and is_mistaken(value):
            return self._kept(value, dtype)
        tensor: Any = ir.tensor(value, dtype=dtype)
        return self._op.Constant(value=tensor)

    def _kept(self, value: float, dtype: Any) -> Any:
        """A number that onnxscript's optimizer would take for 0 or 1: it computes no ConstantOfShape, and
        so does not look at its value, be it called by torch.onnx.export or ever after.
        """
        from onnxscript import ir

        kind = ir.DataType.FLOAT if dtype == ir.DataType.BFLOAT16 else dtype
        negative: Any = ir.tensor([-value], dtype=kind)
        scalar = self._op.Constant(value=ir.tensor([], dtype=ir.DataType.INT64))
        # A Cast of it would become one with it, which has no bfloat16 before opset 20.
        number = self._op.Neg(self._op.ConstantOfShape(scalar, value=negative))
        return number if kind == dtype else self._op.Cast(number, to=dtype)


@cache
def _suffix(op_type: str, attribute: str, opset: int) -> str:
    """How ``g.op`` is told the kind of an attribute: ``i``, ``f``, ``s`` or ``t``."""
    kind: Any = onnx.defs.get_schema(op_type, opset).attributes[attribute].type
    name: str = kind.name
    return name[0].lower()


@cache
def symbolic(operator: Operator) -> Callable[..., Any]:
    """The rule as the TorchScript exporter wants it: ``symbolic(g, *arguments)``.

    TorchScript has no overloads, so it asks the rule of an existing operator for all of them, and it
    renames some operators before it asks (``aten::det`` to ``aten::linalg_det``): the rule of that
    name holds then.
    """

    if operator.is_decomposed:
        return _refusing(operator, _named(operator, decomposed.symbolic(operator)))

    def write(g: Any, *values: Any) -> Any:
        opsets.check_asked(operator)
        nodes.note(operator)
        kinds = operator.schema_arguments
        given = [
            _listed(value) if argument.is_tensor and argument.is_list else _plain(value)
            for argument, value in zip(kinds, values, strict=False)
        ]
        arguments = _arguments(operator, given)
        if domain := nodes.domain_of(operator):
            return nodes.torchscript(operator, g, domain, arguments)
        opset: int = g.opset
        results = _rule(operator, opset)(TorchScriptWriter(g, opset), **arguments)
        if isinstance(results, list):
            return g.op("prim::ListConstruct", *results)
        if isinstance(results, tuple) and g.original_node is not None:
            _check_unused(operator, results, list(g.original_node.outputs()))
        return results

    names = ["_g", *(argument.name for argument in operator.schema_arguments)]
    any_place = inspect.Parameter.POSITIONAL_ONLY
    write.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, any_place) for name in names]
    )
    kinds = [_parse_kind(argument) for argument in operator.schema_arguments]
    parsed: Callable[..., Any] = symbolic_helper.parse_args(*kinds)(write)
    least = sum(not argument.has_default for argument in operator.schema_arguments)

    @wraps(parsed)
    def checked(g: Any, *values: Any, **words: Any) -> Any:
        if not least <= len(values) <= len(kinds):
            node = g.original_node
            name = str(operator) if node is None else node.schema().split("(")[0] or node.kind()
            raise errors.UnsupportedOperatorError(name, g.opset, None)
        return parsed(g, *values, **words)

    return _refusing(operator, _named(operator, checked))


def _named(operator: Operator, write: Callable[..., Any]) -> Callable[..., Any]:
    """Calls the results of several by their names, and one by the operator's, as dynamo does: outputs of
    the model are called after them. With a number behind it, the name is nobody else's.
    """
    several = len(operator.results) > 1
    names = operator.results if several else [operator.short_name]

    @wraps(write)
    def call(g: Any, *values: Any, **words: Any) -> Any:
        results = write(g, *values, **words)
        for name, value in zip(names, results if several else [results], strict=False):
            # An input that is a result as it is keeps its name.
            if isinstance(value, torch._C.Value) and value.node().kind() != "prim::Param":
                value.setDebugName(f"{name}.0")
        return results

    return call


def _refusing(operator: Operator, write: Callable[..., Any]) -> Callable[..., Any]:
    """Has what is refused name the operator, and `export` say it alone: above it the exporters print
    their graphs, pages of them, and around it what they were doing.
    """

    @wraps(write)
    def call(*values: Any, **words: Any) -> Any:
        try:
            return write(*values, **words)
        except ValueError as error:
            # `export` leaves the log as it was, and torch.onnx.export switches it on when it begins.
            torch._C._jit_set_onnx_log_enabled(False)
            is_named = str(operator) in str(error)
            refusal = error if is_named else ValueError(f"{operator}: {error}")
            if nodes.shared.get("refused") is not None:
                nodes.shared["refused"].append(refusal)
            raise refusal from error.__cause__

    return call


RESULT = "onnxop.result"
"""Under what values of the dynamo exporter say which result of an operator they are."""


@cache
def translation(operator: Operator) -> Callable[..., Any]:
    """The rule as the dynamo exporter wants it: ``translation(*arguments)``.

    It is asked only where the call is still there: torch.export takes some operators apart before
    (``aten::hardshrink``), and a number that is not of the tensor's type becomes a tensor, so that
    another overload is called (``aten::lerp.Scalar``). No translation has a say in that.
    """
    parameters = operator.schema_arguments

    def write(*args: Any, **kwargs: Any) -> Any:
        named = dict(zip((a.name for a in parameters), args, strict=False)) | kwargs
        opsets.check_asked(operator)
        nodes.note(operator)
        arguments = _arguments(operator, [named.get(a.name, a.default) for a in parameters])
        if domain := nodes.domain_of(operator):
            results = nodes.dynamo(operator, domain, arguments)
        else:
            opset = operator.dynamo_opset
            results = _rule(operator, opset)(OnnxscriptWriter(opset), **arguments)
        if not isinstance(results, tuple):
            return results
        pairs = list(zip(results, operator.results, strict=True))
        for result, name in pairs:
            if result is not None:
                result.meta[RESULT] = name
        return tuple(nodes.left_out(operator, name) if r is None else r for r, name in pairs)

    # The exporter reads the signature: what is no tensor is an attribute, by its type.
    kinds = inspect.Parameter
    write.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            kinds(
                argument.name,
                kinds.KEYWORD_ONLY if argument.keyword_only else kinds.POSITIONAL_OR_KEYWORD,
                default=argument.default if argument.has_default else kinds.empty,
            )
            for argument in parameters
        ]
    )
    write.__annotations__ = {argument.name: _annotation(argument) for argument in parameters}
    return _refusing(operator, write)


def translation_table() -> dict[Any, Callable[..., Any]]:
    """The rules of the package by operator, as the dynamo exporter wants them."""
    return {
        overload: translation(operator)
        for operator in OPERATORS
        if not operator.is_decomposed
        for overload in operator.overloads
    }


def register(operator: Operator) -> None:
    """Makes the operator one of the package's: gives the TorchScript exporter its rule at the opsets at
    which it holds, and at all of them where PyTorch has no rule of its own to fall back to.
    """
    if not OPERATORS:
        _warn_of_namesakes(operator)
    OPERATORS.append(operator)
    nodes.register(operator)
    for target, span in operator.targets.items():
        for opset in span:
            _register(target, _overloaded(operator, target, opset), opset)


def _overloaded(operator: Operator, target: str, opset: int) -> Callable[..., Any]:
    """The symbolic of a name of which TorchScript asks for every overload: the operator's for its own,
    what was there before for the others, be it PyTorch's, and the operator's where nothing was.
    """
    own, before = symbolic(operator), _registered(target, opset)

    @wraps(own)
    def write(g: Any, *values: Any, **words: Any) -> Any:
        if _is_meant(operator, target, g.original_node, values):
            return own(g, *values, **words)
        # PyTorch registers its own rules when it exports for the first time.
        other = before or _stock(target, g.opset) or own
        return other(g, *values, **words)

    return write


def _is_meant(operator: Operator, target: str, node: Any, values: Sequence[Any]) -> bool:
    """Whether the node calls the overload that the operator is; of one that is taken apart, any that
    no other operator of the package is.
    """
    word = None if node is None else decomposed.overload_of(node)
    if word is None:
        return operator.is_decomposed or _takes(operator, values)
    called = f"{target}.{word}"
    if operator.is_decomposed:
        return not any(other.existing == called for other in OPERATORS if other is not operator)
    return called in (operator.name, operator.existing)


def _takes(operator: Operator, values: Sequence[Any]) -> bool:
    """Whether the values may be those of the operator's arguments: how many there are, and which of the
    constants are lists.
    """
    arguments = operator.schema_arguments
    if len(values) != len(arguments):  # a node has those that are left out, too
        return False
    for argument, value in zip(arguments, values, strict=True):
        number = symbolic_helper._maybe_get_const(value, "t")
        is_number = isinstance(number, torch.Tensor) and not argument.is_tensor
        if is_number and argument.is_list != (number.dim() > 0):
            return False
    return True


def _functions(target: str) -> Any:
    group: Any = registry.get_function_group(target)
    return None if group is None else group._functions


def _registered(target: str, opset: int) -> Callable[..., Any] | None:
    """What a package has given the TorchScript exporter for a name at the opset."""
    functions = _functions(target)
    if functions is None or not functions.overridden(opset):
        return None
    found: Callable[..., Any] = functions[opset]
    return found


def _stock(target: str, opset: int) -> Callable[..., Any] | None:
    """PyTorch's own rule for a name at the opset."""
    functions = _functions(target)
    versions = [key for key in functions._base if key <= opset] if functions is not None else []
    return functions._base[max(versions)] if versions else None


def _warn_of_namesakes(operator: Operator) -> None:
    """Says where another package of the same name is installed beside this one."""
    held = [
        [
            entry.name.replace(".", "::", 1)
            for entry in found.entry_points.select(group="onnxop.ops")
        ]
        for found in metadata.distributions(name=PACKAGE)
    ]
    own = next((ops for ops in held if str(operator) in ops), [str(operator)])
    for ops in held:
        if ops and str(operator) not in ops:
            warnings.warn(
                f"{PACKAGE} is the name of two packages: importing it gives {', '.join(own)}, not "
                f"{', '.join(ops)}; give one of them another [package] name",
                stacklevel=4,
            )


@contextmanager
def asked_at(opset: int) -> Iterator[None]:
    """While it lasts, the TorchScript exporter asks the rules at an opset at which they do not hold, too:
    for nodes of a domain, or to be told so where PyTorch has no rule of its own.
    """
    new = [
        (target, operator)
        for operator in OPERATORS
        for target, span in operator.targets.items()
        if opset not in span
        and (nodes.domain_of(operator) or not registry.is_registered_op(target, opset))
    ]
    for target, operator in new:
        _register(target, _overloaded(operator, target, opset), opset)
    try:
        yield
    finally:
        for target, _ in new:
            _unregister(target, opset)
            for other in OPERATORS:  # of another overload, which holds there
                if opset in other.targets.get(target, ()):
                    _register(target, _overloaded(other, target, opset), opset)


_register: Any = torch.onnx.register_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]
_unregister: Any = torch.onnx.unregister_custom_op_symbolic  # type: ignore[attr-defined,unused-ignore]


def _check_unused(operator: Operator, results: tuple[Any, ...], outputs: Sequence[Any]) -> None:
    """Raises ValueError where the model uses a result that the mapping leaves out."""
    for name, result, output in zip(operator.results, results, outputs, strict=True):
        if result is None and output.uses():
            raise ValueError(nodes.LEFT_OUT.format(operator=operator, name=name))


def _listed(value: Any) -> Any:
    """A list of tensors as Python's."""
    if symbolic_helper._is_none(value):
        return None
    if not symbolic_helper._is_packed_list(value):
        raise ValueError(
            "a list of tensors is computed by the model, so that how many there are is not known; "
            "give a list of known length"
        )
    return [_plain(item) for item in symbolic_helper._unpack_list(value)]


def _plain(value: Any) -> Any:
    """TorchScript's None as Python's; a Scalar as a number: the exporter has a tensor of it; and floats
    of a list as they were written.
    """
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, list | tuple) and any(isinstance(item, float) for item in value):
        return as_written(value)
    return value.item() if isinstance(value, torch.Tensor) else value


def _arguments(operator: Operator, values: list[Any]) -> dict[str, Any]:
    """The arguments of the rule, by name, from all those of the schema.

    The package's own operator lacks the arguments that are held, so these need not be passed, nor
    what stands behind them.
    """
    named = {a.name: a.default for a in operator.schema_arguments}
    named |= dict(zip(named, values, strict=False))
    kinds = {a.name: a.kind for a in operator.schema_arguments}
    for name, kind in kinds.items():
        if kind == "ScalarType":
            named[name] = _element_type(named[name])
    for name in operator.held:
        if named.pop(name) is not None and kinds[name] not in MEANINGLESS:
            raise ValueError(
                f"{operator.existing or operator.name} is exported with {name}=None only"
            )
    return named


def _rule(operator: Operator, opset: int) -> Callable[..., Any]:
    rule = operator.rule(opset)
    if rule is None:
        raise ValueError(
            f"{operator.name} has no mapping to standard nodes"
            + (f" at opset {opset}" if operator.rules else "")
        )
    return rule


def _element_type(value: Any) -> int | None:
    """ONNX's number of a dtype, which dynamo gives as PyTorch's or ONNX's, and TorchScript by number."""
    if value is None or isinstance(value, IntEnum):
        return None if value is None else int(value)
    exporter: Any = torch.onnx
    kinds = exporter.JitScalarType  # torchvision's import hides the helper's own
    found = kinds.from_dtype(value) if isinstance(value, torch.dtype) else kinds(value)
    return int(found.onnx_type())


_PARSE = {"number": "t", "float": "f", "int": "i", "bool": "b", "str": "s", "ScalarType": "i"}


def _parse_kind(argument: Argument) -> str:
    """What ``parse_args`` calls the argument's type; None stays None."""
    if argument.kind not in _PARSE or (argument.is_list and argument.is_tensor):
        return "v"
    if argument.is_list:
        return "fs" if argument.kind in ("number", "float") else "is"
    return _PARSE[argument.kind]


_TYPES: dict[str, Any] = {
    "number": float,
    "float": float,
    "int": int,
    "bool": bool,
    "str": str,
    "ScalarType": int,
}
_LISTS: dict[Any, Any] = {float: Sequence[float], int: Sequence[int], bool: Sequence[bool]}


def _annotation(argument: Argument) -> Any:
    kind = _TYPES.get(argument.kind)
    if kind is None:
        return Any
    kind = _LISTS[kind] if argument.is_list else kind
    return kind | None if argument.is_optional else kind
