"""An op of ONNX's that no operator of PyTorch's is mapped to → a spec of a new operator for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnxop_runtime.mapping import calls, opsets
from onnxop_runtime.mapping import definitions as onnxdefs

from ..check.load import parse
from ..errors import Problems, SpecError
from ..find import onnxops
from ..schema import signature
from ..spec.tensors import SampleValue
from ..trial import forks
from ..words import names
from . import guesses, samples
from .written import NAMESPACE, NoStarterError, Written

_KINDS = {"INT": "int", "FLOAT": "float", "STRING": "str", "INTS": "int[]", "FLOATS": "float[]"}


def write(op: onnxops.OnnxOp, alike: Sequence[str]) -> Written:
    """The spec of an operator with the op's inputs and attributes, and a kernel still to be written.
    ``alike`` are PyTorch's operators of like name, to which the names alone do not map it.

    Raises:
        NoStarterError: no operator can be so.
    """
    form = onnxdefs.definition(op.name, onnxdefs.HIGHEST)
    assert form is not None
    if any(_is_of_strings(form, formal) for formal in form.inputs if formal.option == "Single"):
        raise NoStarterError(
            f"onnx:{op.name}: there can be no spec of it: it takes strings, of which PyTorch has no "
            "tensors; compute them outside of the model"
        )
    problem = "no call of it could be guessed"
    for own, sample in _calls(form):
        text = own.text(form, sample, alike)
        try:
            parse(text)
        except SpecError as error:
            problem = error.lines[0].split("\n")[0].partition(": ")[2]
            continue
        return Written(f"{NAMESPACE}::{own.name}", text, "node", is_proved=False)
    raise NoStarterError(
        f"onnx:{op.name}: none of the calls that its types suggest goes through the checks ({problem}); "
        "write a spec with a sample that does"
    )


def _is_of_strings(form: onnxdefs.Definition, formal: onnxdefs.Formal) -> bool:
    kinds = form.types.get(formal.type_str, [formal.type_str])
    return all("string" in kind for kind in kinds)


@dataclass(frozen=True)
class _Own:
    """A new operator: what its arguments are called, by ONNX's names of inputs and of attributes."""

    name: str
    schema: str
    inputs: dict[str, str]
    attributes: dict[str, str]
    left_out: tuple[str, ...]
    of_list: str  # the argument that is a list of inputs, or empty

    def text(
        self, form: onnxdefs.Definition, sample: Mapping[str, SampleValue], alike: Sequence[str]
    ) -> str:
        words = [f"*{word}" if word == self.of_list else word for word in self.inputs.values()]
        words += [f"{name}={word}" for name, word in self.attributes.items()]
        lines = [f"# A starter for onnx:{form.name}, by onnxop new --from."]
        lines += [_BESIDE.format(alike[0]) if alike else _ALONE, *_OWN]
        if self.left_out:
            lines.append(f"# Attributes that are left out: {', '.join(self.left_out)}.")
        lines += ["", "[op]", f'schema = "{self.schema}"', "", "[onnx]"]
        lines += [f"opset = {max(form.since_version, opsets.LOWEST)}"]
        lines += [f'mapping = "op.{form.name}({", ".join(words)})"', "", "[kernel]"]
        lines += [
            f'source = "{self.name}.h"',
            "",
            "# Check: the values.",
            samples.table(sample),
            "",
        ]
        return "\n".join(lines)


_ALONE = "# PyTorch has no operator of like name, so this is a new one."
_BESIDE = (
    "# Of like name is {}, whose arguments do not go by ONNX's names: for that one, write\n"
    "# its schema, and a mapping. This is a new one."
)
_OWN = (
    "# It has a C++ kernel whose first version onnxop new writes. Check: the names, and write the",
    '# kernel; or, where PyTorch\'s operators compose it, python = "..." instead of the source.',
)


