"""A line of the model that an exporter writes wrong, or not at all → what to write there instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...trial import places
from ...trial.places import Place
from . import within_pytorch
from .conversions import conversion_in, instead_of, instead_of_length, is_count

_SCAN = "the dynamo exporter, called under torch.no_grad(), writes an ONNX Scan"
_LOOP = (
    "Move the loop, and what computes its number of steps, into a function of tensors: with "
    "@torch.jit.script, the TorchScript exporter writes an ONNX Loop; as a step of "
    f"_higher_order_ops.scan of torch, {_SCAN}"
)
_SCRIPTED_LOOP = (
    "torch.export does not read what @torch.jit.script makes of the loop. Compute without a loop, or "
    f"with _higher_order_ops.scan of torch, of which {_SCAN}"
)
_RANGE = "Write the list of numbers as a tensor: torch.arange(n) in place of range(n)"
_WHILE = (
    "Move the loop into a function of tensors with @torch.jit.script: the TorchScript exporter "
    "writes an ONNX Loop"
)
_CHECK = (
    "The line only checks values: skip it in exports, with if not torch.onnx.is_in_onnx_export()"
)
_PAD = (
    "If values decide how many elements there are, pad the tensor to {0} elements with values that "
    "change no result: one side then serves all inputs"
)
WITH_TENSORS = (
    "Compute it with tensors, or with operators of sizes, such as n // 2, 2 * n and n ** 0.5, which "
    "a trace records"
)
BOTH_SIDES = "Compute what both sides need, and choose with torch.where"
_SKIP = (
    "Leave out the condition if what it skips is right without it, as for tensors of no elements; "
    "else compute it for all, and choose with torch.where"
)
_PAD_ALWAYS = "Leave out the condition, and pad always: padding by 0 changes nothing"
_CUT_ALWAYS = (
    "Leave out the condition, and cut always: a slice takes no more elements than there are"
)
_OF_NO_ELEMENTS = (
    "Write code that is right for tensors of no elements, without the condition: max() and its like, "
    "which need one, may take the tensor with a zero that torch.cat appends"
)
_IN_INIT = (
    "Make what the line makes in __init__, for the largest size that the model may get, and leave out "
    "the condition"
)
_RESHAPE_ALWAYS = (
    "Leave out the condition, and reshape always, to a size in place of -1, as x.shape[1]: of no "
    "elements, nothing tells the size that -1 stands for"
)
_NUMPY = (
    "NumPy takes sizes as Python integers, and a file holds its arrays as constants: compute with "
    "PyTorch what {0} computes"
)
_ITERATORS = "range(", "enumerate(", "zip("
_LOGGING = "debug", "info", "warning", "error"  # methods of loggers


def rewrite_of(place: Place) -> str:
    """Return what to write instead of the innermost line of the place, as a sentence without its
    full stop; ``""`` if its code suggests nothing.
    """
    if place.within:
        return within_pytorch.advice(place.within)
    file, line = place.innermost
    statement = statement_at(file, line)
    if function := _numpy_function(file, line):
        return _NUMPY.format(function)
    if _lists_numbers(statement):
        return _RANGE
    if isinstance(statement, ast.For | ast.AsyncFor) or _has_comprehension(statement):
        return _SCRIPTED_LOOP if _is_scripted(file, line) else _LOOP
    if isinstance(statement, ast.Assert) or _only_raises(statement):
        return _CHECK
    if isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Continue):
        return _SKIP
    if isinstance(statement, ast.If):
        return without_condition(place) or _instead_of_condition(statement.test)
    if isinstance(statement, ast.While):
        return _WHILE
    if choice := _choice(statement):
        return _instead_of_condition(choice.test)
    if statement is None or hasattr(statement, "body"):
        return ""
    conversion = conversion_in(statement)
    return instead_of(conversion) if conversion else instead_of_length(statement)


def without_condition(place: Place) -> str:
    """Return what to write in place of a condition that may be left out, as what it decides changes
    nothing on its other side; ``""`` for others.
    """
    statement = statement_at(*place.innermost)
    if not isinstance(statement, ast.If):
        return ""
    if _only_pads(statement):
        return _PAD_ALWAYS
    if _only_reshapes(statement):
        return _RESHAPE_ALWAYS
    if _only_updates_model(statement):
        return _IN_INIT
    return _CUT_ALWAYS if _only_cuts(statement) else ""


def _only_pads(statement: ast.If) -> bool:
    """Return whether a condition decides only whether tensors are padded, by amounts that it does
    not compare: others may be negative.
    """
    is_order = any(isinstance(part, ast.Gt | ast.Lt) for part in ast.walk(statement.test))
    if is_order or statement.orelse:
        return False
    return _only_assigns_calls(statement, "pad")


def _only_reshapes(statement: ast.If) -> bool:
    """Return whether a condition decides only whether tensors are reshaped to a size that -1 stands
    for.
    """
    has_unknown = any(ast.unparse(part) == "-1" for part in ast.walk(statement))
    return (
        has_unknown and not statement.orelse and _only_assigns_calls(statement, "reshape", "view")
    )


def _only_updates_model(statement: ast.If) -> bool:
    """Return whether a condition decides only whether the model's own tables are made anew: its body
    calls methods of ``self``, or assigns to its attributes.
    """

    def is_of_self(part: ast.stmt) -> bool:
        match part:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self")))):
                return True
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"))]):
                return True
            case _:
                return False

    return not statement.orelse and all(map(is_of_self, statement.body))


def _only_cuts(statement: ast.If) -> bool:
    """Return whether a condition decides only whether a tensor is cut to the number of elements that
    it compares: ``if len(x) > n: x = x[:n]``.
    """
    test = statement.test
    is_order = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Gt | ast.GtE)
    if not is_order or statement.orelse or not isinstance(test, ast.Compare):
        return False
    cuts = [_cut_of(part) for part in statement.body]
    most = ast.unparse(test.comparators[-1])
    return is_count(test.left) and all(cut == most for cut in cuts)


def _cut_of(statement: ast.stmt) -> str:
    """Return the number of elements to which a statement cuts one dimension of a tensor: ``n`` of
    ``x = x[:n]`` and of ``x = x[:, -n:]``; ``""`` for others.
    """
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Subscript):
        return ""
    value = statement.value
    if ast.unparse(statement.targets[0]) != ast.unparse(value.value):
        return ""
    parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    cuts = [part for part in parts if ast.unparse(part) != ":"]
    return _length_of(cuts[0]) if len(cuts) == 1 else ""


def _length_of(part: ast.expr) -> str:
    """Return the number of elements of a slice at the begin or at the end; ``""`` for others."""
    match part:
        case ast.Slice(lower=None, upper=ast.expr() as number, step=None):
            return ast.unparse(number)
        case ast.Slice(lower=ast.UnaryOp(op=ast.USub(), operand=number), upper=None, step=None):
            return ast.unparse(number)
        case _:
            return ""


def _is_scripted(file: str, line: int) -> bool:
    """Return whether the line is in a function with the decorator ``torch.jit.script``."""
    functions = (node for node in ast.walk(tree_of(file)) if isinstance(node, ast.FunctionDef))
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    decorators = [ast.unparse(name) for node in around for name in node.decorator_list]
    return any(name.endswith("jit.script") for name in decorators)


def _only_assigns_calls(statement: ast.If, *names: str) -> bool:
    """Return whether the body of a condition only assigns what functions of these names return."""
    values = [part.value for part in statement.body if isinstance(part, ast.Assign)]
    functions = [ast.unparse(v.func).rpartition(".")[2] for v in values if isinstance(v, ast.Call)]
    return len(functions) == len(statement.body) and {*functions} <= {*names}


def _choice(statement: ast.stmt | None) -> ast.IfExp | None:
    """Return the first conditional expression of a statement without a body that asks something of
    tensors.
    """
    if statement is None or hasattr(statement, "body"):
        return None
    choices = (node for node in ast.walk(statement) if isinstance(node, ast.IfExp))
    of_tensors = (node for node in choices if not all(map(_is_of_python, _operands(node.test))))
    return next(of_tensors, None)


def _lists_numbers(statement: ast.stmt | None) -> bool:
    """Return whether the statement assigns a list of the numbers of a range: ``[[n] for n in
    range(k)]``.
    """
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.ListComp):
        return False
    loops = statement.value.generators
    numbers = {ast.unparse(loop.target) for loop in loops}
    parts = ast.walk(statement.value.elt)
    names = {node.id for node in parts if isinstance(node, ast.Name)}
    is_of_ranges = all(ast.unparse(loop.iter).startswith("range(") for loop in loops)
    return is_of_ranges and names <= numbers


def only_raises(place: Place) -> bool:
    """Return whether the line, or that of PyTorch's own to which it leads, is a condition of which
    one side only raises an error.
    """
    within = place.within
    statement = statement_at(*((within.file, within.line) if within else place.innermost))
    return isinstance(statement, ast.Assert) or _only_raises(statement)


def only_prints(place: Place) -> bool:
    """Return whether the line only prints or logs, which gives no results."""
    statement = statement_at(*place.innermost)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = ast.unparse(statement.value.func)
    return function == "print" or function.rpartition(".")[2] in _LOGGING


def has_no_results(place: Place) -> bool:
    """Return whether what the line reads is in no result: it only prints, or raises."""
    return only_prints(place) or only_raises(place)


def reads_number(place: Place) -> bool:
    """Return whether the line makes a Python number of a tensor, and is no condition."""
    return bool(_conversion(statement_at(*place.innermost)))


def statement_at(file: str, line: int) -> ast.stmt | None:
    """Return the innermost statement that has the line; the lines of a body are not its own."""
    statements = (node for node in ast.walk(tree_of(file)) if isinstance(node, ast.stmt))
    at_line = [node for node in statements if node.lineno <= line <= _last_line(node)]
    return max(at_line, key=lambda node: node.lineno, default=None)


def _last_line(statement: ast.stmt) -> int:
    """Return the last line of a statement, or of its head if it has a body."""
    body: list[ast.stmt] = getattr(statement, "body", [])
    if body:
        return max(statement.lineno, body[0].lineno - 1)
    return statement.end_lineno or statement.lineno


def _has_comprehension(statement: ast.stmt | None) -> bool:
    """Return whether the statement has a comprehension over a range, or over tensors in step. One
    over modules of the model (``self.layers``) is no loop of the exported graph.
    """
    if statement is None or hasattr(statement, "body"):
        return False
    loops = (node for node in ast.walk(statement) if isinstance(node, ast.comprehension))
    iterables = [ast.unparse(loop.iter) for loop in loops]
    return any(text.startswith(_ITERATORS) and "self." not in text for text in iterables)


def _only_raises(statement: ast.stmt | None) -> bool:
    """Return whether the statement is an ``if`` that only raises an error."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    return isinstance(statement.body[-1], ast.Raise)


