"""Model → what a server needs: the model, the libraries for its nodes, and how to load them."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, util
from itertools import combinations
from pathlib import Path
from typing import Any

from ..check.runtimes import needs
from ..errors import DestinationError, OnnxopError, listed

_KNOWN = ("ai.onnx", "com.microsoft")
_Nodes = frozenset[tuple[str, str]]  # by domain and op type


class ShipError(OnnxopError):
    """The installed packages cannot serve the model."""


@dataclass(frozen=True)
class Library:
    """A library for ONNX Runtime of an installed package, ``my_add 0.1.0``, and its use in a model.

    ``nodes`` are the model's that it has kernels for, ``settings`` the session options that move
    its operators to other domains. Its library for ``openvino`` computes the nodes in ``hosted``,
    those of the kernels' versions, in its own domains only.
    """

    path: Path
    package: str
    nodes: _Nodes
    settings: dict[str, str]
    hosted: _Nodes

    @property
    def openvino(self) -> Path | None:
        path = self.path.with_name(self.path.name.replace("_onnxruntime.so", "_openvino.so"))
        return path if path.is_file() and self.hosted and not self.settings else None


@dataclass(frozen=True)
class Shipped:
    """The result: the files' names, the number of nodes that each library computes, the nodes that run
    as ONNX functions, and the first minor release of ONNX Runtime that runs the model.
    """

    files: list[str]
    native: dict[str, int]
    functions: list[str]
    release: int


def ship(path: Path, folder: Path, *, release: int | None = None) -> Shipped:
    """Write a folder with the model, the libraries of installed packages for its nodes, and a README
    on loading them; check that they load. ``release`` is the minor release of ONNX Runtime that
    must run it. Raise `DestinationError` if the folder is not empty, `ShipError` if the file
    is not a model, a node has no kernel, or the release does not run it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DestinationError(f"{folder}: is not empty; give a folder that is new")
    model = _read(path)
    counts = Counter(_nodes(model))
    libraries = _libraries(path, model, frozenset(counts))
    sources = {path.name: path} | {library.path.name: library.path for library in libraries}
    sources |= {name: path.parent / name for name in _weights(path, model)}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".onnxop-") as beside:
        made = Path(beside, "made")
        for name, source in sources.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, made / name)
        served = _load(path, made, libraries)
        unused = [library for library in libraries if not served[library.path.name]]
        for library in unused:  # its kernels are of a later version
            libraries.remove(library)
            del served[library.path.name], sources[library.path.name]
            (made / library.path.name).unlink()
        hosted = {library.openvino: library.hosted for library in libraries if library.openvino}
        inlined = counts.keys() - {node for nodes in hosted.values() for node in nodes}
        bodies = {(function.domain, function.name) for function in model.functions}
        others = [*hosted] if inlined <= bodies else []
        for other in others:
            sources[other.name] = other
            shutil.copyfile(other, made / other.name)
        computed = dict(pair for library in served.values() for pair in library.items())
        native = {node for node in counts if computed.get("::".join(node), 0) >= counts[node]}
        needed = needs(model, native, _minor())
        if release is not None and release < needed.first:
            raise ShipError(
                f"{path}: ONNX Runtime 1.{release} does not run it, as far as is known: "
                f"{needed.lacking(release)}; give --min-onnxruntime 1.{needed.first}, or export it with "
                "another opset or IR version"
            )
        runs = f"{needed}{_without(path, made, model) * bool(libraries)}"
        functions = _names(counts.keys() - native)
        text = _readme(path.name, runs, libraries, functions, native)
        text += _openvino_readme(path.name, others, _names(inlined))
        (made / "README.md").write_text(text, "utf-8")
        made.replace(folder)
    native_counts = {file: sum(nodes.values()) for file, nodes in served.items()}
    return Shipped([*sources, "README.md"], native_counts, functions, needed.first)


