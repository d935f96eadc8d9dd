"""Spec → template context: Python decides here, the templates only place."""

from __future__ import annotations

import json
from typing import Any

from . import names, opsets, pycode, pyexpr, rules
from .code.cpp import cpp_op
from .composed_code import composed_code
from .operator_code import operator_code, without_self
from .signatures import parameters
from .spec import Elementwise, Mapping, Source, Spec
from .stub_code import stub_code
from .tensors import Literal, SampleValue
from .test_code import test_code


def context(spec: Spec) -> dict[str, Any]:
    """Everything the templates name: code as text, its lines already indented and broken."""
    parts = (
        _parts,
        _names,
        operator_code,
        _onnx,
        _node,
        _cpp,
        stub_code,
        composed_code,
        test_code,
        _readme,
    )
    return {
        name: "\n".join(value) if isinstance(value, list) else value
        for part in parts
        for name, value in part(spec).items()
    }


def _parts(spec: Spec) -> dict[str, Any]:
    """What the package has of the files that not every package has: copier.yml leaves out the rest.

    Versions of the template to come ask earlier ones for it, so there is this one name.
    """
    kernel = spec.kernel
    has = {
        "csrc": spec.is_native,
        "library": kernel is not None or bool(spec.requires),
    }
    return {"parts": tuple(part for part, is_there in has.items() if is_there)}


def _cpp(spec: Spec) -> dict[str, Any]:
    """The ops with C++, of which each kind has files of its own."""
    kernel = spec.kernel
    ops = [cpp_op(spec)] if spec.is_native else []
    has_first_version = isinstance(kernel, Source) and not kernel.is_given
    return {
        "cpp_ops": tuple(ops),
        "elementwise_ops": tuple(op for op in ops if op.is_elementwise),
        "unwritten_ops": tuple(ops if has_first_version else ()),
        "kernel_file": spec.kernel_file,
        "is_elementwise": isinstance(kernel, Elementwise),
        "is_source": isinstance(kernel, Source),
        "has_backward": isinstance(kernel, Source) and bool(spec.kernel_gradients),
    }


def _names(spec: Spec) -> dict[str, Any]:
    schema, package = spec.schema, spec.package
    name, class_name = schema.name, spec.class_name
    classes = [class_name, f"{class_name}Function"] if spec.kernel else [class_name]
    public = ["Verification", *classes, "export", name, "translation_table", "verify"]
    public += ["library_path", "session_options"] if spec.is_native else []
    return {
        "spec_text": spec.text,
        "package": package.name,
        "distribution": package.name.replace("_", "-"),
        "required_distributions": tuple(
            dict.fromkeys(module.partition(".")[0] for module in spec.requires)
        ),
        "version": package.version,
        "description_literal": _toml_string(package.description),
        "license": package.license,
        "authors_literal": tuple(_author(author) for author in package.authors),
        "doc": spec.doc,
        "package_docstring": pycode.docstring(spec.doc),
        "op": spec.op,
        "namespace": spec.namespace,
        "name": name,
        "operator": f"{spec.namespace}.{name}",
        "class_name": class_name,
        "function_name": f"{class_name}Function",
        "import_op": pycode.import_from(f"{package.name}._op", [*classes, name]),
        "import_export": pycode.import_from(
            f"{package.name}._export", ["DynamicAxes", "export", "named_tensors"]
        ),
        "public_names": tuple(sorted(public, key=_as_ruff_sorts)),
        "existing": spec.overloads[-1] if schema.exists else "",
        "existing_id": f"{schema.namespace}_{name}" if schema.exists else "",
        "existing_name": f"{schema.namespace}::{name}" if schema.exists else "",
    }


