"""Model → what a server needs: the model, the libraries for its nodes, and how to load them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnxop_runtime.messages import join_words

from ..check.runtimes import needs
from ..errors import DestinationError
from .shipped import elf, sessions
from .shipped.elf import Release, text_of
from .shipped.errors import ShipError
from .shipped.libraries import ShippedLibrary, installed, package_of
from .shipped.model import custom_nodes, node_names, read, weights
from .shipped.readme import Platform, cuda_readme, openvino_readme, readme
from .shipped.scratch import destination, scratch_beside

if TYPE_CHECKING:
    import onnx

_README = "README.md"
_CONTAINER: Release = (2, 28)
"""The glibc of the container in which the CI of packages builds wheels."""


@dataclass(frozen=True)
class Shipped:
    """The result: the files' names, the number of nodes that each library computes, the nodes that
    run as ONNX functions, the first minor release of ONNX Runtime that runs the model, what the
    libraries need, and the parser of TensorRT that accepts the model, "" if it was not asked.
    """

    files: list[str]
    native: dict[str, int]
    functions: list[str]
    release: int
    platform: Platform | None
    parser: str


def ship(
    path: Path,
    folder: Path,
    *,
    release: int | None = None,
    glibc: Release | None = None,
    is_parsed: bool = False,
    is_stripped: bool = True,
) -> Shipped:
    """Write a folder with the model, the libraries of installed packages for its nodes, and a
    README on loading them; check that they load.

    Args:
        path: the model's file.
        folder: the folder to make.
        release: the minor release of ONNX Runtime that must run it.
        glibc: the release of glibc that must load the libraries.
        is_parsed: whether TensorRT's parser must accept it.
        is_stripped: whether to leave out what the exporters wrote on paths and source lines.

    Raises:
        DestinationError: the folder is not empty, or cannot be written.
        ShipError: the file is not a model, a node has no kernel, or a release or TensorRT's parser
            rejects it.
    """
    folder = destination(folder)
    model = read(path)
    parser = _parser(path, model) if is_parsed else ""
    counts = Counter(custom_nodes(model))
    libraries = installed(path, model, frozenset(counts))
    platform = _platform(libraries, glibc)
    sources = _sources(path, weights(path, model), libraries)
    try:
        with scratch_beside(folder) as scratch:
            made = scratch / "made"
            _copy(sources, made)
            if is_stripped:
                _strip(made / path.name, model)
            shipped = _complete(path, made, model, counts, libraries, release, platform, parser)
            made.replace(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DestinationError(
            f"{folder}: cannot be written: {reason}; give another folder, or make room for it"
        ) from error
    return shipped


def _parser(path: Path, model: onnx.ModelProto) -> str:
    """Return the name and version of TensorRT's parser. Raise ShipError if it refuses the model."""
    from .shipped import tensorrt  # imports onnx

    return tensorrt.check(path, model)


def _sources(
    path: Path, weights_: Sequence[str], libraries: Sequence[ShippedLibrary]
) -> dict[str, Path]:
    """Return the files to copy, by their names in the folder. Raise ShipError if two have
    one name.
    """
    files = [(path.name, path), *((name, path.parent / name) for name in weights_)]
    files += [(library.path.name, library.path) for library in libraries]
    files += [(library.cuda.name, library.cuda) for library in libraries if library.cuda]
    sources: dict[str, Path] = {}
    for name, source in files:
        if name in sources or name == _README:
            raise ShipError(
                f"{path}: {name} is also the name of a file that ship writes; rename it"
            )
        sources[name] = source
    return sources


def _copy(sources: Mapping[str, Path], folder: Path) -> None:
    for name, source in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            source.open("rb").close()
        except OSError as error:
            raise ShipError(f"{source}: {error.strerror}; make it readable") from error
        shutil.copyfile(source, folder / name)


def _strip(copy: Path, model: onnx.ModelProto) -> None:
    """Write the model without paths and source lines, if it has any."""
    from onnxop_runtime.debug_info import strip

    if strip(model):
        copy.write_bytes(model.SerializeToString(deterministic=True))


def _platform(libraries: Sequence[ShippedLibrary], glibc: Release | None) -> Platform | None:
    """Return what the libraries need; None without any. Raise ShipError if a release of glibc lacks
    it.
    """
    if not libraries:
        return None
    files = [file for library in libraries for file in (library.path, library.cuda) if file]
    required = [elf.requirements(file) for file in files]
    pairs = zip(files, required, strict=True)
    later = [pair for pair in pairs if glibc is not None and pair[1].glibc > glibc]
    if glibc is not None and later:
        raise ShipError("\n".join(_needs_later(file, needed, glibc) for file, needed in later))
    machines = sorted({needed.machine for needed in required})
    return Platform(join_words(machines), max(needed.glibc for needed in required))


