"""What was shipped → the README of the folder: what it needs, and code that loads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnxop_runtime.messages import join_words

from .elf import Release, text_of
from .libraries import Nodes, ShippedLibrary
from .model import node_names
from .sessions import version

_REGISTERED = """\
- Register each library with the options of a session before the session is made.
- The libraries run on Linux for {machine}, with glibc {glibc} or later.
- In this folder, on the server, `onnxop ship --verify .` prints how many of the nodes the libraries compute.
"""
_README = """\
# {name}

- `{name}` has these nodes besides ONNX's own: {nodes}.
- It runs in ONNX Runtime {runs}; tried in {version}, on the CPU.
{registered}{parsed}
```python
import onnxruntime

options = onnxruntime.SessionOptions()
{python}session = onnxruntime.InferenceSession({literal}, options)
print([(port.name, port.type, port.shape) for port in session.get_inputs()])
```

```cpp
#include <onnxruntime_cxx_api.h>

Ort::Env env;
Ort::SessionOptions options;
{cpp}Ort::Session session(env, {literal}, options);
```
"""


@dataclass(frozen=True)
class Platform:
    """The processor and the first release of glibc that libraries need."""

    machine: str
    glibc: Release


def readme(
    name: str,
    runs: str,
    libraries: Sequence[ShippedLibrary],
    functions: Iterable[str],
    native: Nodes,
    platform: Platform | None,
    parser: str,
) -> str:
    """Return the README of a model. ``functions`` are the nodes that run as functions of the model,
    ``native`` those that libraries compute; ``platform`` is what the libraries need, ``parser`` the
    parser of TensorRT that accepts it.
    """
    nodes = [f"{node}, by the model's own function" for node in functions]
    python: list[str] = []
    cpp: list[str] = []
    for library in libraries:
        file = library.path.name
        names = node_names(library.nodes & native)
        nodes += [f"{node}, by {file} of {library.package}" for node in names]
        for key, value in library.settings.items():
            python.append(f'options.add_session_config_entry("{key}", "{value}")\n')
            cpp.append(f'options.AddConfigEntry("{key}", "{value}");\n')
        python.append(f'options.register_custom_ops_library("./{file}")\n')
        cpp.append(f'options.RegisterCustomOpsLibrary("./{file}");\n')
    registered = ""
    if platform is not None:
        glibc = text_of(platform.glibc)
        registered = _REGISTERED.format(machine=platform.machine, glibc=glibc)
    parsed = (
        f"- The parser of {parser} accepts it. TensorRT computes function bodies.\n"
        if parser
        else ""
    )
    return _README.format(
        name=name,
        literal=json.dumps(name, ensure_ascii=False),
        nodes="; ".join(nodes) or "none",
        registered=registered,
        parsed=parsed,
        runs=runs,
        version=version(),
        python="".join(python),
        cpp="".join(cpp),
    )


def cuda_readme(name: str, libraries: Sequence[ShippedLibrary]) -> str:
    """Return the README's section on GPUs; empty without a library for CUDA."""
    if not any(library.cuda for library in libraries):
        return ""
    files = [library.cuda.name for library in libraries if library.cuda is not None]
    registered: list[str] = []
    for library in libraries:
        for key, value in library.settings.items():
            registered.append(f'options.add_session_config_entry("{key}", "{value}")\n')
        file = library.cuda or library.path
        registered.append(f'options.register_custom_ops_library("./{file.name}")\n')
    literal = json.dumps(name, ensure_ascii=False)
    return f"""
On GPUs, by {join_words(files)}, in onnxruntime-gpu. Each registers the library for CPUs in this folder, too, which computes
the nodes in sessions without the provider:

```py
import onnxruntime

options = onnxruntime.SessionOptions()
{"".join(registered)}providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]
session = onnxruntime.InferenceSession({literal}, options, providers=providers)
```
"""


def openvino_readme(name: str, libraries: Sequence[Path], functions: Sequence[str]) -> str:
    """Return the README's section on OpenVINO; empty without a library for it."""
    if not libraries:
        return ""
    pattern = rb"built for OpenVINO ([\d.]+)"
    builds = [re.findall(pattern, library.read_bytes())[:1] for library in libraries]
    releases = join_words(sorted({release.decode() for build in builds for release in build}))
    names = join_words(library.name for library in libraries)
    text = f"\nIn OpenVINO {releases}, and no other release, by {names}:\n"
    if functions:
        inlining = f"inline {join_words(functions)} first, by `onnx.inliner`"
        text += f"\nIt runs no ONNX functions: {inlining}.\n"
    added = "".join(f'core.add_extension("./{library.name}")\n' for library in libraries)
    literal = json.dumps(name, ensure_ascii=False)
    return f"""{text}
```py
import openvino

core = openvino.Core()
{added}precise = {{"INFERENCE_PRECISION_HINT": "f32"}}  # some CPUs would compute in bfloat16
compiled = core.compile_model(core.read_model({literal}), "CPU", precise)
```
"""