def _as_ruff_sorts(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then the rest."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2), name


def _toml_string(text: str) -> str:
    """A TOML basic string; the text holds no control characters."""
    return json.dumps(text, ensure_ascii=False)


def _author(author: str) -> str:
    name, _, mail = author.partition("<")
    fields = [f"name = {_toml_string(name.strip())}"]
    if mail:
        fields.append(f"email = {_toml_string(mail.strip().rstrip('>'))}")
    return f"{{ {', '.join(fields)} }}"


def _onnx(spec: Spec) -> dict[str, Any]:
    schema, mapping = spec.schema, spec.mapping
    arguments = [argument.name for argument in schema.arguments]
    g = _graph_name(spec)
    symbolic_parameters = [f"{g}: Any", *rules.symbolic_parameters(schema)]
    inner = without_self(schema.free)
    any_value = {"Tensor": "Any", "Tensor?": "Any"}
    no_mapping = pycode.call(
        "raise ValueError(", [pyexpr.string(f"{spec.op} has no mapping to standard nodes")]
    )
    return {
        "torchscript": _range(mapping.torchscript),
        "dynamo": _range(mapping.dynamo),
        "default_opset": opsets.DEFAULT,
        "all_torchscript": _range(opsets.TORCHSCRIPT),
        "all_dynamo": _range(opsets.DYNAMO),
        "default_domain_note": "; by default that node" if spec.default_domain else "",
        "parse_args": pycode.call("@symbolic_helper.parse_args(", rules.parse_args(schema)),
        "symbolic_def": pycode.call("def symbolic(", symbolic_parameters, ") -> Any:"),
        "method_symbolic_def": pycode.call(
            "def symbolic(",
            [f"{g}: Any", *parameters(inner, rules.VALUE_TYPES, plain=True)],
            ") -> Any:",
            indent=4,
        ),
        "call_symbolic": pycode.call(
            "return symbolic(", [g, *(argument.name for argument in inner)], indent=8
        ),
        "symbolic_helpers": rules.used_helpers(mapping.torchscript_graph),
        "symbolic_body": pycode.indented(
            [
                *rules.symbolic_checks(schema, mapping.torchscript_graph),
                *rules.symbolic_body(mapping.torchscript_graph, g, arguments),
            ]
            if mapping.is_given
            else no_mapping
        ),
        **_opset(mapping),
        "translation_def": pycode.call(
            "def translation(", parameters(schema.arguments, any_value), ") -> Any:"
        ),
        "translation_helpers": rules.used_helpers(mapping.dynamo_graph),
        "translation_body": pycode.indented(
            [
                *rules.translation_checks(schema),
                *rules.translation_body(mapping.dynamo_graph, "op", arguments),
            ]
            if mapping.is_given
            else no_mapping
        ),
        "translation_targets": spec.overloads,
        "takes_lists": any(argument.is_list for argument in schema.free),
    }


def _range(span: range) -> str:
    return f"range({span.start}, {span.stop})" if span else "range(0)"


def _graph_name(spec: Spec) -> str:
    """What the symbolic calls TorchScript's graph."""
    taken = {argument.name for argument in spec.schema.arguments}
    return names.free("g", {*taken, *rules.names_in(spec.mapping.torchscript_graph)})


_ATTRIBUTE_TYPES = {
    "float": "FLOAT",
    "Scalar": "FLOAT",
    "int": "INT",
    "bool": "INT",
    "str": "STRING",
}


def _node(spec: Spec) -> dict[str, Any]:
    """The operator as one node of a domain, and its function bodies."""
    schema = spec.schema
    tensors, scalars = schema.tensors, schema.scalars
    names_ = [argument.name for argument in schema.free]
    op = names.free("op", names_)
    functions: list[list[str]] = []
    table: list[str] = []
    for span, graph in spec.mapping.bodies:
        name = f"_body_{span.start}"
        definition = pycode.call(
            f"def {name}(", [f"{op}: Any", *(f"{n}: Any" for n in names_)], ") -> Any:"
        )
        functions.append([*definition, *pycode.indented(rules.function_body(graph, op, names_))])
        table.append(f"(range({span.start}, {span.stop}), {name})")
    kinds: dict[str, str] = {}
    for argument in scalars:
        kind = _ATTRIBUTE_TYPES[argument.kind]
        kinds[argument.name] = f"{kind}S" if argument.is_list else kind
    passed = [argument.name for argument in tensors]
    passed += [f"{a.name}={a.name}" for a in scalars]
    g = _graph_name(spec)
    domain = names.free("domain", {a.name for a in schema.arguments})
    return {
        "domain": spec.domain,
        "default_domain": spec.default_domain,
        "op_type": spec.op_type,
        "body_functions": tuple("\n".join(lines) for lines in functions),
        "bodies": pycode.display("_BODIES: list[tuple[range, Body]] = [", table, "]"),
        "node_inputs": pycode.display("_INPUTS = [", [f'"{a.name}"' for a in tensors], "]"),
        "node_optional": pycode.display(
            "_OPTIONAL: list[str] = [", [f'"{a.name}"' for a in tensors if a.is_optional], "]"
        ),
        "node_outputs": pycode.display(
            "_OUTPUTS = [", [f'"{result}"' for result in schema.results], "]"
        ),
        "node_attributes": pycode.display(
            "_ATTRIBUTES: dict[str, str] = {",
            [f'"{name}": "{kind}"' for name, kind in kinds.items()],
            "}",
        ),
        "node_booleans": pycode.display(
            "_BOOLEANS: list[str] = [", [f'"{a.name}"' for a in scalars if a.kind == "bool"], "]"
        ),
        "symbolic_node": [
            f"    if {domain} := _node.domain():",
            *pycode.call("return _node.torchscript(", [g, domain, *passed], indent=8),
        ],
        "translation_node": [
            f"    if {domain} := _node.domain():",
            *pycode.call("return _node.dynamo(", [domain, *passed], indent=8),
        ],
    }


def _opset(mapping: Mapping) -> dict[str, Any]:
    """onnxscript's opset: a module or, where it has none that is so new, made by hand."""
    opset = mapping.dynamo_opset
    is_module = opset <= opsets.NEWEST_MODULE
    words = [("onnxscript", f"opset{opset}" if is_module else "values")]
    if "constant" in rules.used_helpers(mapping.dynamo_graph):
        words.append(("onnxscript", "ir"))
    value = f"opset{opset}" if is_module else f'values.Opset("", {opset})'
    return {
        "translation_imports": pycode.imports((), words),
        "translation_op": f"op: Any = {value}",
    }


_MOST_NAMED = 40  # characters of results' names in an example


def _readme(spec: Spec) -> dict[str, Any]:
    """The example that the package's README shows, from the first sample."""
    schema, sample = spec.schema, spec.samples[0]
    package = spec.package.name
    scalars = {a.name: sample[a.name] for a in schema.scalars if a.name in sample}
    constructor = [f"{name}={_expression(value)}" for name, value in scalars.items()]
    tensor_names = [argument.name for argument in schema.tensors if argument.name in sample]
    given = [a.name for a in schema.arguments if a.is_tensor or a.name in scalars]
    tensors_first = given[: len(tensor_names)] == tensor_names
    passed_tensors = tensor_names if tensors_first else [f"{n}={n}" for n in tensor_names]
    results = ", ".join(schema.results)
    taken = {*tensor_names, *scalars, package, "model", "args", "torch"}
    if schema.has_several and (len(results) > _MOST_NAMED or taken & {*schema.results}):
        results = names.free("results", taken)
    return {
        "readme_inputs": "\n".join(
            f"{name} = {_expression(sample[name])}" for name in tensor_names
        ),
        "readme_call": pycode.call(
            f"{results} = {package}.{schema.name}(", [*passed_tensors, *constructor]
        ),
        "readme_model": pycode.call(f"model = {package}.{spec.class_name}(", constructor),
        "readme_export": pycode.call(
            f"{package}.export(", ["model", "args", f'"{schema.name}.onnx"']
        ),
        "readme_args": pycode.tuple_of("args = ", tensor_names),
        "mapping_text": spec.mapping_text.strip(),
        "has_mapping": spec.mapping.is_given,
        "dynamo_span": _span(spec.mapping.dynamo),
        "torchscript_span": _span(spec.mapping.torchscript),
    }


def _expression(value: SampleValue) -> str:
    if isinstance(value, Literal):
        return f"torch.tensor({', '.join(value.words)})" if value.is_tensor else value.expression
    sizes = ", ".join(map(str, value.shape))
    if value.dtype.startswith("float"):
        dtype = "" if value.dtype == "float32" else f", dtype=torch.{value.dtype}"
        return f"torch.rand({sizes or '()'}{dtype})"
    return f"torch.ones({sizes or '()'}, dtype=torch.{value.dtype})"


def _span(opset_range: range) -> str:
    if not opset_range:
        return "none: the mapping does not hold there"
    first, last = opset_range.start, opset_range.stop - 1
    return str(first) if first == last else f"{first} to {last}"