def _needs_later(file: Path, needed: elf.Requirements, glibc: Release) -> str:
    """Return the error for a library that needs a later release of glibc, with the remedy."""
    lacking = needed.later_than(glibc)
    functions = f" ({join_words(sorted(lacking)[:5])})" if lacking else ""
    container = f"manylinux_{'_'.join(map(str, _CONTAINER))}"
    place = f"in the container {container}, as its CI does with cibuildwheel"
    if glibc < _CONTAINER:
        place = f"on a system with glibc {text_of(glibc)} or earlier"
    return (
        f"{file}: needs glibc {text_of(needed.glibc)}{functions}, so a server with "
        f"{text_of(glibc)} does not load it; build {package_of(file)} {place}, and install that wheel"
    )


def _complete(
    path: Path,
    made: Path,
    model: onnx.ModelProto,
    counts: Counter[tuple[str, str]],
    libraries: list[ShippedLibrary],
    release: int | None,
    platform: Platform | None,
    parser: str,
) -> Shipped:
    """Try the model in ``made``, leave only the libraries that it uses there, and write the
    README.
    """
    served = sessions.load(path, made, libraries)
    used = [library for library in libraries if _computes(library, served)]
    for library in libraries:
        if library not in used:  # its kernels are of a later version
            for name in _files(library):
                served.pop(name, None)
                (made / name).unlink()
    native = frozenset(sessions.native_nodes(counts, served))
    needed = needs(model, native, sessions.minor())
    if release is not None and release < needed.first:
        raise ShipError(
            f"{path}: ONNX Runtime 1.{release} does not run it, as far as is known: "
            f"{needed.lacking(release)}; give --min-onnxruntime 1.{needed.first}, or export it "
            "with another opset or IR version"
        )
    runs = f"{needed}{_without(path, made, model)}" if used else str(needed)
    functions = node_names(counts.keys() - native)
    platform = platform if used else None
    text = readme(path.name, runs, used, functions, native, platform, parser)
    openvino, inlined = _openvino(used, model, counts)
    for file in openvino:
        shutil.copyfile(file, made / file.name)
    text += cuda_readme(path.name, used)
    text += openvino_readme(path.name, openvino, inlined)
    (made / _README).write_text(text, "utf-8")
    files = [str(file.relative_to(made)) for file in sorted(made.rglob("*")) if file.is_file()]
    native_counts = {file: sum(nodes.values()) for file, nodes in served.items()}
    files = _in_order(files, path.name)
    return Shipped(files, native_counts, functions, needed.first, platform, parser)


def _computes(library: ShippedLibrary, served: sessions.Served) -> bool:
    """Return whether a package's libraries compute nodes."""
    return any(served.get(file) for file in _files(library))


def _files(library: ShippedLibrary) -> list[str]:
    """Return the names of a package's libraries for ONNX Runtime."""
    paths = [library.path, library.cuda]
    return [path.name for path in paths if path is not None]


def _in_order(files: Sequence[str], model: str) -> list[str]:
    """Return the files with the model first, and the README last."""
    others = [file for file in files if file not in (model, _README)]
    return [model, *others, _README]


def _openvino(
    libraries: Sequence[ShippedLibrary], model: onnx.ModelProto, counts: Counter[tuple[str, str]]
) -> tuple[list[Path], list[str]]:
    """Return the libraries for OpenVINO, none if they leave a node without a function, and the
    nodes to inline.
    """
    hosted = {library.openvino: library.hosted for library in libraries if library.openvino}
    inlined = counts.keys() - {node for nodes in hosted.values() for node in nodes}
    bodies = {(function.domain, function.name) for function in model.functions}
    return [*hosted] if inlined <= bodies else [], node_names(inlined)


def _without(path: Path, folder: Path, model: onnx.ModelProto) -> str:
    """Return a sentence on the releases of ONNX Runtime that run the model without the
    libraries.
    """
    try:
        sessions.load(path, folder, ())
    except ShipError:
        return " with the libraries registered, not without them"
    alone = needs(model, (), sessions.minor())
    return f" with the libraries registered; without them in {alone}"
