# Run by test_what_is_served of test_serving.py.
import ctypes
import warnings

import aminmax
import many_ops
import numpy as np
import onnx
import onnxruntime
import torch
from tests.programs.native.both import model_of


def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return str(error)


x = torch.rand(20)
three = model_of(
    lambda x: (many_ops.keep_above(x), many_ops.keep_above(x, [2, 3]), many_ops.axpby(x, x, x))
)
wanted = {"many_ops": {"my_lib::keep_above": {"cpu": 2}, "my_ops::axpby": {"cpu": 1}}}
for bodies in (True, False):
    for dynamo in (True, False):
        options = dict(domain="other", input_names=["x"], function_bodies=bodies, dynamo=dynamo)
        many_ops.export(three, (x,), "three.onnx", **options)
        stock = error_of(lambda: onnxruntime.InferenceSession("three.onnx"))
        print(
            ("InferenceSession" in stock) == bodies == bool(onnx.load("three.onnx").functions),
            stock,
        )
        session = many_ops.session("three.onnx", require_native=True)
        print(session.served == wanted, session.served)
        outputs = session.run(None, {"x": x.numpy()})
        print(all(np.allclose(a, b) for a, b in zip(outputs, three(x), strict=True)))

# By a C function, and once for each session.
served = ctypes.CDLL(many_ops.library_path()).onnxop_served
served.restype = ctypes.c_char_p
for _ in range(2):
    onnxruntime.InferenceSession("three.onnx", many_ops.session_options(domain="other"))
    print(
        served(None)
        == served(b"three.onnx")
        == b'{"other::axpby": {"cpu": 1}, "other::keep_above": {"cpu": 2}}',
        served(None),
    )

# A kernel of no integers, and standard nodes: each time in a sentence, or an error.
integers = (torch.arange(12).reshape(3, 4),)
both = model_of(lambda x: torch.aminmax(x, dim=0))
aminmax.export(both, integers, "integers.onnx", domain="aminmax", verbose=False)
many_ops.export(three, (x,), "standard.onnx", domain="", verbose=False)
for _ in range(2):
    print(aminmax.session("integers.onnx").served == {"aminmax": {"aminmax::aminmax": {"cpu": 0}}})
    print(many_ops.session("standard.onnx").served == {})
why = error_of(lambda: aminmax.session("integers.onnx", require_native=True))
print(
    "require_native, but of 1 node " in why
    and "computes 0, and no aminmax::aminmax_function" in why,
    why,
)
why = error_of(lambda: many_ops.session("standard.onnx", require_native=True))
print("require_native, but the model has no node of a domain" in why, why)
for dynamo in (True, False):
    why = error_of(
        lambda: aminmax.export(
            both, integers, "n.onnx", domain="aminmax", function_bodies=False, dynamo=dynamo
        )
    )
    print("kernel does not support the input dtypes" in why, why)
mixed = model_of(lambda x: (many_ops.axpby(x, x, x), many_ops.quick_gelu(x)))
many_ops.export(mixed, (x,), "mixed.onnx", domain="other", verbose=False)
why = error_of(lambda: many_ops.session("mixed.onnx", require_native=True))
print(
    "of 2 nodes" in why
    and "computes 1, and no other::quick_gelu; my_lib::quick_gelu has no C++ kernel" in why,
    why,
)
call = 'export(..., domain={"my_ops::axpby": "other", "my_lib::quick_gelu": ""}, function_bodies=False)'
print(call in why, why)
for dynamo in (True, False):
    options = dict(function_bodies=False, dynamo=dynamo, verbose=False)
    why = error_of(lambda: many_ops.export(mixed, (x,), "mixed.onnx", domain="other", **options))
    print(
        why.startswith("my_lib::quick_gelu: function_bodies=False, but it has no C++ kernel")
        and call in why,
        why,
    )
    domains = {"my_ops::axpby": "other", "my_lib::quick_gelu": ""}
    many_ops.export(mixed, (x,), "mixed.onnx", domain=domains, **options)
    print(
        many_ops.session("mixed.onnx", require_native=True).served
        == {"many_ops": {"my_ops::axpby": {"cpu": 1}}}
    )

# A kernel without 16-bit floats, which has a reference: the node, in both exporters; of other dtypes dynamo says why not.
distances = model_of(lambda x: many_ops.squared_distances(x, x))
for dtype in (torch.float16, torch.bfloat16):
    for dynamo in (True, False):
        options = dict(domain="my_lib", function_bodies=False, dynamo=dynamo, verbose=False)
        many_ops.export(distances, (x.reshape(4, 5).to(dtype),), "half.onnx", **options)
        wanted = {"many_ops": {"my_lib::squared_distances": {"cpu": 1}}}
        print(many_ops.session("half.onnx", require_native=True).served == wanted)
options = dict(domain="my_lib", verbose=False)
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    many_ops.export(distances, integers, "n.onnx", **options)
noted = [
    str(warning.message)
    for warning in noted
    if "its kernel has no torch.int64" in str(warning.message)
]
print(len(noted) == 1 and "standard nodes, not a node of my_lib" in noted[0], noted)
why = error_of(
    lambda: many_ops.export(distances, integers, "n.onnx", function_bodies=False, **options)
)
print("function_bodies=False needs the node" in why, why)
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    many_ops.export(
        model_of(many_ops.quick_gelu),
        (x,),
        "n.onnx",
        dynamo=False,
        opset_version=12,
        domain="my_lib",
    )
noted = [
    str(warning.message) for warning in noted if "only your own engine" in str(warning.message)
]
print(len(noted) == 1 and "no function body at opset 12" in noted[0], noted)
why = error_of(lambda: many_ops.export(three, (x,), "n.onnx", domain="", function_bodies=False))
print("function_bodies=False needs nodes of a custom domain" in why, why)
