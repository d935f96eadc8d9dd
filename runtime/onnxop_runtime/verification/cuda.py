"""ONNX Runtime's CUDA provider: whether a session asks for it, and whether this machine can run it.

It imports only the standard library and onnxruntime, because `onnxop ship` uses it on servers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

PROVIDER = "CUDAExecutionProvider"
PROVIDERS = PROVIDER, "CPUExecutionProvider"
"""The providers of a session on a GPU: the CPU's computes the nodes that CUDA's does not."""


def is_requested(options: Any, keywords: Mapping[str, Any]) -> bool:
    """Return whether a session with these options and keywords of ``InferenceSession`` may have the
    provider.

    Options that name devices or a policy do not tell their providers.
    """
    providers = keywords.get("providers") or ()
    names = [provider if isinstance(provider, str) else provider[0] for provider in providers]
    if names:
        return PROVIDER in names
    has_providers = getattr(options, "has_providers", None)  # since release 1.22
    return has_providers is not None and bool(has_providers())


def is_usable() -> bool:
    """Return whether the installed ONNX Runtime has the provider, and the driver a GPU."""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    return PROVIDER in onnxruntime.get_available_providers() and _count_gpus() > 0


def _count_gpus() -> int:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value
