"""An operator and an op of ONNX's → mappings of the one to the other, by the names of their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from onnxop_runtime.mapping import definitions as onnxdefs
from onnxop_runtime.mapping import opsets

from ..schema.arguments import Argument
from ..schema.signature import OpSchema

# ONNX's names of attributes and inputs, and what PyTorch calls the same.
_ALIKE: dict[str, tuple[str, ...]] = {
    "axis": ("dim", "axis"),
    "axes": ("dim", "dims", "axis"),
    "keepdims": ("keepdim",),
    "group": ("groups",),
    "num_groups": ("num_groups", "groups"),
    "offset_group": ("offset_groups",),
    "pads": ("padding",),
    "strides": ("stride",),
    "dilations": ("dilation",),
    "kernel_shape": ("kernel_size",),
    "output_padding": ("output_padding",),
    "epsilon": ("eps", "epsilon"),
    "alpha": ("alpha", "negative_slope"),
    "lambd": ("lambd",),
    "to": ("dtype",),
    "output_height": ("pooled_height",),
    "output_width": ("pooled_width",),
    "k": ("k",),
    "shape": ("size", "shape"),
    "repeats": ("dims", "repeats"),
    "indices": ("index", "indices"),
    "blocksize": ("upscale_factor", "downscale_factor"),
    "reduction": ("reduce",),
    "upper": ("upper",),
    "perm": ("dims",),
    "b": ("bias", "other", "mat2"),
    "w": ("weight",),
    "scale": ("weight",),
    "bias": ("bias",),
    "slope": ("weight",),
    "x": ("self", "input"),
}
_PAIRS = {
    "strides": "[stride_h, stride_w]",
    "pads": "[pad_h, pad_w, pad_h, pad_w]",
    "dilations": "[dilation_h, dilation_w]",
    "pooled_shape": "[pooled_height, pooled_width]",
}


def mappings(op: str, schema: OpSchema) -> Iterator[str]:
    """Tables [onnx]: calls of the ONNX op, by the names of its inputs and
    attributes, at its earliest opset first at which it has the form of the newest.
    """
    newest = onnxdefs.definition(op, onnxdefs.HIGHEST)
    if newest is None or newest.deprecated:
        return
    versions = [version for version in onnxdefs.versions()[op] if version <= onnxdefs.HIGHEST]
    seen = set()
    for version in versions:
        form = onnxdefs.definition(op, max(version, opsets.LOWEST))
        if form is None or form.inputs != newest.inputs:
            continue
        for whole in (True, False):
            call = _call(form, schema, whole=whole)
            text = f'[onnx]\nopset = {max(version, opsets.LOWEST)}\nmapping = "{call}"'
            if call and text not in seen:
                seen.add(text)
                yield text


def _call(form: onnxdefs.Definition, schema: OpSchema, *, whole: bool) -> str:
    """The call; empty where an input that the op must have is not to be found. ``whole``: with every
    attribute that has a like argument, else those alone that it must have.
    """
    tensors = {a.name: a for a in schema.tensors}
    scalars = {a.name: a for a in schema.scalars}
    inputs: list[str] = []
    named = {
        word
        for formal in form.inputs
        for word in _alike(formal.name)
        if word in tensors and word not in ("self", "input")
    }
    for formal in form.inputs:
        own = next((word for word in _alike(formal.name) if word in tensors), None)
        plain = next((word for word in tensors if word not in named), None)
        if found := own or (plain if formal.option != "Optional" else None):
            argument = tensors.pop(found)
            inputs.append(f"*{found}" if argument.is_list else found)
        elif own := next((word for word in _alike(formal.name) if word in scalars), None):
            argument = scalars.pop(own)
            is_one = argument.kind == "int" and not argument.is_list
            inputs.append(f"[{own}]" if is_one else own)
        elif formal.option == "Single":
            return ""
        else:
            inputs.append("None")
    while inputs and inputs[-1] == "None":
        inputs.pop()
    if any(not argument.is_optional for argument in tensors.values()):
        return ""
    attributes = []
    for name in form.attributes:
        value = _attribute(name, scalars)
        if value and (whole or name in form.required):
            attributes.append(f"{name}={value}")
        elif name in form.required:
            return ""
    return f"op.{form.name}({', '.join([*inputs, *attributes])})"


def _attribute(name: str, scalars: Mapping[str, Argument]) -> str:
    if name in _PAIRS and all(word in scalars for word in re.findall(r"\w+", _PAIRS[name])):
        return _PAIRS[name]
    own = next((word for word in _alike(name) if word in scalars), "")
    if own and name == "pads" and scalars[own].is_list:
        return f"[*{own}, *{own}]"
    return own


def _alike(name: str) -> tuple[str, ...]:
    lower = name.lower()
    return tuple(dict.fromkeys([name, lower, *_ALIKE.get(lower, ())]))