def _own(form: onnxdefs.Definition, wanted: Collection[str]) -> _Own:
    """The new operator; of the attributes that ONNX gives no default, those that must be given and
    those wanted.
    """

    def refuse(why: str) -> NoStarterError:
        return NoStarterError(f"onnx:{form.name}: there can be no spec of it: {why}")

    outputs = [formal for formal in form.outputs if formal.option != "Optional"]
    outputs = outputs or list(form.outputs[:1])
    if any(formal.option == "Variadic" for formal in outputs):
        raise refuse("it gives any number of results, which no operator of one's own does")
    if not form.inputs:
        raise refuse("it takes no tensor")
    taken: set[str] = set()
    required: list[str] = []
    optional: list[str] = []
    inputs = {formal.name: _argument(formal.name, taken) for formal in form.inputs}
    kinds = {"Optional": "Tensor? {}=None", "Variadic": "Tensor[] {}"}
    for formal in form.inputs:
        text = kinds.get(formal.option, "Tensor {}").format(inputs[formal.name])
        (optional if formal.option == "Optional" else required).append(text)
    of_list = "".join(inputs[each.name] for each in form.inputs if each.option == "Variadic")
    defaults = onnxops.defaults(form)
    attributes, left_out = {}, []
    for name, type_ in form.attributes.items():
        kind, is_needed = _KINDS.get(type_), name in form.required
        if kind is None and is_needed:
            what = calls.SPOKEN.get(type_, type_.lower())
            raise refuse(f"its attribute {name} is {what}, which no argument can be")
        if kind is None or not (is_needed or name in wanted or name in defaults):
            left_out.append(name)
            continue
        word = attributes[name] = _argument(name, taken)
        if name in defaults:
            optional.append(f"{kind} {word}={_default(defaults[name])}")
        else:
            required.append(f"{kind} {word}")
    base = names.snake(form.name)
    base = f"{base}_op" if names.problem_with_operator(base) else base
    returns = "Tensor" if len(outputs) == 1 else f"({', '.join(['Tensor'] * len(outputs))})"
    schema = f"{NAMESPACE}::{base}({', '.join([*required, *optional])}) -> {returns}"
    return _Own(base, schema, inputs, attributes, tuple(left_out), of_list)


def _default(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(f"{value:.7g}"))
    return f"'{value}'" if isinstance(value, str) else str(value)


def _argument(name: str, taken: set[str]) -> str:
    word = names.snake(name)
    return names.claim(f"{word}_" if names.problem_with_argument(word) else word, taken)


def _calls(form: onnxdefs.Definition) -> Iterator[tuple[_Own, Mapping[str, SampleValue]]]:
    """New operators and calls of them: those of ONNX's own tests, the ones with most attributes
    first, then guesses from the types.
    """
    own = _own(form, ())
    for given, attributes in sorted(_own_tests(form.name), key=lambda test: -len(test[1])):
        own = _own(form, {*attributes} - {"auto_pad"})
        if own.of_list:
            last = len(own.inputs) - 1
            given = [*given[:last], given[last:]]
        pairs = [*zip(own.inputs.values(), given, strict=False)]
        pairs += [(word, attributes[n]) for n, word in own.attributes.items() if n in attributes]
        found = {word: samples.recorded(value) for word, value in pairs}
        if "auto_pad" in attributes or None in found.values():
            continue
        yield own, {word: value for word, value in found.items() if value is not None}
    own = _own(form, ())
    if (parsed := signature.parse(own.schema, Problems())) is not None:
        for sample in guesses.candidates(parsed):
            yield own, sample


def _own_tests(name: str) -> list[tuple[list[Any], dict[str, Any]]]:
    """The inputs and the attributes of ONNX's tests of the op, where onnx brings them. They are its
    own code, and made once a process.
    """
    import torch

    try:
        found = forks.one(lambda: list(_collected(name)))
    except Exception:  # noqa: BLE001 - they are no more than a help
        return []
    return [
        ([None if array is None else torch.from_numpy(array) for array in arrays], attributes)
        for arrays, attributes in found
    ]


def _collected(name: str) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    import numpy as np
    from onnx import helper
    from onnx.backend.test.case.node import collect_testcases

    for case in collect_testcases(name):
        nodes: list[Any] = list(case.model.graph.node) if case.model else []
        if len(nodes) != 1 or nodes[0].op_type != name or not case.data_sets:
            continue
        given = iter(case.data_sets[0][0])
        arrays = [next(given, None) if word else None for word in nodes[0].input]
        if not all(
            a is None or (isinstance(a, np.ndarray) and a.dtype.kind in "fiub") for a in arrays
        ):
            continue
        attributes = {a.name: helper.get_attribute_value(a) for a in nodes[0].attribute}
        yield arrays, {n: v.decode() if isinstance(v, bytes) else v for n, v in attributes.items()}