def _instead_of_condition(test: ast.expr) -> str:
    """Return what to write instead of a condition. Padding helps only if all that it asks of tensors
    is how many elements they have.
    """
    numbers = [_compared_with_count(part) for part in _operands(test) if not _is_of_python(part)]
    needed = [ast.unparse(number) for number in numbers if number and not _is_zero_or_one(number)]
    if not numbers or not all(numbers):
        return BOTH_SIDES
    if needed:
        return _PAD.format(needed[0])
    return _OF_NO_ELEMENTS if all(map(_is_zero, filter(None, numbers))) else ""


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a condition that ``and``, ``or`` and ``not`` connect."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _operands(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _operands(operand)
        case _:
            yield test


def _is_of_python(part: ast.expr) -> bool:
    """Return whether a part of a condition asks nothing of tensors: ``n is not None``,
    ``self.training``.
    """
    if isinstance(part, ast.Compare):
        return all(isinstance(op, ast.Is | ast.IsNot) for op in part.ops)
    return isinstance(part, ast.Constant | ast.Name | ast.Attribute)


def _compared_with_count(part: ast.expr) -> ast.expr | None:
    """Return the number to which a part of a condition compares a count of elements; None if it
    compares something else, or a number that calls of tensors make.
    """
    if not isinstance(part, ast.Compare) or len(part.comparators) != 1:
        return None
    left, right = part.left, part.comparators[0]
    for count, number in ((left, right), (right, left)):
        if is_count(count):
            return None if _has_method_call(number) and not is_count(number) else number
    return None


def _has_method_call(tree: ast.AST) -> bool:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Attribute) for call in calls)


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _is_zero_or_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 1)


def _conversion(statement: ast.stmt | None) -> ast.Call | None:
    """Return the call of a statement without a body that makes a Python number of a tensor."""
    if statement is None or hasattr(statement, "body"):
        return None
    return conversion_in(statement)


def _numpy_function(file: str, line: int) -> str:
    """Return the code of the function of NumPy that is called at a line; ``""`` if there is none."""
    tree = tree_of(file)
    modules = _numpy_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            name = ast.unparse(node.func)
            if name.partition(".")[0] in modules:
                return name
    return ""


def _numpy_names(tree: ast.Module) -> set[str]:
    """Return the names by which a file imports NumPy."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    aliases = (alias for node in imports for alias in node.names)
    of_numpy = (alias for alias in aliases if alias.name.partition(".")[0] == "numpy")
    return {alias.asname or "numpy" for alias in of_numpy}


def tree_of(file: str) -> ast.Module:
    """Return the syntax tree of a file; an empty one if Python cannot read it."""
    try:
        return ast.parse("".join(places.source_lines(file)))
    except SyntaxError:
        return ast.Module([], [])