def _libraries(path: Path, model: Any, nodes: _Nodes) -> list[Library]:
    """Return the libraries for the nodes. Raise ShipError unless each has one, or a function."""
    domains = {
        entry.key.removeprefix("onnxop."): domain
        for entry in model.metadata_props
        if entry.key.startswith("onnxop.") and (domain := json.loads(entry.value).get("domain"))
    }
    stale: list[str] = []
    installed = _installed(path, model, nodes, domains, stale)
    libraries = [library for library in installed if library.nodes]
    for first, second in combinations(libraries, 2):
        if both := _names(first.nodes & second.nodes):
            raise ShipError(
                f"{path}: {first.package} and {second.package} are installed, and both compute {both[0]}; "
                "uninstall one of them"
            )
    functions = nodes.difference(*(library.nodes for library in libraries))
    bodies = {(function.domain, function.name) for function in model.functions}
    if bare := _names(functions - bodies):
        others = f"; or rebuild {listed(stale)}, built for another onnxop-runtime" if stale else ""
        raise ShipError(
            f"{path}: no installed package computes {bare[0]}; install the package that does{others}"
        )
    return libraries


def _read(path: Path) -> Any:
    import onnx

    try:
        return onnx.load(path, load_external_data=False)
    except OSError as error:
        raise ShipError(f"{path}: {error.strerror}; give an ONNX file") from error
    except Exception as error:
        raise ShipError(f"{path}: is not an ONNX model; give what export() wrote") from error


def _nodes(model: Any) -> Iterator[tuple[str, str]]:
    """Yield the nodes of ops that are neither ONNX's nor ONNX Runtime's."""
    from onnxop_runtime.model_nodes import nodes_of

    for part in (model.graph, *model.functions):
        for node in nodes_of(part.node):
            if node.domain and not node.domain.startswith(_KNOWN):
                yield node.domain, node.op_type


def _installed(
    model_path: Path, model: Any, nodes: _Nodes, domains: Mapping[str, str], stale: list[str]
) -> Iterator[Library]:
    """Yield the installed libraries, with the model's nodes that each has kernels for: in the
    metadata's domain, or in the operator's. Add packages built for another runtime to ``stale``.
    Raise `ShipError` if a library would compute something else than a node specifies.
    """
    from onnxop_runtime import ABI
    from onnxop_runtime.model_nodes import check, versions

    node_versions = versions(model)
    for package in sorted({entry.value for entry in metadata.entry_points(group="onnxop.ops")}):
        spec = util.find_spec(package)
        folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
        path = (folder / f"lib{package}_onnxruntime.so").resolve()
        if not path.is_file():
            continue
        library = json.loads(_opened(path).onnxop_library())
        if library.get("abi", 0) != ABI:
            stale.append(package)
            continue
        try:
            check(model_path, model, library["ops"], domains)
        except ValueError as error:
            raise ShipError(str(error)) from error
        known: set[tuple[str, str]] = set()
        hosted: set[tuple[str, str]] = set()
        settings: dict[str, str] = {}
        for operator, op in library["ops"].items():
            domain = domains.get(operator) or op["domain"]
            names = {f"{op['op_type']}_variant_{n}" for n in range(2, op["variants"] + 1)}
            nodes_here = {(domain, name) for name in {op["op_type"], *names}} & nodes
            known |= nodes_here
            hosted |= {node for node in nodes_here if node_versions[node] == {op["version"]}}
            if nodes_here and domain != op["domain"]:
                settings[f"onnxop.domains.{operator}"] = domain
        yield Library(path, library["package"], frozenset(known), settings, frozenset(hosted))


def _opened(path: Path) -> Any:
    library = ctypes.CDLL(os.fspath(path))
    library.onnxop_library.restype = ctypes.c_char_p
    library.onnxop_served.restype = ctypes.c_char_p
    return library


def _weights(path: Path, model: Any) -> list[str]:
    """Return the files with the model's external weights."""
    from onnx.external_data_helper import ExternalDataInfo, uses_external_data

    tensors = [tensor for tensor in model.graph.initializer if uses_external_data(tensor)]
    names = sorted({ExternalDataInfo(tensor).location for tensor in tensors})
    for name in names:
        place = path.parent / name
        if not place.is_file() or path.parent.resolve() not in place.resolve().parents:
            raise ShipError(f"{path}: its weights are in {name}, which is not in its folder")
    return names


