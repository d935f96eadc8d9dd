"""`onnxop check` and `onnxop_runtime.register` say the same of the same fault of a spec."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onnxop_runtime import register, unregister
from onnxop_runtime.registered import SpecError
from tests.bad_specs import SPECS, parts

ONLY_CHECK = re.compile(r"autograd\.\w+|kernel\.(elementwise|source|python|fake)")
"""The keys whose code only `check` reads: `register` needs no kernel and no gradient."""
MODULES = """
    requires_absent requires_broken requires_misspelt requires_not_installed requires_overload
    requires_signature requires_unknown
    """
"""The bad specs whose messages depend on the modules that the process has imported."""
ONLY_CHECK_SEES = {
    "the trace of a sample": """
        aten_list_of_tensors elementwise_number elementwise_truth_value results_of_one_op results_of_one_op_more samples_call
        samples_kernel mapping_list_of_tensor mapping_outputs mapping_outputs_counted mapping_outputs_looped
        mapping_outputs_named mapping_table mapping_table_of_tensors
        mapping_attribute_of_sample mapping_attribute_tensor mapping_condition_tensor
        mapping_dtype mapping_element_type_cast mapping_element_types mapping_element_types_differ
        mapping_functions_run mapping_graphs_many mapping_graphs_types mapping_integers
        mapping_lists mapping_none mapping_operators_run mapping_reshape mapping_result_scalar
        mapping_shapes mapping_split_parts mapping_sizes mapping_subscript mapping_tensor_arithmetic mapping_transpose
        mapping_values mapping_values_of_sample
        """,
    "a sample that is missing": "samples_missing samples_missing_many",
    "what a call of the error cases does": """
        errors_other errors_raise_nothing errors_raise_nothing_aten errors_raise_nothing_elementwise
        """,
    "what a kernel takes of the samples": """
        samples_nextafter samples_quotient samples_scalar kernel_backward_of_integers
        """,
    "the types that a kernel takes": """
        elementwise_argument_types elementwise_lists kernel_argument_held kernel_lists
        kernel_truth_values schema_argument_names schema_defaults_of_lists schema_function_name
        schema_types_of_bools schema_types_unsupported source_argument_types
        """,
    "the package's name": "package_name_from_op",
    "modules, which it imports and `register` does not": MODULES,
}
"""The other faults that `register` does not see, and the bad specs that have them."""
LISTED = {name for names in ONLY_CHECK_SEES.values() for name in names.split()}
IMPORTS = re.compile(r"^[^\n]*: op\.requires\[\d\]: [\w.]+ is not imported; import it first")
NEEDS_PACKAGE = re.compile(r"^[^\n]*: kernel: a spec with a kernel needs a package; ", re.MULTILINE)
HEAD = re.compile(r"^(?P<place>[^:\s]+:\d+): (?P<key>[^ :]+): (?P<message>.*)$")


def messages(answer: str) -> list[tuple[str, str]]:
    """Return the messages of an answer, each with its key and its excerpt."""
    found: list[tuple[str, str]] = []
    for line in answer.splitlines():
        head = HEAD.match(line)
        if head:
            found.append((head["key"], line))
        elif line.startswith("    ") and found:
            key, text = found[-1]
            found[-1] = key, f"{text}\n{line}"
        else:
            found.append(("", line))
    return found


def of_register(spec: Path) -> str:
    """Return what `register` says of a spec."""
    try:
        operators = register(spec.name)
    except SpecError as error:
        return str(error)
    unregister(operators)
    return ""


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_same_words(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`register` says of a bad spec what ``onnxop check`` says: nothing else, and all of it but what
    only ``check`` sees.
    """
    text, answer_of_check = parts(spec)
    monkeypatch.chdir(tmp_path)
    (tmp_path / spec.name).write_bytes(text)
    answer_of_register = of_register(spec)
    assert additional_messages(answer_of_register, answer_of_check) == []
    missing = missing_messages(answer_of_register, answer_of_check)
    if spec.stem not in LISTED:
        assert missing == []
    elif spec.stem not in MODULES.split():
        assert missing, "register sees this fault, too: take the spec from ONLY_CHECK_SEES"


def additional_messages(answer_of_register: str, answer_of_check: str) -> list[str]:
    """Return what `register` alone says, but that a kernel needs a package, and which module to
    import.
    """
    of_check = messages(answer_of_check)
    additional = [text for key, text in messages(answer_of_register) if (key, text) not in of_check]
    return [t for t in additional if not (NEEDS_PACKAGE.match(t) or IMPORTS.match(t))]


def missing_messages(answer_of_register: str, answer_of_check: str) -> list[str]:
    """Return what `register` does not say of what ``check`` says, except of keys that only ``check``
    reads.
    """
    return [
        text
        for key, text in messages(answer_of_check)
        if text not in answer_of_register and not ONLY_CHECK.fullmatch(key)
    ]
