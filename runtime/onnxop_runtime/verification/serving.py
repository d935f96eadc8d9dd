"""Sessions of a model, as it is served: by the library, and what that computes of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..model_nodes import check
from ..wanted import need
from .runners import count_nodes, loaded, own_nodes
from .session import Compiled, session_options


def session(
    package: Compiled,
    /,
    path: str | os.PathLike[str],
    options: Any = None,
    *,
    require_native: bool = False,
    **keywords: Any,
) -> Any:
    """Return a session of ONNX Runtime with the library registered, in the domains that the model has its
    nodes in. ``served``, an attribute of it, says how many nodes the library computes:
    ``{"my_lib::my_add": 3}``. Where it is none, a sentence on stderr says so.

    Args:
        path: the model's file.
        options: options to register the library with, such as `session_options` of another package gives.
        require_native: whether all nodes of the package's operators must run by its kernels, and there
            must be some.
        keywords: other arguments of ``onnxruntime.InferenceSession``.

    Returns:
        An ``onnxruntime.InferenceSession``.

    Raises:
        RuntimeError: functions compute nodes that are to run native.
        ValueError: a node has an attribute that nothing reads, or is of a later version than the library.
        ImportError: the package is not built.
    """
    need("session", "onnx", "onnxruntime")
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    path = Path(path)
    model = loaded(path)
    count, _ = count_nodes(model)
    own = own_nodes(package.operators, model, None, count)
    native = {op: found for op, found in own.items() if found and op.is_native}
    domains = {str(operator): found[0][0] for operator, found in native.items()}
    check(path, model, package.library.operators, domains)
    options = session_options(package, options, domain=domains)
    made = onnxruntime.InferenceSession(path, options, **keywords)
    made.served = package.library.served(str(path))
    wanted = {"::".join(node): count[node] for found in own.values() for node in found}
    left = sorted(wanted.keys() - made.served.keys())
    if require_native and (left or not wanted):
        library = package.library.path
        counts = f"of {sum(wanted.values())} nodes {library} computes {sum(made.served.values())}"
        composed = [str(op) for op, found in own.items() if found and not op.is_native]
        remedy = "export the model with domain= and function_bodies=False"
        if composed:
            remedy = f"export {' and '.join(composed)}, without a C++ kernel, as standard nodes"
        raise RuntimeError(
            f"{path}: require_native, but {counts}{', and no ' * bool(left)}{' and '.join(left)}; {remedy}"
        )
    return made