def _load(path: Path, folder: Path, libraries: Sequence[Library]) -> dict[str, dict[str, int]]:
    """Load the model as the README does. Return the number of nodes that each library computes."""
    import onnxruntime  # type: ignore[import-untyped]

    opened = {library.path.name: _opened(folder / library.path.name) for library in libraries}
    options = onnxruntime.SessionOptions()
    for library in libraries:
        for key, value in library.settings.items():
            options.add_session_config_entry(key, value)
        options.register_custom_ops_library(os.fspath(folder / library.path.name))
    try:
        onnxruntime.InferenceSession(
            folder / path.name, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ShipError(f"{path}: ONNX Runtime {_version()} rejects it: {error}") from error
    return {file: json.loads(library.onnxop_served(None)) for file, library in opened.items()}


def _without(path: Path, folder: Path, model: Any) -> str:
    """Return a sentence on the releases of ONNX Runtime that run the model without the libraries."""
    try:
        _load(path, folder, ())
    except ShipError:
        return " with the libraries registered, not without them"
    return f" with the libraries registered; without them in {needs(model, (), _minor())}"


def _version() -> str:
    import onnxruntime

    return str(onnxruntime.__version__)


def _minor() -> int:
    return int(_version().split(".")[1])


_REGISTERED = """\
- Register each library with the options of a session before the session is made.
- The libraries run on Linux for {machine}, with the C library of the release that they were built on or a
  later one.
"""
_README = """\
# {name}

- `{name}` has these nodes besides ONNX's own: {nodes}.
- It runs in ONNX Runtime {runs}; tried in {version}, on the CPU.
{registered}
```python
import onnxruntime

options = onnxruntime.SessionOptions()
{python}session = onnxruntime.InferenceSession("{name}", options)
print([(port.name, port.type, port.shape) for port in session.get_inputs()])
```

```cpp
#include <onnxruntime_cxx_api.h>

Ort::Env env;
Ort::SessionOptions options;
{cpp}Ort::Session session(env, "{name}", options);
```
"""


def _readme(
    name: str,
    runs: str,
    libraries: Sequence[Library],
    functions: Iterable[str],
    native: set[tuple[str, str]],
) -> str:
    python, cpp = "", ""
    nodes = [f"{node}, by the model's own function" for node in functions]
    for library in libraries:
        file = library.path.name
        own = _names(library.nodes & native)
        nodes += [f"{node}, by {file} of {library.package}" for node in own]
        for key, value in library.settings.items():
            python += f'options.add_session_config_entry("{key}", "{value}")\n'
            cpp += f'options.AddConfigEntry("{key}", "{value}");\n'
        python += f'options.register_custom_ops_library("./{file}")\n'
        cpp += f'options.RegisterCustomOpsLibrary("./{file}");\n'
    return _README.format(
        name=name,
        nodes="; ".join(nodes) or "none",
        registered=_REGISTERED.format(machine=platform.machine()) * bool(libraries),
        runs=runs,
        version=_version(),
        python=python,
        cpp=cpp,
    )


def _openvino_readme(name: str, libraries: Sequence[Path], functions: Sequence[str]) -> str:
    """Return the README's section on OpenVINO; empty without a library for it."""
    if not libraries:
        return ""
    pattern = rb"built for OpenVINO ([\d.]+)"
    builds = [re.findall(pattern, library.read_bytes())[:1] for library in libraries]
    releases = listed(sorted({release.decode() for build in builds for release in build}))
    names = listed(library.name for library in libraries)
    text = f"\nIn OpenVINO {releases}, and no other release, by {names}:\n"
    if functions:
        inlining = f"inline {listed(functions)} first, by `onnx.inliner`"
        text += f"\nIt runs no ONNX functions: {inlining}.\n"
    added = "".join(f'core.add_extension("./{library.name}")\n' for library in libraries)
    return f"""{text}
```py
import openvino

core = openvino.Core()
{added}compiled = core.compile_model(core.read_model("{name}"), "CPU")
```
"""


def _names(nodes: Iterable[tuple[str, str]]) -> list[str]:
    return sorted("::".join(node) for node in nodes)
