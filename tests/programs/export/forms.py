# Run by test_export_forms.py: the ways to call `export`, one function each. The program prints what
# failed, by function, as JSON.
import json
import traceback
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
import twin
from twin_model import is_right, larger, model, x

Dim = torch.export.Dim
DOMAINS = ("", "my_lib")
EXPORTERS = (True, False)


def both():
    """Yield the options of each exporter with each domain."""
    for domain in DOMAINS:
        for dynamo in EXPORTERS:
            yield {"dynamo": dynamo, "domain": domain}


def exported_program():
    return torch.export.export(model, (x,), dynamic_shapes=({0: Dim("n", min=1)},))


def refuses(kind, words, *args, **options):
    """Check that an export raises this error, and writes no file."""
    try:
        twin.export(*args, **options)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"no error with {words!r}")
    assert not Path("n.onnx").exists()


# ---- What is exported ----


def returns_an_onnx_program():
    for domain in DOMAINS:
        made = twin.export(model, (x,), "m.onnx", domain=domain, report=False)
        assert isinstance(made, torch.onnx.ONNXProgram)
        assert is_right("m.onnx")


def without_a_file_and_a_tuple():
    for domain in DOMAINS:
        made = twin.export(model, x, domain=domain)
        actual = [tensor.detach().numpy() for tensor in made(x)]
        pairs = zip(actual, model(x), strict=True)
        assert all(np.allclose(value, wanted.detach(), atol=1e-5) for value, wanted in pairs)


def external_data_false():
    for options in both():
        twin.export(model, (x,), "m.onnx", external_data=False, **options)
        assert is_right("m.onnx")


def keyword_arguments_in_a_dictionary():
    for options in both():
        twin.export(model, ({"x": x},), "m.onnx", **options)
        assert is_right("m.onnx")


def dynamic_axes_as_a_list():
    for options in both():
        twin.export(model, (x,), "m.onnx", input_names=["x"], dynamic_axes={"x": [0]}, **options)
        assert is_right("m.onnx", larger)


def an_opset():
    for options in both():
        twin.export(model, (x,), "m.onnx", opset_version=20, **options)
        assert [
            entry.version for entry in onnx.load("m.onnx").opset_import if not entry.domain
        ] == [20]


def an_exported_program():
    program = exported_program()
    for options in both():
        twin.export(program, f="m.onnx", **options)
        assert is_right("m.onnx", larger)


def verify_of_an_exported_program():
    program = exported_program()
    for options in both():
        twin.verify(program, **options)


def without_weights():
    for domain in DOMAINS:
        options = {"export_params": False, "keep_initializers_as_inputs": True}
        twin.export(model, (x,), "m.onnx", domain=domain, **options)
        assert not onnx.load("m.onnx").graph.initializer


# ---- Dynamic shapes ----


def is_right_with(shapes):
    for domain in DOMAINS:
        twin.export(model, (x,), "m.onnx", dynamic_shapes=shapes, domain=domain)
        assert is_right("m.onnx", larger)


def dynamic_shapes_by_a_name():
    is_right_with(({0: "b"},))


def dynamic_shapes_by_argument():
    is_right_with({"x": {0: Dim.DYNAMIC}})


def dynamic_shapes_as_lists():
    is_right_with([["b", None]])


def dynamic_shapes_as_tuples():
    is_right_with(((Dim("b", min=1), None),))


def dynamic_shapes_that_are_automatic():
    made = twin.export(model, (x,), dynamic_shapes={"x": {0: Dim.AUTO, 1: Dim.AUTO}})
    assert [isinstance(size, int) for size in made.model.graph.inputs[0].shape] == [False, True]


# ---- Results that are inputs, or have the name of an input ----


class Through(torch.nn.Module):
    def forward(self, x, y):
        return x, *twin.twin(x, y), y + 1


def passes_inputs_through(names, **options):
    twin.export(Through(), (x, 2 * x), "m.onnx", input_names=names, **options)
    session = onnxruntime.InferenceSession("m.onnx")
    inputs = [entry.name for entry in session.get_inputs()]
    assert inputs == (names or ["x", "y"])
    feeds = dict(zip(inputs, (x.numpy(), 2 * x.numpy()), strict=True))
    for actual, wanted in zip(session.run(None, feeds), Through()(x, 2 * x), strict=True):
        assert np.allclose(actual, wanted)


def inputs_as_results_by_dynamo():
    passes_inputs_through(None)


def inputs_as_results_by_torchscript():
    passes_inputs_through(None, dynamo=False)


def inputs_named_like_nodes_by_dynamo():
    passes_inputs_through(["add", "y"])


def inputs_named_like_nodes_by_torchscript():
    passes_inputs_through(["add", "y"], dynamo=False)


# ---- What is refused ----


def refuses_a_traced_module():
    script = torch.jit.trace(model, x)
    refuses(TypeError, "give the original module", script, (x,), dynamo=False)


def refuses_verify():
    refuses(ValueError, "call verify(model, args)", model, (x,), verify=True)


def refuses_a_function():
    refuses(TypeError, "model must be a torch.nn.Module", lambda x: x, (x,))


def refuses_torchscript_without_a_file():
    refuses(ValueError, "f is missing", model, (x,), dynamo=False)


def refuses_dynamic_shapes_by_torchscript():
    options = {"dynamo": False, "dynamic_shapes": [None]}
    refuses(ValueError, "write dynamic_axes", model, (x,), "n.onnx", **options)


def refuses_dynamic_axes_of_an_exported_program():
    words = "cannot change an ExportedProgram"
    refuses(ValueError, words, exported_program(), f="n.onnx", dynamic_axes={"x": [0]})


def refuses_a_dimension_that_was_specialised():
    words = "torch.export specialised a dynamic dimension to a size; the inputs are x[2, 3]"
    refuses(ValueError, words, model, (x,), "n.onnx", dynamic_shapes=({1: Dim("n")},))


def shows_the_error_of_pytorch():
    words = "Failed to export the model with torch.export"
    refuses(RuntimeError, words, model, (x,), "n.onnx", dynamic_shapes=({1: Dim.DYNAMIC},))


HELPERS = (both, exported_program, refuses, is_right_with, passes_inputs_through, is_right)


def run():
    """Return what each form raises, as text; empty if it is right."""
    functions = [value for value in [*globals().values()] if type(value) is type(run)]
    answers = {}
    for function in functions:
        if function in HELPERS or function is run:
            continue
        try:
            function()
        except Exception:
            answers[function.__name__] = traceback.format_exc()
        else:
            answers[function.__name__] = ""
    return answers


print(json.dumps(run()))
