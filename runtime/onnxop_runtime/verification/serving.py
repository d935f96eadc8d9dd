"""ONNX Runtime sessions with a package's library, for serving."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..exporting import nodes
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
    """Return a session of ONNX Runtime with the library registered in the domains of the model's nodes.

    Args:
        path: the model's file.
        options: session options to add the library to, such as those from `session_options` of another
            package.
        require_native: require that the library computes all nodes of the package's operators, and at
            least one.
        keywords: other arguments of ``onnxruntime.InferenceSession``.

    Returns:
        An ``onnxruntime.InferenceSession`` with an attribute ``served``, the number of nodes that the
        library computes: ``{"my_lib::my_add": 3}``. If it computes none, a line on stderr says so.

    Raises:
        RuntimeError: ``require_native``, but the library does not compute all nodes.
        ValueError: a node has an unknown attribute, or a later version than the library.
        ImportError: the package is not built.
    """
    need("session", "onnx", "onnxruntime")
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    path = Path(path)
    model = loaded(path)
    count, _ = count_nodes(model)
    own = own_nodes(package.operators, model, None, count)
    native = {op: op_nodes for op, op_nodes in own.items() if op_nodes and op.is_native}
    domains = {str(operator): op_nodes[0][0] for operator, op_nodes in native.items()}
    check(path, model, package.library.operators, domains)
    options = session_options(package, options, domain=domains)
    result = onnxruntime.InferenceSession(path, options, **keywords)
    result.served = package.library.served(str(path))
    needed = {"::".join(node): count[node] for op_nodes in own.values() for node in op_nodes}
    missing = sorted(needed.keys() - result.served.keys())
    if require_native and (missing or not needed):
        library = package.library.path
        counts = f"of {sum(needed.values())} nodes {library} computes {sum(result.served.values())}"
        composed = [str(op) for op, op_nodes in own.items() if op_nodes and not op.is_native]
        remedy = "call export(..., domain=..., function_bodies=False)"
        if composed:
            homes = {op: op_nodes[0][0] for op, op_nodes in own.items() if op_nodes}
            remedy = (
                f"{' and '.join(composed)} has no C++ kernel: load the model without require_native"
            )
            remedy += nodes.all_native(homes)
        raise RuntimeError(
            f"{path}: require_native, but {counts}{', and no ' * bool(missing)}{' and '.join(missing)}; {remedy}"
        )
    return result
