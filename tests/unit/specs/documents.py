"""Documents of specs for small tests."""

from __future__ import annotations

from onnxop_runtime.specs import reading
from onnxop_runtime.specs.document import Document


def document(tables: str, schema: str = "my_lib::f(Tensor x) -> Tensor", doc: str = "") -> Document:
    """Return the document of a spec; ``doc`` may have TOML's escapes."""
    text = f'[op]\nschema = "{schema}"\ndoc = "{doc}"\n{tables}'
    read = reading.read_text(text, "f.toml").document
    assert read is not None
    return read
