"""What all tests of exporting share."""

from __future__ import annotations

import pytest

from onnxop_runtime import torch_internals


@pytest.fixture(scope="session", autouse=True)
def quick_exports() -> None:
    """Have the dynamo exporter build its tables once, which takes most of the time for a small
    model.
    """
    torch_internals.cache_exporter_tables()
